import type { Json, Variables } from '../../contract/macro';
import type { AskInput } from '../../contract/macro-activities';
import type { Meter } from './size';
import { render } from './template';

/** A reference in running text: up to a space or a quote, without the punctuation that ends a sentence. */
const REFERENCE = /(?<!\w)(ref:[^\s"'()<>,;]*[^\s"'()<>,;.:!?])/;

/**
 * A prompt with its templates filled in. A `ref:KEY` that the author wrote becomes a separate part, which only the call
 * replaces with the data. The value of a placeholder is data, even if it looks like a reference.
 * @throws TemplateError
 */
export function promptOf(
  template: string,
  variables: Variables,
  meter: Meter,
): Pick<AskInput, 'prompt' | 'references'> {
  const parts = template.split(REFERENCE);
  if (parts.length === 1) return { prompt: asText(render(template, variables, meter)) };
  // `split` puts a captured separator at every second place.
  const references = parts.flatMap((_, at) => (at % 2 === 1 ? [[at]] : []));
  return { prompt: parts.map((part) => asText(render(part, variables, meter))), references };
}

/** Whether a prompt refers to the scratchpad. */
export const refersIn = (template: string): boolean => REFERENCE.test(template);

/** Formats a value for use within a text. */
export const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The JSON of an answer, without the Markdown fence that many models put around it. */
export function unfenced(text: string): string {
  const lines = text.trim().split('\n');
  const [opening = '', ...rest] = lines.map((line) => line.trim());
  const fenced = ['```', '```json'].includes(opening) && rest.at(-1) === '```';
  return fenced ? lines.slice(1, -1).join('\n') : text;
}
