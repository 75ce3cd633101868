import { z } from 'zod';
import type { SeenRequest } from '../../src/testing/http-tap';
import { forgetTrello, loginTrello } from '../../activities/adapters/trello/login';
import { loadConfig } from '../../src/host/config';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BOARD, KEY, TOKEN } from '../helpers/trello-world';
import document from './trello-openapi.json';
import { adapter, execute, prepare, tap, trello, useTrello, within } from './trello-setup';

useTrello();

interface Operation {
  operationId: string;
  parameters: { name: string; in: string }[];
  responses: { '200': { content?: { 'application/json': { schema: object } } } };
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path: new RegExp(`^/1${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
    operation,
  })),
);

/**
 * Parameters that the document omits but Trello's guides describe: those for lists of cards, and the fields of members
 * (https://developer.atlassian.com/cloud/trello/guides/rest-api/nested-resources/).
 */
const BY_THE_GUIDES: Record<string, string[]> = {
  'get-boards-id-cards-filter': ['fields', 'limit', 'before'],
  'get-boards-id-members': ['fields'],
};
/** Answers that the document describes only as "Success", although it has schemas for their parts. */
const ANSWERS: Record<string, object> = {
  'get-boards-id-cards-filter': arrayOf('Card'),
  'get-boards-id-labels': arrayOf('Label'),
  'get-boards-id-members': arrayOf('Member'),
  'post-cards-id-idlabels': arrayOf('TrelloID'),
  'post-cards-id-idmembers': arrayOf('Member'),
};
function arrayOf(name: string): object {
  return { type: 'array', items: { $ref: `#/components/schemas/${name}` } };
}

type Json = Record<string, unknown>;

/** Converts a schema of the document to JSON Schema: resolves references, and turns `nullable` into the type null. */
function plain(schema: Json): Json {
  const { $ref, nullable, format: _ofTimesItSaysDate, ...own } = schema;
  const base =
    typeof $ref === 'string' ? plain(document.components.schemas[$ref.split('/').at(-1) as 'Card']) : own;
  const filled = Object.fromEntries(
    Object.entries(base).map(([key, value]) => {
      if (key === 'items') return [key, plain(value as Json)];
      if (key === 'oneOf') return ['anyOf', (value as Json[]).map(plain)];
      if (key !== 'properties') return [key, value];
      return [
        key,
        Object.fromEntries(Object.entries(value as Json).map(([name, it]) => [name, plain(it as Json)])),
      ];
    }),
  );
  return nullable === true ? { anyOf: [filled, { type: 'null' }] } : filled;
}

const seen: { request: SeenRequest; body: string }[] = [];
beforeEach(() => {
  seen.length = 0;
  tap.rule = async (request, forward) => {
    const answer = await forward();
    expect([request.method, request.path, answer.status]).toEqual([request.method, request.path, 200]);
    seen.push({ request, body: answer.body });
    return answer;
  };
});

/** Checks that the document has the operation and parameters of each request, and describes each answer. */
function checkAll(): Set<string> {
  const used = new Set<string>();
  for (const { request, body } of seen) {
    const found = operations.find(({ method, path }) => method === request.method && path.test(request.path));
    expect({ request: `${request.method} ${request.path}`, known: found !== undefined }).toMatchObject({
      known: true,
    });
    const { operationId, parameters, responses } = found!.operation;
    used.add(operationId);
    const sent = [...request.query.keys(), ...Object.keys(JSON.parse(request.body || '{}') as object)];
    const known = [...parameters.map(({ name }) => name), ...(BY_THE_GUIDES[operationId] ?? [])];
    expect(known).toEqual(expect.arrayContaining(sent));
    const schema = responses['200'].content?.['application/json'].schema ?? ANSWERS[operationId];
    if (schema !== undefined)
      z.fromJSONSchema(plain(schema as Json)).parse(JSON.parse(body), { reportInput: true });
  }
  return used;
}

it('sends only what Trello documents, and our server answers as documented', async () => {
  const QUERY = { board: BOARD, list: 'Doing', text: 'fix' };
  const requests: [string, object][] = [
    ['add_label', { label_name: 'Feature' }],
    ['remove_label', { label: 'Feature', label_name: 'Feature' }],
    ['assign', { member: 'ana_d' }],
    ['set_due', { due: '2026-12-24T18:00:00Z' }],
    ['set_due', { due: null }],
    ['move', { target_list: 'Done' }],
  ];
  for (const [action, params] of requests) {
    const context = await prepare(action, { ...QUERY, ...params });
    const items = await adapter().getNextBatch(context, 2, 0, within());
    expect((await execute(items, context)).map(({ success }) => success)).toEqual([true, true]);
    if (action !== 'assign') continue;
    const undo = { ...context, undo: true as const };
    const done = items.map((item) => ({ ...item, raw_data: { undo: { to: item.raw_data ?? {} } } }));
    const frozen = await adapter().freezeItems!(done, undo, within());
    expect((await execute(frozen, undo)).map(({ success }) => success)).toEqual([true, true]);
  }
  const byId = { board: trello.product.id, list: trello.doing.id, label: trello.bug.id };
  await prepare('move', { ...byId, target_list: trello.twinList.id });
  const archived = await prepare('unarchive', { board: BOARD });
  await execute(await adapter().getNextBatch(archived, 2, 0, within()), archived);

  const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-trello-'));
  const config = loadConfig({ BATCHGATE_DATA_DIR: dataDir, BATCHGATE_TRELLO_BASE_URL: tap.url });
  await loginTrello(config, KEY, TOKEN);
  await forgetTrello(config);
  await rm(dataDir, { recursive: true });

  const used = checkAll();
  expect([...used].sort()).toEqual(operations.map(({ operation }) => operation.operationId).sort());
});
