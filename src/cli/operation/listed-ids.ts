/** Ids in a text, separated by commas. An id that is a JSON array, as the key of several columns, has commas of its own. */
export const listedIds = (text: string): string[] => (text.match(LISTED) ?? []).map((id) => id.trim());

const LISTED = /(?<!\s)\s*\[(?:"(?:\\.|[^"\\])*"|[^"[\]])*\]\s*(?=,|$)|[^,]+/g;
