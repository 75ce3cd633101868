import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { useLink } from '../helpers/sign-in';
import { readEvents } from './event-reader';

let harness: Harness;
let http: HttpApi;

beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(10).adapter] });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

const token = (link: string) => link.split('/').at(-1) ?? '';

it('ends the streams of a revoked key, of a person who signed out and of an expired link, and no others', async () => {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const { operation_id } = await harness.start({ session_id: 'streams' });
  const path = `/v1/operations/${operation_id}`;
  const revoked = bearer(await http.key('viewer'));
  const key = (await harness.store.access.listKeys()).at(-1);
  const signedIn = await useLink(await http.api.signInLink({ name: 'Grace', role: 'viewer' }));
  const person = { cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '' };
  const { body: me } = await http.ask('GET', '/v1/me', { key: '', headers: person });
  const { body: link } = await http.ask('POST', `${path}/links`, {
    body: { name: 'Lin', expires_in_seconds: 10 },
  });
  const ending = await Promise.all(
    [
      { url: `${http.url}/v1/events`, headers: revoked },
      { url: `${http.url}${path}/events`, headers: person },
      { url: `${http.url}/gates/events?on=${encodeURIComponent(`link=${token(link.url)}`)}`, headers: {} },
    ].map(async ({ url, headers }) => ({ url, headers, reader: await readEvents(url, headers) })),
  );
  const valid = await readEvents(`${http.url}${path}/events`, bearer(await http.key('viewer')));
  await harness.store.access.revokeKey(key?.key_id ?? '');
  const proof = { 'x-batchgate-form-token': me.form_token, origin: http.url };
  await http.ask('POST', '/v1/sign-out', { key: '', headers: { ...person, ...proof } });
  await Promise.all(ending.map(({ reader }) => reader.over));
  expect(ending.flatMap(({ reader }) => reader.seen).filter(({ event }) => event === 'end')).toEqual([]);
  const again = ending.map(async ({ url, headers }) => (await fetch(url, { headers })).status);
  // One stream is for several links, so it says of each that it is over.
  expect(await Promise.all(again)).toEqual([401, 401, 200]);
  const late = await readEvents(ending[2]?.url ?? '', {});
  await late.over;
  expect(late.seen.map(({ event, data }) => data.event ?? event)).toEqual(['beat', 'state', 'end', 'end']);
  await http.ask('POST', `${path}/cancel`);
  await valid.over;
  expect(valid.seen.at(-1)?.event).toBe('end');
});
