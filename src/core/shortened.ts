/** A text of at most so many characters, the last one a mark where it was longer. Characters, not UTF-16 units. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const characters = [...text.slice(0, 2 * length + 2)];
  if (characters.length <= length) return text;
  return `${characters.slice(0, length - 1).join('')}…`;
}

/** How many characters a text has; an emoji is one, and two UTF-16 units. */
export const characters = (text: string): number => [...text].length;
