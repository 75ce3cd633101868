import type { BulkItem, BulkResult } from '../../src/contract/items';
import { BatchgateError } from '../../src/contract/errors';
import { apiError } from './fault-proxy';
import { failure, fresh, gmail, labelsOf, prepared, proxy, TOKEN, useMailbox, within } from './gmail-setup';

useMailbox();

const execute = (items: BulkItem[], context: Awaited<ReturnType<typeof prepared>>) =>
  gmail().executeBatch(items, context, within());
const succeeded = (items: BulkItem[]): BulkResult[] =>
  items.map(({ id }) => ({ item_id: id, success: true }));
const isWrite = (path: string) => /\/(batchModify|modify)$/.test(path);

describe('credentials', () => {
  test('that were refused once are requested again, with the refused token', async () => {
    const items = fresh(1);
    const context = await prepared('star');
    proxy.rule = ({ authorization }, forward) =>
      authorization === 'Bearer new' ? forward() : apiError(401, 'authError');
    const asked: unknown[] = [];
    const adapter = gmail((...options: unknown[]) => {
      asked.push(options[0]);
      return Promise.resolve(asked.length === 1 ? 'old' : 'new');
    });
    expect(await adapter.executeBatch(items, context, within())).toEqual(succeeded(items));
    expect(asked.slice(0, 2)).toEqual([undefined, 'old']);
    expect(proxy.calls).toEqual(['GET profile', 'GET profile', 'POST batchModify', 'GET history']);
  });

  test('that are refused end the whole unchanged batch, and no error contains the token', async () => {
    const items = fresh(2);
    const context = await prepared('star');
    proxy.rule = ({ authorization }) => apiError(401, 'authError', `not valid: ${authorization}`);
    for (const work of [
      execute(items, context),
      gmail().prepare({ action: 'label', params: { label_name: 'x' }, explicit_items: true }, within()),
      gmail().getTotalCount({ ...context, query_params: { query: 'x' } }, within()),
    ]) {
      const error = await failure(work);
      expect(error.code).toBe('CREDENTIALS_INVALID');
      expect(error.hint).toContain('batchgate login google');
      expect(JSON.stringify(error) + String(error.stack) + String(error.cause)).not.toContain(TOKEN);
    }
    expect(await labelsOf(items[0]!.id)).not.toContain('STARRED');
    proxy.rule = ({ authorization }) => apiError(403, 'forbidden', `not valid: ${authorization}`);
    expect(JSON.stringify(await execute(items, context))).not.toContain(TOKEN);
  });

  test.each(['insufficientPermissions', 'accessNotConfigured'])(
    'that may not change emails (%s) end the unchanged batch, and are no permanent error of each item',
    async (reason) => {
      const items = fresh(2);
      const context = await prepared('star');
      proxy.rule = (request, forward) => (isWrite(request.path) ? apiError(403, reason) : forward());
      const error = await failure(execute(items, context));
      expect(error.code).toBe('CREDENTIALS_INVALID');
      expect(error.hint).toContain('gmail.modify');
      expect(proxy.calls).toEqual(['GET profile', 'POST batchModify']);
      expect(await labelsOf(items[0]!.id)).not.toContain('STARRED');
    },
  );

  test('that are unavailable end the batch with the error of the login', async () => {
    const items = fresh(1);
    const context = await prepared('star');
    const told = new BatchgateError('CREDENTIALS_INVALID', 'The login ran out', 'Sign in again.');
    const loggedOut = gmail(() => Promise.reject(told));
    expect(await failure(loggedOut.executeBatch(items, context, within()))).toMatchObject(told.body);
    const broken = gmail(() => Promise.reject(new Error(`no ${TOKEN}`)));
    const error = await failure(broken.executeBatch(items, context, within()));
    expect(error.code).toBe('CREDENTIALS_INVALID');
    expect(error.message).not.toContain(TOKEN);
  });

  test('that expire after the write leave the outcome unknown', async () => {
    const items = fresh(2);
    const context = await prepared('star');
    proxy.rule = (request, forward) =>
      isWrite(request.path) || request.path.endsWith('profile') ? forward() : apiError(401, 'authError');
    expect(await execute(items, context)).toMatchObject([
      { outcome_unknown: true },
      { outcome_unknown: true },
    ]);
  });
});
