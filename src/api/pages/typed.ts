import { capitalized } from '../../core/shared/plain-text';
import type { Fields } from './forms';
import { html, named, nothing, type Html } from './html';

/** A form that was refused, as it was filled in. */
export interface Typed {
  /** The end of the address that it was sent to. */
  verb: string;
  fields: Fields;
}

const kept = (value: string | null | undefined): string => (value ?? '').replaceAll('\0', '');

/** What a field of this form held; empty unless this form was refused. */
export const typedIn = (typed: Typed | undefined, verb: string, name: string): string =>
  typed?.verb === verb ? kept(typed.fields.get(name)) : '';

/** A part of a page that is folded, unless something was typed in it. */
export const openIf = (text: string): Html => (text === '' ? nothing : html`open`);

/** The fields that no person fills in with words. */
const NOT_WORDS =
  /(^|_)(token|id|digest|at|size|zone)$|^(shown|batch|attempt|page|keep|session|question|turn|seconds|later|outcome|passkey|invitation)$/;
const LABELS: Readonly<Record<string, string>> = {
  note: 'Your note',
  reason: 'Your reason',
  text: 'Your message',
  answer: 'Your answer',
};

/** The words of a form that has no place on the page any more, so that a person can take them elsewhere. */
export function typedWords(fields: Fields, names: readonly string[] = [...new Set(fields.keys())]): Html {
  const words = names
    .filter((name) => !NOT_WORDS.test(name))
    .flatMap((name) => fields.getAll(name).map((value) => ({ name, value: kept(value).trim() })))
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
