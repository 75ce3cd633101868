export { describeConformance, httpCalls } from './conformance';
export type { ConformanceWorld } from './conformance';
export { createFakeAdapter } from './fake-adapter';
export { replayHistories } from './replay';
export { startHttpTap } from './http-tap';
export type { SeenRequest } from './http-tap';
