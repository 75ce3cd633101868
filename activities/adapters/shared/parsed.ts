/** Returns the result of a parser, or undefined if the parser throws. */
function parsed<T>(parse: (text: string) => T, text: string): T | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

export const jsonIn = (text: string): unknown => parsed<unknown>(JSON.parse, text);
export const decoded = (text: string): string | undefined => parsed(decodeURIComponent, text);
