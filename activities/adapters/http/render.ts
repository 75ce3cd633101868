import type { BatchCall } from '../../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../../src/contract/items';
import { MAX_STATE_VALUE_LENGTH, type ItemPreview, type ItemState } from '../../../src/contract/preview';
import { valueText } from '../../../src/core/bulk/change';
import { hidingSecrets, looksSecret, NOT_SHOWN } from '../../../src/core/shared/plain-secrets';
import {
  namesIn,
  readTemplate,
  renderJson,
  renderText,
  TemplateError,
  withoutTypes,
  type Values,
} from '../../../src/core/shared/template';
import { undoOf } from '../shared/frozen-state';
import { encoded, fillAddress, readAddress } from './address';
import { addressWithoutSecrets, textWithoutSecrets } from './describe';
import { requestOf, type RequestChange } from './parameters';

/** The values of an item's placeholders. Its own id and name take precedence over columns of these names. */
export function valuesOf(item: BulkItem, context: Pick<PreparedBulkContext, 'undo'>): Values {
  const { id, display_name, raw_data } = item;
  return { ...(undoOf(item, context)?.to ?? raw_data), id, display_name };
}

/** The part of a request that depends on its item. @throws TemplateError if the item does not fill it in. */
export function rendered(
  { url, body }: Pick<RequestChange, 'url' | 'body'>,
  values: Values,
): { url: URL; body?: string } {
  const address = fillAddress(readAddress(url), values);
  return { url: address, ...(body !== undefined && { body: bodyText(body, values) }) };
}

/** The value of the header by which a server recognises a repetition. */
export const idempotencyKey = ({ operation_id }: Pick<BatchCall, 'operation_id'>, item: BulkItem): string =>
  `${encoded(operation_id, 'operation')}/${encoded(item.id, 'id')}`;

function bodyText(body: unknown, values: Values): string {
  if (typeof body !== 'string') return JSON.stringify(renderJson(body, values));
  const read = readTemplate(body);
  if ('mistake' in read) throw new TemplateError(read.mistake);
  return renderText(read.template, values);
}

/**
 * The request of an item, without secrets: nothing is known about the item itself. A placeholder that the item does not
 * fill in is its expected error. No request is declared that redoes what an undo took back.
 */
export function previewRequest(item: BulkItem, context: PreparedBulkContext): ItemPreview {
  const change = requestOf(context);
  const values = valuesOf(item, context);
  const why = whyUnfilled(change, values);
  if (why !== undefined) return { expected_error: why, ...(context.undo && { reversible: 'no' }) };
  const { undo } = change;
  const cannotUndo = context.undo ?? (undo && whyUnfilled(undo, values) !== undefined);
  return { after: shownRequest(change, values), ...(cannotUndo && { reversible: 'no' }) };
}

/** Why an item does not fill in a request; undefined if it does. */
function whyUnfilled(request: Pick<RequestChange, 'url' | 'body'>, values: Values): string | undefined {
  try {
    rendered(request, values);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

/** If the address or the body is too long to be shown whole, the values of its placeholders follow. */
function shownRequest({ method, url, body }: RequestChange, values: Values): ItemState {
  const open: Values = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      looksSecret(name) ? NOT_SHOWN : hidingSecrets(value),
    ]),
  );
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

/** A hidden value may not have the type that its placeholder declares. */
function renderedShown(
  request: Pick<RequestChange, 'url' | 'body'>,
  open: Values,
): { url: URL; body?: string } {
  try {
    return rendered(request, open);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return rendered(withoutTypes(request) as typeof request, open);
  }
}

const filledIn = (templates: readonly unknown[], values: Values): ItemState =>
  Object.fromEntries(namesIn(templates).map((name) => [`{{${name}}}`, valueText(values[name])]));
