const POLITE = String.raw`(?:(?:please|no|nope|ok|okay|sorry|well)\b[,.!]?\s+)*`;
const SEND = String.raw`(?:(?:send|give|hand) (?:it|this|that|them) back(?: please)?|send back)`;
/** Must be followed by a colon: "revise the label" may be a request of its own. */
const REVISE = String.raw`(?:revise(?: (?:it|this|that))?(?=\s*:))`;
/** A message that sends a question back, with the guidance after a punctuation mark. */
const SENT_BACK = new RegExp(
  String.raw`^\s*${POLITE}(?:${SEND}|${REVISE})(?:\s*[.!]?\s*$|\s*[:;,.!\u2013\u2014-]+\s*(?<note>\S.*)$)`,
  'isu',
);

/**
 * The guidance in a message that sends the question back: `send it back: use the label Archive`. Empty without
 * guidance; undefined for any other message. The person's words stay as they are.
 */
export function readGuidance(text: string): string | undefined {
  const match = SENT_BACK.exec(text);
  return match ? (match.groups?.['note'] ?? '').trim() : undefined;
}

const NO_GUIDANCE =
  "Nothing was done yet. What should be done instead? Say 'send it back: …' with that, in a sentence.";

/** The effect of a message that sends the open question back. Without guidance the reply asks for it. */
export function readRevision(
  text: string,
): { kind: 'revise'; note: string } | { kind: 'reply'; reply: string; said: 'proposed' } | undefined {
  const note = readGuidance(text);
  if (note === undefined) return undefined;
  return note === '' ? { kind: 'reply', reply: NO_GUIDANCE, said: 'proposed' } : { kind: 'revise', note };
}
