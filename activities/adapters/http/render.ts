import { z } from 'zod';
import { firstTryOf } from '../../../src/contract/job-ids';
import type { BulkItem, PreparedBulkContext } from '../../../src/contract/items';
import { MAX_STATE_VALUE_LENGTH, type ItemPreview, type ItemState } from '../../../src/contract/preview';
import { valueText } from '../../../src/core/bulk/change';
import { CANNOT_BE_UNDONE } from '../../../src/core/bulk/preview';
import { digestOf } from '../../../src/core/shared/canonical';
import { hidingSecrets, looksSecret, NOT_SHOWN } from '../../../src/core/shared/plain-secrets';
import {
  namesIn,
  placeholdersIn,
  readTemplate,
  renderJson,
  renderText,
  sourcesIn,
  TemplateError,
  wholePlaceholdersIn,
  withoutTypes,
  withSources,
  type Values,
} from '../../../src/core/shared/template';
import { undoOf } from '../shared/frozen-state';
import { encoded, fillAddress, readAddress } from './address';
import { addressWithoutSecrets, textWithoutSecrets } from './describe';
import { changeOf, undoRequest, type Declared } from './parameters';

/**
 * Returns the values of an item's placeholders. The id and name of the item take precedence over columns of these
 * names.
 */
export function valuesOf(item: BulkItem, context: Pick<PreparedBulkContext, 'undo'>): Values {
  const { id, display_name, raw_data } = item;
  const undo = undoOf(item, context);
  const values = { ...(undo?.to ?? raw_data), id, display_name };
  return undo ? withSources(values, { response: responseIn(undo.kept) }) : values;
}

const responseSchema = z.object({ response: z.record(z.string(), z.unknown()) });

/** Returns the part of the answer that the write of a change stored for its undo. */
export const responseIn = (undoData: unknown): Readonly<Record<string, unknown>> =>
  responseSchema.safeParse(undoData).data?.response ?? {};

/** Returns the part of a request that depends on its item. @throws TemplateError if the item lacks a value for it. */
export function rendered(
  { url, body }: Pick<Declared, 'url' | 'body'>,
  values: Values,
): { url: URL; body?: string } {
  const address = fillAddress(readAddress(url), values);
  return { url: address, ...(body !== undefined && { body: bodyText(body, values) }) };
}

/** Services limit the length of such keys: Stripe, for example, to 255 characters. */
const MAX_KEY_LENGTH = 255;

/**
 * Returns the value of the header by which a server recognises a repeated request. It names the operation that tried
 * the item first, so that a retry has the same value.
 */
export const idempotencyKey = (operationId: string, id: string): string =>
  bounded(`${encoded(firstTryOf(operationId), 'operation')}/${encoded(id, 'id')}`);

/** Shortens a long key, which then ends with a hash of the whole key. */
export function bounded(key: string): string {
  if (key.length <= MAX_KEY_LENGTH) return key;
  const digest = digestOf(key);
  return `${key.slice(0, MAX_KEY_LENGTH - digest.length - 1)}.${digest}`;
}

function bodyText(body: unknown, values: Values): string {
  if (typeof body !== 'string') return JSON.stringify(renderJson(body, values));
  const parsed = readTemplate(body);
  if ('mistake' in parsed) throw new TemplateError(parsed.mistake);
  return renderText(parsed.template, values);
}

/**
 * Returns the request of an item, without secrets, because the item itself cannot be read. A placeholder without a
 * value is its expected error. An undo cannot be undone, because no request is declared for that.
 */
export function previewRequest(item: BulkItem, context: PreparedBulkContext): ItemPreview {
  const change = changeOf(context);
  const request = context.undo ? undoRequest(change) : change;
  const values = valuesOf(item, context);
  const why = request && whyUnfilled(request, values);
  if (context.undo && why !== undefined) return cannotBeUndone(why);
  if (why !== undefined) return { expected_error: why };
  const cannotUndo = context.undo ?? (change.undo && whyUnfilled(change.undo, values) !== undefined);
  return { after: shownRequest(request ?? change, values), ...(cannotUndo && { reversible: 'no' }) };
}

/** Returns the preview of an item that an undo leaves unchanged. */
export const cannotBeUndone = (why: string): ItemPreview => ({
  ...{ reversible: 'no', conflict: `${CANNOT_BE_UNDONE}: ${why}` },
});

/** Returns the reason that an item does not fill in a request, or undefined if it does. */
export function whyUnfilled(request: Pick<Declared, 'url' | 'body'>, values: Values): string | undefined {
  try {
    rendered(request, values);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

/**
 * Returns true if an item fills in a declared undo, and this writes each earlier value exactly. The text of an inexact
 * number is exact in an address and in a text.
 */
export function isUndoneBy(
  undo: Declared,
  state: Readonly<Record<string, unknown>> | null,
  { values, inexact }: { values: Values; inexact: readonly string[] },
): boolean {
  const before = state ?? {};
  if (whyUnfilled(undo, withSources(values, { before })) !== undefined) return false;
  const inexactOf = (placeholders: ReturnType<typeof placeholdersIn>) =>
    placeholders.filter(({ source, name }) => source === 'before' && inexact.includes(name));
  const asJson = typeof undo.body === 'string' ? [] : wholePlaceholdersIn(undo.body);
  return (
    inexactOf(placeholdersIn([undo.url, undo.body])).every(({ name }) => typeof before[name] === 'string') &&
    inexactOf(asJson).every(({ type }) => type === 'text')
  );
}

/**
 * Returns the request for display. Adds the values of its placeholders if the address or the body is too long to be
 * shown.
 */
export function shownRequest(
  { method, url, body }: Pick<Declared, 'method' | 'url' | 'body'>,
  values: Values,
): ItemState {
  const { response, before } = sourcesIn(values);
  const open = withSources(opened(values), {
    ...(response && { response: opened(response) }),
    ...(before && { before: opened(before) }),
  });
  const filled = renderedShown({ url, ...(body !== undefined && { body }) }, open);
  const address = addressWithoutSecrets(filled.url.href).replaceAll(encodeURIComponent(NOT_SHOWN), NOT_SHOWN);
  const text = filled.body === undefined ? undefined : textWithoutSecrets(filled.body);
  const isLong = address.length > MAX_STATE_VALUE_LENGTH || (text ?? '').length > MAX_STATE_VALUE_LENGTH;
  return {
    ...{ method, url: address },
    ...(text !== undefined && { body: text }),
    ...(isLong && filledIn([url, body], open)),
  };
}

/** Hides the values whose names suggest a secret. */
const opened = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      looksSecret(name) ? NOT_SHOWN : hidingSecrets(value),
    ]),
  );

/** Renders a request for display. A hidden value can lack the type that its placeholder declares. */
function renderedShown(request: Pick<Declared, 'url' | 'body'>, open: Values): { url: URL; body?: string } {
  try {
    return rendered(request, open);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return rendered(withoutTypes(request) as typeof request, open);
  }
}

const filledIn = (templates: readonly unknown[], values: Values): ItemState =>
  Object.fromEntries(namesIn(templates).map((name) => [`{{${name}}}`, valueText(values[name])]));
