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

// Folder by folder: the SDK's bundler shows webpack the files of a folder and none of the folders in it.
for (const modules of [
  require.context('../../src/contract', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/access', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/approval', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/assistant', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/bulk', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/gateway', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/intent', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/macro', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/progress', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/sentinel', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/shared', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/webhooks', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
])
  modules.keys().forEach((file) => Object.freeze(modules(file)));

export {};
