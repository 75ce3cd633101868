/** A text that may be shown: without the secrets that were sent to its author, in any encoding. */
export const redact = (text: string, secrets: readonly string[]): string => redactor(secrets)(text);

/** The same for each text within a value, including field names. A number that contains a secret becomes a text. */
export function redactAll<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value;
  const shown = redactor(secrets);
  const walk = (it: unknown): unknown => {
    if (typeof it === 'string') return shown(it);
    if (typeof it === 'number') return shown(String(it)) === String(it) ? it : shown(String(it));
    if (Array.isArray(it)) return it.map(walk);
    if (it === null || typeof it !== 'object') return it;
    return Object.fromEntries(Object.entries(it).map(([name, member]) => [shown(name), walk(member)]));
  };
  return walk(value) as T;
}

function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.flatMap(writtenForms))]
    .filter((form) => form !== '')
    .sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, '…'), text);
}

/** A secret and its base64, each plain, in JSON, and in an address. */
function writtenForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64');
  return [secret, base64, base64.replace(/=+$/, ''), bytes.toString('base64url')].flatMap((form) => [
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
