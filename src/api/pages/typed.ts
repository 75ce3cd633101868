import { capitalized } from '../../core/shared/plain-text';
import type { Fields } from './forms';
import { html, named, nothing, type Html } from './html';

/** A form that was refused, as it was filled in. */
export interface Typed {
  /** The end of the address that it was sent to. */
  verb: string;
  fields: Fields;
}

const withoutNul = (value: string | null | undefined): string => (value ?? '').replaceAll('\0', '');

/** The value of a field of this form; empty unless this form was refused. */
export const typedIn = (typed: Typed | undefined, verb: string, name: string): string =>
  typed?.verb === verb ? withoutNul(typed.fields.get(name)) : '';

/** The attribute that unfolds a part of a page if text was typed in it. */
export const openIf = (text: string): Html => (text === '' ? nothing : html`open`);

/** The fields that do not contain a person's words. */
const NOT_WORDS =
  /(^|_)(token|id|digest|at|size|zone)$|^(shown|batch|attempt|page|keep|session|question|turn|seconds|later|outcome|passkey|invitation)$/;
const LABELS: Readonly<Record<string, string>> = {
  note: 'Your note',
  reason: 'Your reason',
  text: 'Your message',
  answer: 'Your answer',
};

/** The words of a form that is no longer on the page, so that a person can copy them. */
export function typedWords(fields: Fields, names: readonly string[] = [...new Set(fields.keys())]): Html {
  const words = names
    .filter((name) => !NOT_WORDS.test(name))
    .flatMap((name) => fields.getAll(name).map((value) => ({ name, value: withoutNul(value).trim() })))
    .filter(({ value }) => value !== '');
  if (words.length === 0) return nothing;
  return html`<dl class="typed">
    ${words.map(
      ({ name, value }) =>
        html`<div>
          <dt>${LABELS[name] ?? capitalized(name.replaceAll(/[_.]/g, ' '))}</dt>
          <dd>${named(value, 2_000)}</dd>
        </div>`,
    )}
  </dl>`;
}
