import { createCaldavAdapter } from '../../activities/adapters/caldav';
import { serverAccount } from '../../activities/adapters/shared/server-account';
import { loadConfig } from '../../src/host/config';
import { failure } from '../helpers/failure';
import { closeWorlds, limits, world } from './caldav-setup';
import { stopRadicale } from './caldav-world';

afterEach(closeWorlds);
afterAll(stopRadicale);

describe('the configuration', () => {
  const URL = { BATCHGATE_CALDAV_URL: 'https://dav.example' };
  it.each([
    [{}, 'No calendar server is configured.'],
    [URL, 'The calendar server is configured only in part.'],
  ])('%j is not enough, and the refusal names the variables', async (env, message) => {
    const adapter = createCaldavAdapter({ account: () => serverAccount(loadConfig(env), 'caldav') });
    const params = { calendar: 'Team', send_updates: 'none', single_events: false };
    expect(
      await failure(adapter.prepare({ action: 'delete', params, explicit_items: false }, limits())),
    ).toMatchObject({
      ...{ code: 'NOT_CONFIGURED', message },
      hint: expect.stringContaining('BATCHGATE_CALDAV_PASSWORD') as string,
    });
  });

  it.each(['dav.example', 'http://dav.example', 'https://sam:secret@dav.example', 'imaps://dav.example'])(
    'refuses the address %s',
    (address) =>
      expect(() => loadConfig({ BATCHGATE_CALDAV_URL: address })).toThrow(/BATCHGATE_CALDAV_URL: must/),
  );

  it('of a server without calendars fails plainly', async () => {
    const { plan, tap } = await world({});
    tap.rule = () => ({ status: 200, body: '<html></html>', headers: { 'content-type': 'text/html' } });
    expect(await failure(plan('delete'))).toMatchObject({ code: 'ADAPTER_UNAVAILABLE' });
  });
});
