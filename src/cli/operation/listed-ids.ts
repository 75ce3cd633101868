/** Splits a text into ids at commas. An id may be a JSON array, as for a key of several columns, with commas. */
export const listedIds = (text: string): string[] => (text.match(LISTED) ?? []).map((id) => id.trim());

const LISTED = /(?<!\s)\s*\[(?:"(?:\\.|[^"\\])*"|[^"[\]])*\]\s*(?=,|$)|[^,]+/g;
