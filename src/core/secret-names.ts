/** The words of a name, in small letters: those of `X-Api-Key`, `api_key` and `apiKey`. */
export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

const SECRET_WORD =
  /(?:token|secret|password|cookie|signature|credential|(?:api|access|private|auth)key)s?$|^(?:keys?|auth|authorization|authentication|passwd|pwd|passphrase)$/;

/** Whether a name says that what it names is for few eyes. */
export const looksSecret = (name: string): boolean => wordsOf(name).some((word) => SECRET_WORD.test(word));
