export { createFakeAdapter } from './fake-adapter';
export type { FakeAdapterOptions } from './fake-adapter';
