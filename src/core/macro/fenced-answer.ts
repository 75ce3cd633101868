/** The JSON of an answer, without the Markdown fence that many models put around it. */
export function unfenced(text: string): string {
  const lines = text.trim().split('\n');
  const [opening = '', ...rest] = lines.map((line) => line.trim());
  const fenced = ['```', '```json'].includes(opening) && rest.at(-1) === '```';
  return fenced ? lines.slice(1, -1).join('\n') : text;
}
