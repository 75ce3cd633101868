import type { ChatModel } from './model';

/** What assistants need beside what every activity has. */
export interface AssistantDependencies {
  /** Unset: an assistant says that none is configured. */
  model?: ChatModel;
  /** What no prompt may hold. */
  secrets?: () => Promise<readonly string[]>;
}
