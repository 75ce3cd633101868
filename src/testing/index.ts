export { createFakeAdapter } from './fake-adapter';
export type { FakeAdapterOptions } from './fake-adapter';
export { replayHistories } from './replay';
export type { ReplayedHistory, ReplayHistoriesOptions } from './replay';
