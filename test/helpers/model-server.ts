import { join } from 'node:path';
import { withLockedPrograms } from './npm-programs';

/** The part of aimock's `LLMock` that tests use: https://github.com/CopilotKit/aimock */
export interface ModelServer {
  readonly url: string;
  on(match: object, answer: object): void;
  onMessage(text: string, answer: object): void;
  nextRequestError(status: number, error: object): void;
  getRequests(): unknown[];
  reset(): void;
  stop(): Promise<void>;
}

/** A server with the interface of a language model. */
export async function startModelServer(): Promise<ModelServer> {
  const folder = await withLockedPrograms('aimock');
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { LLMock } = require(join(folder, '@copilotkit/aimock')) as {
    LLMock: new (options: { port: number }) => ModelServer & { start(): Promise<unknown> };
  };
  const model = new LLMock({ port: 0 });
  await model.start();
  return model;
}
