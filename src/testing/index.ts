export {
  checkConformance,
  conformanceCases,
  describeConformance,
  httpCalls,
  runConformanceCase,
} from './conformance';
export type {
  ConformanceCase,
  ConformanceRequest,
  ConformanceSubject,
  ConformanceVerdict,
  ConformanceWorld,
  Fault,
  FaultRule,
  HttpRefusals,
  ProviderCall,
  TestRunner,
} from './conformance';
export { createFakeAdapter } from './fake-adapter';
export type { FakeAdapterOptions } from './fake-adapter';
export { replayHistories } from './replay';
export type { ReplayedHistory, ReplayHistoriesOptions } from './replay';
export { startHttpTap } from './http-tap';
export type { HttpTap, SeenRequest, TapAnswer, TapRule, TapVerdict } from './http-tap';
