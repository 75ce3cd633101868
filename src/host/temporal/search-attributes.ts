import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { BatchgateError } from '../../contract/errors';
import { SEARCH_ATTRIBUTES } from '../../contract/messages';
import { GRPC, hasGrpcCode, reasonOf } from './failure';

/** temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD */
const KEYWORD = 2;
const REGISTER_MS = 15_000;
const NAMES: readonly string[] = Object.values(SEARCH_ATTRIBUTES);

/** Our search attributes by name, with their types for the operator service. */
export const attributeTypes = (names = NAMES): Record<string, number> =>
  Object.fromEntries(names.map((name) => [name, KEYWORD]));

/** A connection of a client or a worker. */
type Operator = Pick<Connection, 'operatorService'>;

/**
 * Registers our search attributes where they are missing: an unregistered one makes every workflow task fail, for ever.
 * @throws BatchgateError `NOT_CONFIGURED` when some are missing and cannot be registered with these permissions.
 */
export async function ensureSearchAttributes(connection: Operator, namespace: string): Promise<void> {
  const deadline = Date.now() + REGISTER_MS;
  for (;;) {
    const reason = await register(connection, namespace);
    if (reason === undefined) return;
    if (Date.now() >= deadline) throw notConfigured(namespace, reason);
    // Another process may be registering them, too, and new ones appear with a delay.
    await pause(100);
  }
}

/** Our search attributes that are missing, and those of another type. Changes nothing. */
export async function lookUpSearchAttributes(
  { operatorService }: Operator,
  namespace: string,
): Promise<{ all: readonly string[]; missing: string[]; mistyped: string[] }> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const [missing, present] = [
    NAMES.filter((name) => customAttributes[name] === undefined),
    NAMES.filter((name) => customAttributes[name] !== undefined),
  ];
  return {
    all: NAMES,
    missing,
    mistyped: present.filter((name) => Number(customAttributes[name]) !== KEYWORD),
  };
}

/** Makes one attempt. Returns the reason if some attributes are still missing. */
async function register(connection: Operator, namespace: string): Promise<string | undefined> {
  try {
    const { missing, mistyped } = await lookUpSearchAttributes(connection, namespace);
    if (mistyped[0] !== undefined) throw notConfigured(namespace, `${mistyped[0]} is not a Keyword`);
    if (missing.length === 0) return undefined;
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: attributeTypes(missing),
    });
    return `${missing.join(', ')} not visible yet`;
  } catch (error) {
    if (error instanceof BatchgateError) throw error;
    const reason = reasonOf(error);
    if (hasGrpcCode(error, GRPC.permissionDenied, GRPC.unauthenticated, GRPC.unimplemented)) {
      throw notConfigured(namespace, reason);
    }
    return reason;
  }
}

/** The command that registers them. */
export function registration(namespace: string, names = NAMES): string {
  const attributes = names.map((name) => `--name ${name} --type Keyword`);
  return `temporal operator search-attribute create --namespace ${namespace} ${attributes.join(' ')}`;
}

function notConfigured(namespace: string, reason: string): BatchgateError {
  return new BatchgateError(
    'NOT_CONFIGURED',
    `The search attributes ${NAMES.join(', ')} are not registered in the namespace ${namespace}: ${reason}`,
    `Have an administrator of the namespace register them: ${registration(namespace)}`,
  );
}
