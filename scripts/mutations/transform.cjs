const { createTransformer } = require('@swc/jest');

/** Compiles like the tests, except that one file has its mutation. Jest's cache keys depend on the text to compile. */
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
