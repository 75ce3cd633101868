/**
 * The contract and the core are pure, and building their schemas again took most of a workflow's start. Evaluated here,
 * they are built once for all workflows of a thread.
 *
 * The SDK deeply freezes what workflows share. But a schema completes itself on first use, which is a cache and not
 * state. So each module is frozen here: the SDK finds it frozen, and does not freeze its contents.
 */
interface WebpackRequire {
  context(folder: string, deep: boolean, files: RegExp): { (file: string): object; keys(): string[] };
}
declare const require: WebpackRequire;

// Folder by folder: the SDK's bundler gives webpack the files of a folder, but none of its subfolders.
for (const modules of [
  require.context('../../src/contract', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/access', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/approval', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/assistant', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/bulk', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/gateway', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/intent', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/intent/vocabularies', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/macro', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/policy', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/progress', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/sentinel', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/shared', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
  require.context('../../src/core/webhooks', false, /^(?!.*\.d\.ts$).*\.[jt]s$/),
])
  modules.keys().forEach((file) => Object.freeze(modules(file)));

export {};
