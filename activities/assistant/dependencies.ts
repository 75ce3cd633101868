import type { ChatModel } from './model';

/** The dependencies of assistants, besides those of every activity. */
export interface AssistantDependencies {
  /** Unset: an assistant says that none is configured. */
  model?: ChatModel;
  /** The secrets that no prompt may contain. */
  secrets?: () => Promise<readonly string[]>;
}
