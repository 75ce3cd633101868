/** The words of a name, in small letters: those of `X-Api-Key`, `api_key` and `apiKey`. */
export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

const SECRET_WORD =
  /(?:token|secret|password|cookie|signature|credential|(?:api|access|private|auth)key)s?$|^(?:keys?|auth|authorization|authentication|passwd|pwd|passphrase)$/;

/** Keys and tokens that let nobody in: they say what belongs together, or where a list goes on. */
const NO_SECRET =
  /(?:^|-)(?:idempoten(?:cy|t)|dedup(?:lication)?|request|correlation|cache|surrogate|partition|routing|page|next|continuation|sync|sort|order|group|primary|foreign|public)-?(?:key|token)$/;

/** Whether a header or a field of a query holds what lets somebody in. */
export const carriesSecret = (name: string): boolean =>
  looksSecret(name) && !NO_SECRET.test(wordsOf(name).join('-'));

/** Whether a name says that what it names is for few eyes. */
export const looksSecret = (name: string): boolean => wordsOf(name).some((word) => SECRET_WORD.test(word));
