import { BatchgateError } from '../../src/contract/errors';
import { apiError } from './fault-proxy';
import {
  execute,
  failure,
  fresh,
  gmail,
  isWrite,
  labelsOf,
  planned,
  proxy,
  succeeded,
  TOKEN,
  useMailbox,
  within,
} from './gmail-setup';

useMailbox();

describe('credentials', () => {
  test('that were refused once are requested again, with the refused token', async () => {
    const { items, context } = await planned('star', {}, fresh(1));
    proxy.rule = ({ authorization }, forward) =>
      authorization === 'Bearer new' ? forward() : apiError(401, 'authError');
    const asked: unknown[] = [];
    const adapter = gmail((...options: unknown[]) => {
      asked.push(options[0]);
      return Promise.resolve(asked.length === 1 ? 'old' : 'new');
    });
    expect(await adapter.executeBatch(items, context, within())).toEqual(succeeded(items));
    expect(asked.slice(0, 2)).toEqual([undefined, 'old']);
    const id = items[0]?.id;
    expect(proxy.calls).toEqual([`GET ${id}`, `GET ${id}`, 'POST modify']);
  });

  test('that are refused end the whole unchanged batch, and no error contains the token', async () => {
    const change = await planned('star', {}, fresh(2));
    const { items, context } = change;
    proxy.rule = ({ authorization }) => apiError(401, 'authError', `not valid: ${authorization}`);
    for (const work of [
      execute(change),
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
    expect(JSON.stringify(await execute(change))).not.toContain(TOKEN);
  });

  test.each(['insufficientPermissions', 'accessNotConfigured'])(
    'that may not change emails (%s) end the unchanged batch, and are no permanent error of each item',
    async (reason) => {
      const change = await planned('star', {}, fresh(2));
      proxy.rule = (request, forward) => (isWrite(request.path) ? apiError(403, reason) : forward());
      const error = await failure(execute(change));
      expect(error.code).toBe('CREDENTIALS_INVALID');
      expect(error.hint).toContain('gmail.modify');
      expect(await labelsOf(change.items[0]!.id)).not.toContain('STARRED');
    },
  );

  test('that are unavailable end the batch with the error of the login', async () => {
    const { items, context } = await planned('star', {}, fresh(1));
    const told = new BatchgateError('CREDENTIALS_INVALID', 'The login ran out', 'Sign in again.');
    const loggedOut = gmail(() => Promise.reject(told));
    expect(await failure(loggedOut.executeBatch(items, context, within()))).toMatchObject(told.body);
    const broken = gmail(() => Promise.reject(new Error(`no ${TOKEN}`)));
    const error = await failure(broken.executeBatch(items, context, within()));
    expect(error.code).toBe('CREDENTIALS_INVALID');
    expect(error.message).not.toContain(TOKEN);
  });

  test('that expire after an email was changed are an error of the others', async () => {
    const change = await planned('star', {}, fresh(2));
    const [done] = change.items;
    proxy.rule = ({ path }, forward) => (path.includes(done!.id) ? forward() : apiError(401, 'authError'));
    expect(await execute(change)).toMatchObject([{ success: true }, { success: false, retryable: true }]);
  });
});
