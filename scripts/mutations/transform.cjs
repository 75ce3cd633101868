const { createTransformer } = require('@swc/jest');

/** Compiles as the tests do, except that one file has its mutation. Jest's cache goes by the text that is compiled. */
module.exports = {
  createTransformer({ swc, mutation }) {
    const plain = createTransformer(swc);
    const changed = (text, path) =>
      path === mutation?.path ? text.replace(mutation.find, () => mutation.replace) : text;
    return {
      process: (text, path, more) => plain.process(changed(text, path), path, more),
      processAsync: (text, path, more) => plain.processAsync(changed(text, path), path, more),
      getCacheKey: (text, path, more) => plain.getCacheKey(changed(text, path), path, more),
    };
  },
};
