import { createImapAdapter } from '../../activities/adapters/imap';
import { serverAccount } from '../../activities/adapters/shared/server-account';
import { loadConfig } from '../../src/host/config';
import { failure } from '../helpers/failure';

describe('the configuration', () => {
  const URL = { BATCHGATE_IMAP_URL: 'imaps://imap.mail.example' };
  it.each([
    [{}, 'No mail server is configured.'],
    [URL, 'The mail server is configured only in part.'],
    [{ ...URL, BATCHGATE_IMAP_USER: 'sam' }, 'The mail server is configured only in part.'],
  ])('%j is not enough, and the refusal names the variables', async (env, message) => {
    const adapter = createImapAdapter({ account: () => serverAccount(loadConfig(env), 'imap') });
    const request = { action: 'flag', params: { subject: 'Email' }, explicit_items: false };
    expect(
      await failure(
        adapter.prepare(request, { deadline: Date.now() + 1_000, signal: new AbortController().signal }),
      ),
    ).toMatchObject({
      ...{ code: 'NOT_CONFIGURED', message },
      hint: expect.stringContaining('BATCHGATE_IMAP_PASSWORD') as string,
    });
  });

  it.each([
    'imap.mail.example',
    'http://imap.mail.example',
    'imaps://sam:secret@imap.mail.example',
    'imaps://a/b',
  ])('refuses the address %s', (address) =>
    expect(() => loadConfig({ BATCHGATE_IMAP_URL: address })).toThrow(/BATCHGATE_IMAP_URL: must be/),
  );
});
