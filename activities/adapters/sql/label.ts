import { looksSecret, wordsOf } from '../../../src/core/secret-names';
import type { Column } from './catalogue';

/** Beside what every name of a secret says: what tables hold of people and their accounts. */
const PERSONAL = /^(?:hash|hashed|salt|digest|ssn|iban|cvv|cvc|pin|otp|encrypted|cipher)$/;

/** What people know a thing by, the best first. */
const KNOWN_BY = ['name', 'title', 'label', 'subject', 'email', 'username', 'login'];

/** The text column that a row is shown by; undefined where none is fit to be seen. */
export function labelColumn(columns: readonly Column[]): Column | undefined {
  const texts = columns.filter(
    ({ category, keyPosition, name }) =>
      category === 'S' &&
      keyPosition === null &&
      !looksSecret(name) &&
      !wordsOf(name).some((word) => PERSONAL.test(word)),
  );
  for (const known of KNOWN_BY) {
    const found =
      texts.find(({ name }) => wordsOf(name).join(' ') === known) ??
      texts.find(({ name }) => wordsOf(name).at(-1) === known);
    if (found !== undefined) return found;
  }
  return texts[0];
}
