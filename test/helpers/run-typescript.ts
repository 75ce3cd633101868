import { join } from 'node:path';

/** For short processes: optimising the WebAssembly of an embedded database takes longer than it saves there. */
export const SHORT_PROCESS = '--liftoff-only';

/** The flags with which Node runs a TypeScript file of the tests in a separate process. */
export const RUN_TYPESCRIPT = [SHORT_PROCESS, '--require', join(__dirname, 'typescript.cjs')];
