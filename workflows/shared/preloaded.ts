/**
 * The contract and the core are pure, and most of a workflow's start went into building their schemas again. Evaluated
 * here, they are built once for all workflows of a thread.
 *
 * The SDK freezes in depth what workflows share. A schema completes itself when it is first used, which is a cache and
 * no state, so that each module is frozen here, where the SDK finds it done and leaves what is within as it is.
 */
interface WebpackRequire {
  context(folder: string, deep: boolean, files: RegExp): { (file: string): object; keys(): string[] };
}
declare const require: WebpackRequire;

for (const modules of [
  require.context('../../src/contract', true, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core', true, /^(?!.*\.d\.ts$).*\.[jt]s$/),
])
  modules.keys().forEach((file) => Object.freeze(modules(file)));

export {};
