import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AdapterDescription } from '../../contract/adapter';
import { BatchgateError } from '../../contract/errors';
import type { BulkOperationInput } from '../../contract/operation';
import { approverNameSchema } from '../../contract/policy';
import { rowsOfSchema } from '../../core/approval/row-form';
import { fieldsOfSchema, valuesOf, type FieldMistake } from '../../core/approval/schema-form';
import { sentences } from '../../core/shared/plain-text';
import { ITEM_FILE_ENDINGS, itemReader, type ItemList } from '../../host/items/item-list';
import { itemsToPaste, pastedItems, textToPaste, withLineFeeds } from '../../host/items/pasted-items';
import { mistakeText, UnfitFile } from '../../host/tables/mistake';
import type { ApiContext } from '../context';
import { readSizes, SIZES_FIELD } from './batch-sizes';
import { zoneOf, type Filled, type ShownField } from './fields';
import { fieldsOf, text, uploadOf, type Fields } from './forms';
import { inOrder, mistakesOf } from './mistakes';
import { isGiven, ownerOf, readAllRows, withCells } from './rows';
import { ASKING_FIELDS, itemsSentBack } from './start-again';
import { parameterWords } from './vocabulary';

/** An action with the fields of its form. */
export interface StartAction {
  adapter: AdapterDescription;
  action: AdapterDescription['actions'][number];
  /** The fields of its parameters. */
  parameters: ShownField[];
  /** The fields that only search for items. They stay empty if items are listed. */
  searching: ReadonlySet<string>;
  /** The fields that every action has. */
  own: ShownField[];
  /** All fields, in the order of the page. */
  fields: ShownField[];
}

/** A form as it was sent. */
export interface SentForm extends Filled {
  /** The list, if it can be parsed. */
  list?: ItemList;
  /** Undefined if there are mistakes. */
  input?: BulkOperationInput;
}

export const LIST = 'items';
export const LIST_FILE = 'items_file';
/** A hash of the list that a file put into the form: another file may replace it, but no text that was typed. */
export const LIST_DIGEST = 'items_digest';
/** The maximum number of items of a server without limits: as many as a plan can have. */
const MOST_ITEMS = 26_000;
const SHOWN_MISTAKES = 10;

/** @throws BatchgateError `NOT_FOUND` for an action that no adapter has. */
export function startAction(
  adapters: readonly AdapterDescription[],
  route: { domain: string; action: string },
  { limits }: Pick<ApiContext, 'limits'>,
): StartAction {
  const adapter = adapters.find((candidate) => candidate.adapter === route.domain);
  const action = adapter?.actions.find((candidate) => candidate.action === route.action);
  if (!adapter || !action) {
    const message = `There is no action ${route.action} on ${route.domain}.`;
    throw new BatchgateError('NOT_FOUND', message, 'Choose one on the page Start.');
  }
  const all = fieldsOfSchema(action.params);
  const needed = new Map(fieldsOfSchema(action.params_with_items).map((field) => [field.name, field]));
  const parameters = all.map((field): ShownField => {
    const { label, hint, values } = parameterWords(adapter.adapter, field.name) ?? {};
    const { hint: ownHint, ...rest } = field;
    const shownHint = label === undefined ? ownHint : hint;
    return {
      ...rest,
      ...(label !== undefined && { label }),
      ...(shownHint !== undefined && { hint: shownHint }),
      values,
      rows: field.kind === 'json' ? rowsIn(adapter.adapter, action.params, field.name) : undefined,
      required: field.required && needed.has(field.name),
      alternative: field.required && !needed.has(field.name),
    };
  });
  const searching = new Set(all.flatMap(({ name }) => (needed.has(name) ? [] : [name])));
  const list: ShownField = { name: LIST, label: 'The list', kind: 'text', required: false };
  const own = ownFields(limits);
  return { adapter, action, parameters, searching, own, fields: [...parameters, list, ...own] };
}

