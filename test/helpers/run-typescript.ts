import { join } from 'node:path';

/** The flags with which Node runs a TypeScript file of the tests in a separate process. */
export const RUN_TYPESCRIPT = ['--require', join(__dirname, 'typescript.cjs')];
