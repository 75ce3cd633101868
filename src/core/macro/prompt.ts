import type { Json, Variables } from '../../contract/macro';
import type { AskInput } from '../../contract/macro-activities';
import type { Meter } from './size';
import { render } from './template';

/** As it stands in running text: up to a blank or a quote, without the punctuation that ends a sentence. */
const REFERENCE = /(?<!\w)(ref:[^\s"'()<>,;]*[^\s"'()<>,;.:!?])/;

/**
 * A prompt with its templates filled in. What the author wrote as `ref:KEY` becomes a part of its own, which only the
 * call replaces by the data; what a placeholder brings in is data, also where it reads so.
 * @throws TemplateError
 */
export function promptOf(
  template: string,
  variables: Variables,
  meter: Meter,
): Pick<AskInput, 'prompt' | 'references'> {
  const parts = template.split(REFERENCE);
  if (parts.length === 1) return { prompt: asText(render(template, variables, meter)) };
  // A separator that is captured stands at every second place.
  const references = parts.flatMap((_, at) => (at % 2 === 1 ? [[at]] : []));
  return { prompt: parts.map((part) => asText(render(part, variables, meter))), references };
}

/** Whether a prompt refers to the scratchpad. */
export const refersIn = (template: string): boolean => REFERENCE.test(template);

/** A value as it reads within a text. */
export const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