/** The rows of a field, with the words for their cells. */
function rowsIn(domain: string, params: unknown, name: string): ShownField['rows'] {
  const shape = rowsOfSchema(propertyOf(params, name));
  const cells = shape?.cells.map((cell): ShownField => ({
    ...cell,
    ...parameterWords(domain, `${name}.${cell.name}`),
  }));
  return shape && cells && { ...shape, cells };
}

/** The schema of one field. */
const propertyOf = (schema: unknown, name: string): unknown =>
  name
    .split('.')
    .reduce(
      (at, key) => (at as { properties?: Record<string, unknown> } | undefined)?.properties?.[key],
      schema,
    );

const ownFields = (limits: ApiContext['limits']): ShownField[] => [
  {
    ...({ name: 'batch_size', label: 'Items per batch', kind: 'whole', required: false } as const),
    hint: 'If you leave it empty, 10.',
    minimum: limits?.min_batch_size ?? 1,
    ...(limits && { maximum: limits.max_batch_size }),
  },
  {
    ...({ name: 'session_id', label: 'Session', kind: 'text', required: false, max_length: 150 } as const),
    hint: 'One operation at a time runs in a session.',
  },
  SIZES_FIELD,
  {
    ...({ name: 'approvers', label: 'Who may approve', kind: 'list', required: false } as const),
    hint: 'Only these, among those whom the policy names: person:NAME, group:NAME or role:NAME.',
  },
  ...ASKING_FIELDS,
];

/** Parses a form, and checks everything that can be checked before an operation starts. */
export async function readStartForm(
  context: ApiContext,
  start: StartAction,
  request: FastifyRequest,
): Promise<SentForm> {
  const { limits, refusedParams } = context;
  const { adapter, action, parameters, searching, fields: all } = start;
  const fields = new URLSearchParams(fieldsOf(request));
  const unstorable = withoutNul(fields, withCells(all, fields));
  if (unstorable.length > 0) return { fields, mistakes: unstorable };
  const listed = await readList(request, fields, limits?.max_total_items ?? MOST_ITEMS);
  const isListed = listed.list !== undefined || listed.mistakes.length > 0;
  const sentBack = await itemsSentBack(context, start, isListed ? new URLSearchParams() : fields);
  const hasList = isListed || sentBack.items !== undefined;
  const valueIn = (name: string) => text(fields, name);
  const relevant = hasList ? parameters.filter(({ name }) => !searching.has(name)) : parameters;
  const zone = zoneOf(fields);
  const { values: params, mistakes: unfit } = valuesOf(relevant, valueIn, zone);
  unfit.push(...readAllRows(relevant, fields, zone, params));
  const own = valuesOf(
    start.own.filter((field) => field !== SIZES_FIELD),
    valueIn,
    zone,
  );
  const sizes = readSizes(valueIn, limits);
  const both = hasList
    ? parameters.filter((field) => searching.has(field.name) && isGiven(field, fields))
    : [];
  const mistakes: FieldMistake[] = [
    ...unfit,
    ...own.mistakes,
    ...unfitApprovers(own.values['approvers']),
    ...sizes.mistakes,
    ...listed.mistakes,
    ...sentBack.mistakes,
    ...both.map(({ name }) => ({ name, message: searchAndList(adapter.item_noun.many) })),
  ];
  const refused = await refusedParams({
    domain: adapter.adapter,
    action: action.action,
    params,
    explicit_items: hasList,
  });
  const refusals = mistakesOf(refused, params, withCells(relevant, fields));
  // Rows with a mistake have no value. Do not report the missing value as well.
  const reported = new Set(mistakes.map(({ name }) => ownerOf(name, relevant)));
  mistakes.push(...refusals.filter(({ name }) => !reported.has(ownerOf(name, relevant))));
  const { list } = listed;
  const form = { fields, mistakes: inOrder(mistakes, withCells(all, fields)), ...(list && { list }) };
  if (mistakes.length > 0) return form;
  const input = {
    ...{ domain: adapter.adapter, action: action.action, params },
    ...(hasList && { items: list?.items ?? sentBack.items }),
    ...own.values,
    ...sizes.values,
  };
  return { ...form, input };
}

