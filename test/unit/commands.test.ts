import { createHash } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { startApi, type RunningApi } from '../../src/api/server';
import { COMMANDS } from '../../src/commands';
import { fieldsOf } from '../../src/commands/command';
import { PERMISSIONS } from '../../src/commands/permissions';
import { bulkOperationInputSchema } from '../../src/contract/operation';
import { taskRunInputSchema } from '../../src/contract/task-run';
import { TOOLS } from '../../src/mcp/tools';
import { createTools } from '../../src/worker/tools';
import { accessInMemory } from '../helpers/access-in-memory';

type Described = { description?: string; properties?: Record<string, Described>; items?: Described } & {
  anyOf?: Described[];
};
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: { name: string; in: string; description?: string }[];
  requestBody?: { content: Record<string, { schema: Described }> };
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

/** Nothing is asked of Temporal, which is not there. */
const connection = Connection.lazy({ address: '127.0.0.1:1', interceptors: [] });
const registry = createTools(() => {
  throw new Error('no tool is called here');
});
let api: RunningApi;
let document: Document;

beforeAll(async () => {
  const access = accessInMemory();
  api = await startApi({
    ...{ client: new Client({ connection }), taskQueue: 'none', access, port: 0, onFailure: () => undefined },
    describeTools: () => Promise.resolve([]),
    describeAdapters: () => Promise.resolve([]),
    refusedParams: () => Promise.resolve([]),
  });
  const hash = createHash('sha256').update('secret').digest('hex');
  await access.createKey({ name: 'reader', role: 'viewer', hash });
  const headers = { authorization: 'Bearer secret' };
  const answer = await fetch(`http://127.0.0.1:${api.port}/openapi.json`, { headers });
  document = (await answer.json()) as Document;
});
afterAll(async () => {
  await api?.close();
  await connection.close();
});

/** The paths of fields without a description, in objects, lists and alternatives. */
function undescribed({ properties = {}, items, anyOf = [] }: Described, path = ''): string[] {
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(field.description ? [] : [`${path}.${name}`]),
      ...undescribed(field, `${path}.${name}`),
    ]),
    ...(items ? undescribed(items, `${path}[]`) : []),
    ...anyOf.flatMap((one) => undescribed(one, path)),
  ];
}

const operations = () => Object.values(document.paths).flatMap((path) => Object.values(path));

describe('a command', () => {
  it('has a name of its own, words, and a description of every field', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    for (const { name, title, does, input } of COMMANDS) {
      expect([name, title]).toEqual([name, expect.stringMatching(/^[A-Z].*[^.]$/)]);
      expect([name, does]).toEqual([name, expect.stringMatching(/^[A-Z][^]*\.$/)]);
      const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Described;
      expect([name, undescribed(schema).filter((path) => path !== '.macro.name')]).toEqual([name, []]);
    }
  });

  it('says that a stop condition is needed only if the total is unknown, and never for an operation', () => {
    const said = [taskRunInputSchema, bulkOperationInputSchema].map((schema) => {
      const { properties } = z.toJSONSchema(schema, { io: 'input' }) as Described;
      return properties?.['contract']?.properties?.['stop_condition']?.description;
    });
    expect(said).toEqual([
      expect.stringContaining('only if the total is unknown'),
      expect.stringContaining('only a description'),
    ]);
  });

  it('is a route with its roles, its name, its words and its fields, if it declares one', () => {
    for (const { http, name, title, does, may, input } of COMMANDS) {
      if (!http) continue;
      const [method = '', path = ''] = http.route.split(' ');
      const operation = document.paths[path]?.[method.toLowerCase()];
      const { parameters = [], requestBody } = operation ?? {};
      expect(operation).toMatchObject({ operationId: name, summary: title });
      expect(operation?.description).toBe(`${does} Roles: ${may.roles.join(', ')}.`);
      expect(PERMISSIONS[http.route]).toEqual({ does: title, ...may });
      const { schema } = requestBody?.content['application/json'] ?? {};
      const body = schema?.anyOf?.find(({ properties }) => properties) ?? schema;
      const given = [
        ...parameters.filter((one) => one.in !== 'header').map((one) => one.name),
        ...Object.keys(body?.properties ?? {}),
      ];
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, field = '']) => field);
      const taken = Object.keys(fieldsOf({ input }, http.takes));
      const paging = http.paged ? ['limit', 'cursor'] : [];
      expect([name, [...given].sort()]).toEqual([
        name,
        [...new Set([...inPath, ...taken, ...paging])].sort(),
      ]);
    }
  });

  it('is a tool for agents that asks a person where an agent may not act, if it declares one', () => {
    const own = ['describe_tools', 'list_tools', 'run_macro'];
    const declared = COMMANDS.filter(({ agent }) => agent);
    const others = TOOLS.filter(({ name }) => !own.includes(name));
    expect(others.map(({ name }) => name)).toEqual(declared.map(({ agent }) => agent?.name));
    for (const [at, { may, effect, title, does, agent }] of declared.entries()) {
      expect(others[at]).toMatchObject({
        title: agent?.title ?? title,
        description: agent?.does ?? does,
        traits: { readOnlyHint: effect === 'reads', destructiveHint: effect === 'changes' },
      });
      expect([agent?.name, others[at]?.asks ?? false]).toEqual([agent?.name, !may.roles.includes('agent')]);
    }
  });

  it('is a tool for macros and the assistant with its fields and no wider roles, if it declares one', () => {
    const declared = COMMANDS.filter(({ gateway }) => gateway);
    expect(declared.length).toBeGreaterThan(10);
    for (const { gateway, input, may, effect } of declared) {
      const tool = registry.find(gateway?.name ?? '');
      expect(tool).toMatchObject({ read_only: effect === 'reads' });
      expect(Object.keys(tool?.args.shape ?? {})).toEqual(Object.keys(fieldsOf({ input }, gateway?.takes)));
      expect(tool?.roles?.filter((role) => !may.roles.includes(role))).toEqual([]);
      if (may.own_only) expect(tool?.roles).not.toContain('agent');
    }
  });
});

describe('the document of the HTTP API', () => {
  it('names and describes every operation, every parameter and every field of a body', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(ids.filter((id, at) => id === undefined || ids.indexOf(id) !== at)).toEqual([]);
    for (const { operationId, summary, description, parameters = [], requestBody } of operations()) {
      expect([operationId, summary || description]).toEqual([operationId, expect.any(String)]);
      expect([operationId, parameters.filter((one) => !one.description)]).toEqual([operationId, []]);
      const { schema = {} } = requestBody?.content['application/json'] ?? {};
      const missing = undescribed(schema).filter((path) => path !== '.macro.name');
      expect([operationId, missing]).toEqual([operationId, []]);
    }
  });

  it('has the bounds of texts, and no schema that nothing uses', () => {
    const text = JSON.stringify(document.paths);
    expect(text).toContain('"maxLength":1000');
    const all = JSON.stringify(document);
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => !all.includes(`"#/components/schemas/${name}"`))).toEqual([]);
    expect(names).toContain('OperationEvent');
    expect(names.filter((name) => name.endsWith('Input'))).toEqual([]);
  });
});
