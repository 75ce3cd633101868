/** Parts of the patterns. Messages arrive in the form that `normalise` (classifier.ts) gives them. */
export const any = (...parts: string[]): string => `(?:${parts.join('|')})`;
/** Every pattern spans the whole message. */
export const whole = (...sentences: string[]): RegExp => new RegExp(`^${any(...sentences)}$`, 'u');
export const pause = '(?: ,)?';