/** The names of approvers that the contract of operations does not accept. */
function unfitApprovers(names: unknown): FieldMistake[] {
  const { error } = z.array(approverNameSchema).optional().safeParse(names);
  return (error?.issues ?? []).map(({ message }) => ({ name: 'approvers', message }));
}

/** Removes NUL characters, which no database stores and no page shows. Returns the fields that had one. */
function withoutNul(fields: Fields, all: readonly ShownField[]): FieldMistake[] {
  return all.flatMap(({ name }) => {
    const value = fields.get(name);
    if (!value?.includes('\0')) return [];
    fields.set(name, value.replaceAll('\0', ''));
    return [{ name, message: 'It contained a character that cannot be kept. Check what is left of it.' }];
  });
}

const searchAndList = (many: string) =>
  `Leave this empty, or empty the list: an operation takes the ${many} of a search or those of a list, not both.`;

interface ReadList {
  list?: ItemList;
  mistakes: FieldMistake[];
}

/** Parses the pasted list or the chosen file. The list of a file stays in the form, as if it was pasted. */
async function readList(request: FastifyRequest, fields: Fields, limit: number): Promise<ReadList> {
  const upload = uploadOf(request, LIST_FILE);
  const refuse = (...messages: string[]): ReadList => ({
    mistakes: messages.map((message) => ({ name: LIST, message })),
  });
  // Do not trim: a blank at the end may belong to an id.
  const pasted = withLineFeeds(fields.get(LIST) ?? '');
  const isPasted = pasted.trim() !== '';
  if (upload && isPasted && digestOf(pasted) !== fields.get(LIST_DIGEST)) return refuse(BOTH);
  try {
    if (!upload)
      return isPasted ? checked(await pastedItems(pasted, limit), limit, refuse) : { mistakes: [] };
    fillList(fields, '');
    const reader = itemReader(upload.name);
    if (!reader)
      return refuse(`The name of the file ends in none of ${ITEM_FILE_ENDINGS.slice(0, -1).join(', ')}.`);
    const source = textToPaste(upload.bytes);
    fillList(fields, source?.text ?? '');
    const { list, text: ownText } = await itemsToPaste(upload.bytes, source, { reader, limit });
    fillList(fields, ownText);
    return checked(list, limit, refuse);
  } catch (error) {
    if (!(error instanceof UnfitFile)) throw error;
    const lines = error.mistakes
      .slice(0, SHOWN_MISTAKES)
      .map((mistake) => sentences(inWords(mistakeText(mistake)), mistake.hint));
    const more = error.mistakes.length - lines.length;
    return refuse(...lines, ...(more > 0 ? [`There are ${more} more mistakes.`] : []));
  }
}

const BOTH =
  'The form has a list and a file, and an operation takes one of them. Empty the list, or send the form without the file.';

/** Puts the list of a file into the form. No field keeps a NUL character. */
function fillList(fields: Fields, list: string): void {
  const value = list.includes('\0') ? '' : list;
  fields.set(LIST, value);
  fields.set(LIST_DIGEST, digestOf(value));
}

const digestOf = (list: string): string => createHash('sha256').update(list).digest('hex');

const inWords = (mistake: string) => mistake.replace(/^l/, 'L');

function checked(list: ItemList, limit: number, refuse: (message: string) => ReadList): ReadList {
  const total = list.items.length + list.beyond;
  if (total > limit)
    return refuse(`The list has ${total} items, and one operation takes at most ${limit}. Split the list.`);
  if (total === 0) return refuse('The list has no items. Write one on each line below the header.');
  return { list, mistakes: [] };
}
