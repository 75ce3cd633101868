/** Removes the secrets that were sent to a text's author, in any encoding, so that the text may be shown. */
export const redact = (text: string, secrets: readonly string[]): string => redactor(secrets)(text);

/** Redacts each text within a value, including field names. A number that contains a secret becomes a text. */
export function redactAll<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value;
  const redacted = redactor(secrets);
  const walk = (it: unknown): unknown => {
    if (typeof it === 'string') return redacted(it);
    if (typeof it === 'number') return redacted(String(it)) === String(it) ? it : redacted(String(it));
    if (Array.isArray(it)) return it.map(walk);
    if (it === null || typeof it !== 'object') return it;
    return Object.fromEntries(Object.entries(it).map(([name, member]) => [redacted(name), walk(member)]));
  };
  return walk(value) as T;
}

/**
 * Redacts a text that grows, such as a streamed answer. Its end is left out as long as it may become a secret: the first
 * half of a secret would not be recognised.
 */
export function growingRedactor(secrets: readonly string[]): (text: string) => string {
  const redacted = redactor(secrets);
  const forms = [...new Set(secrets.flatMap((secret) => [...writtenForms(secret), ...withinBase64(secret)]))];
  return (text) => {
    const known = redacted(text);
    return known.slice(0, known.length - unfinished(known, forms));
  };
}

/** The length of the longest end of a text with which one of these forms begins. */
function unfinished(text: string, forms: readonly string[]): number {
  const last = text.at(-1);
  let longest = 0;
  for (const form of forms)
    for (let length = Math.min(form.length - 1, text.length); length > longest; length--)
      if (form[length - 1] === last && text.endsWith(form.slice(0, length))) longest = length;
  return longest;
}

function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.flatMap(writtenForms))]
    .filter((form) => form !== '')
    .sort((a, b) => b.length - a.length);
  const encoded = [...new Set(secrets.flatMap(withinBase64))];
  return (text) => {
    const plain = forms.reduce((rest, form) => rest.replaceAll(form, '…'), text);
    return encoded.reduce(withoutEncoded, plain);
  };
}

/** The minimum length of a piece: shorter ones occur in too many words. */
const SHORTEST_PIECE = 6;

/**
 * The pieces of base64 that a secret leaves wherever it stands in a text that is encoded as a whole, such as a header:
 * one for each place of its first byte among three. Characters that hold a part of a neighbour's bits are left out.
 */
function withinBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const pieces = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((before * 8) / 6), whole);
  });
  return pieces
    .filter(({ length }) => length >= SHORTEST_PIECE)
    .flatMap((piece) => [
      piece,
      piece.replaceAll('+', '-').replaceAll('/', '_'),
      ...inAddress(piece),
      ...inJson(piece),
    ]);
}

const OF_BASE64 = /[\w+/=%-]/;

/** Replaces the runs of base64 that contain the piece. */
function withoutEncoded(text: string, piece: string): string {
  let result = '';
  let end = 0;
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, end)) {
    let from = at;
    while (from > end && OF_BASE64.test(text.charAt(from - 1))) from--;
    result += `${text.slice(end, from)}…`;
    end = at + piece.length;
    while (end < text.length && OF_BASE64.test(text.charAt(end))) end++;
  }
  return result + text.slice(end);
}

/** A secret, its base64 and its hexadecimal bytes, each plain, in JSON, and in an address. */
function writtenForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64');
  const hex =
    bytes.length < SHORTEST_PIECE / 2 ? [] : [bytes.toString('hex'), bytes.toString('hex').toUpperCase()];
  const plain = base64.replace(/={1,2}$/, '');
  return [secret, base64, plain, bytes.toString('base64url'), ...hex].flatMap((form) => [
    form,
    ...inJson(form),
    ...inAddress(form),
  ]);
}

/** Escaped by `JSON.stringify`, and by PHP, which also escapes the slash and all non-ASCII characters. */
function inJson(text: string): string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [escaped, ascii].flatMap((form) => [form, form.replaceAll('/', '\\/')]);
}

/** Encoded for a part of an address, for a whole one, and for a form; hexadecimal digits in either case. */
function inAddress(text: string): string[] {
  const wellFormed = Buffer.from(text).toString();
  const forms = [
    encodeURIComponent(wellFormed),
    encodeURI(wellFormed),
    new URLSearchParams({ '': wellFormed }).toString().slice(1),
  ];
  return forms.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())]);
}
