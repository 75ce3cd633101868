import type { Change } from '../../contract/change';

/** An edit that a message requests: the value as the person wrote it, and the words that identify its parameter. */
export interface EditWish {
  value: string;
  /** The parameter in the person's words; it must be one of the change. */
  name?: string;
  /** The verb, which may name the parameter: "label it Archive instead". */
  verb?: string;
  /** The value that the person rejects: "label it Archive, not Later". */
  against?: string;
}

const LEAD = String.raw`(?:(?:please|no|nope|ok|okay|sorry|well|actually|rather|wait|hmm|(?:can|could|would) you|i (?:want(?: you)?|would like(?: you)?|meant|said) to|i'd (?:like(?: you)?|rather|prefer) to|let'?s)\b[,.:!]?\s+)*`;
const THEM = '(?:it|them|these|those|this|that|each|all|all of (?:it|them)|everything)';
const VALUE = String.raw`(?<value>"[^"]+"|“[^”]+”|'[^']+'|\S(?:.*?\S)?)`;
const INSTEAD = String.raw`,?\s+(?:instead(?: of .+)?|(?:(?:and )?not|rather than) (?<against>.+))`;
/** Something more is asked for: an edit confirms nothing, so this is left to the next answer. */
const MORE = String.raw`(?:,?\s+(?:and|then)(?: then)? (?:continue|proceed|go (?:on|ahead)|carry on|run (?:it|them)|start))?`;
const END = String.raw`(?:,?\s+(?:please|thanks))?\s*[.!?]*\s*$`;

const FORMS = [
  String.raw`(?:set|change|edit|switch)\s+(?:the\s+)?(?!${THEM}\s)(?<name>[\p{L}_][\p{L}\p{N}_ ]{0,60}?)\s*(?:=|:|\s(?:to|as|into)\s)\s*${VALUE}(?:${INSTEAD})?`,
  String.raw`instead,?\s+(?<verb>[\p{L}]+)\s+${THEM}\s+(?:(?:as|to|into|in|with|under|for|by)\s+)?${VALUE}`,
  String.raw`(?<verb>[\p{L}]+)\s+${THEM}\s+(?:(?:as|to|into|in|with|under|for|by)\s+)?${VALUE}${INSTEAD}`,
  String.raw`(?<verb>use|take|choose|pick)\s+(?:the\s+)?${VALUE}${INSTEAD}`,
].map((form) => new RegExp(`^\\s*${LEAD}${form}${MORE}${END}`, 'isu'));

/** Words for a part of the batch, and not for a value. */
const OF_ITEMS =
  /^(?:only|just|all|both|none|half|every\p{L}*|(?:the )?(?:first|last|next|rest|others?)|[0-9]+)(?:\s|$)/iu;
/** Verbs that choose a value of any change. */
const CHOOSING = /^(?:use|take|choose|pick|make|put|set)$/i;
/** The maximum length of an edit in UTF-16 units. The patterns are not tried on longer messages. */
const MAX_LENGTH = 300;

/** Reads a message that names another value for the change: `label it Archive instead`; undefined for any other one. */
export function readEdit(text: string): EditWish | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  for (const form of FORMS) {
    const { value, name, verb, against } = form.exec(text)?.groups ?? {};
    if (value === undefined || unquoted(value) === '') continue;
    return {
      value: unquoted(value),
      ...(name !== undefined && { name }),
      ...(verb !== undefined && { verb }),
      ...(against !== undefined && { against: unquoted(against) }),
    };
  }
  return undefined;
}

const unquoted = (words: string): string => words.replace(/^["“'](.*)["”']$/s, '$1').trim();

/** A text or a number of a change, and where it is in its parameters. */
interface Leaf {
  path: [string] | [string, string];
  value: string | number;
}

/**
 * The parameters of a requested edit, if it is clear which one is meant: the one that the message names, or the only
 * one whose value the question shows. Nothing else is guessed; the person is asked about the new change in any case.
 */
export function wishedEdit(
  { value, name, verb, against }: EditWish,
  params: Readonly<Record<string, unknown>>,
  { action, change }: { action: string; change: Change },
): Record<string, unknown> | undefined {
  const isNow = (leaf: Leaf) =>
    against === undefined || String(leaf.value).toLowerCase() === against.toLowerCase();
  const leaves = leavesOf(params).filter(isNow);
  const leavesNamed = (words: string) => leaves.filter(({ path }) => isCalled(path.at(-1) ?? '', words));
  if (name !== undefined) return only(leavesNamed(name), value, params);
  const itself = only(leavesNamed(verb ?? ''), value, params);
  if (itself) return itself;
  if (verb === undefined || !(CHOOSING.test(verb) || isCalled(action, verb))) return undefined;
  const [first = '', ...rest] = value.split(/\s+/);
  const visible = leaves.filter((leaf) => isShown(leaf, change));
  return (
    (rest.length > 0 ? only(leavesNamed(first), rest.join(' '), params) : undefined) ??
    only(visible, value, params) ??
    only(leaves, value, params)
  );
}

function leavesOf(params: Readonly<Record<string, unknown>>): Leaf[] {
  return Object.entries(params).flatMap(([name, value]): Leaf[] => {
    if (isPlain(value)) return [{ path: [name], value }];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    return Object.entries(value).flatMap(([key, inner]) =>
      isPlain(inner) ? [{ path: [name, key] as [string, string], value: inner }] : [],
    );
  });
}

const isPlain = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** `label_name` is called "label", "label name" and "label_name". */
function isCalled(parameter: string, words: string): boolean {
  const parts = parameter.toLowerCase().split(/[\s_]+/);
  const names = words.toLowerCase().split(/[\s_]+/);
  return names.every((word) => parts.includes(word));
}

const isShown = ({ value }: Leaf, { summary, fields }: Change): boolean =>
  fields.some(({ to }) => to === String(value)) || summary.includes(`“${value}”`);

/** Sets the only leaf; a number stays a number. */
function only(
  leaves: readonly Leaf[],
  value: string,
  params: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const [leaf, another] = leaves;
  if (!leaf || another) return undefined;
  const number = /^[+-]?\d+(?:\.\d+)?(?=\s+\p{L}+$|$)/u.exec(value)?.[0];
  if (typeof leaf.value === 'number' ? number === undefined : OF_ITEMS.test(value)) return undefined;
  const newValue = typeof leaf.value === 'number' ? Number(number) : value;
  const [name, key] = leaf.path;
  return { [name]: key === undefined ? newValue : { ...(params[name] as object), [key]: newValue } };
}
