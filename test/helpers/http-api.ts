import { createHash, randomUUID } from 'node:crypto';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { startApi, type ApiOptions, type RunningApi } from '../../src/api/server';
import type { Role } from '../../src/contract/access';
import { describeAdapter, refusedParams } from '../../src/core/bulk/registry';
import { describeTools } from '../../src/worker/tools';
import type { Harness } from './harness';

interface Answer {
  status: number;
  headers: Headers;
  body: any;
}

interface Asking {
  key?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface HttpApi {
  api: RunningApi;
  url: string;
  /** A new key of this role. */
  key(role: Role, sessionPrefix?: string): Promise<string>;
  /** Sends a request and checks the answer against /openapi.json. As an admin, unless another key is set. */
  ask(method: string, path: string, asking?: Asking): Promise<Answer>;
  /** Like `ask`, for a request that must succeed. */
  done(method: string, path: string, asking?: Asking): Promise<Answer>;
  /** The log of failures whose details are withheld from the caller. */
  failures: unknown[];
  /** Ends the server and starts it again on the same port, over the same store. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** The HTTP API of a harness, on a real port. */
export async function startHttpApi(
  { client, store, taskQueue, adapters }: Harness,
  options: Partial<ApiOptions> = {},
): Promise<HttpApi> {
  const failures: unknown[] = [];
  const settings: ApiOptions = {
    ...{ client, taskQueue, access: store.access, port: 0 },
    describeTools: (query) => describeTools(undefined, query),
    describeAdapters: () => Promise.resolve(adapters.map(describeAdapter)),
    refusedParams: (request) => Promise.resolve(refusedParams(adapters, request)),
    mcp: { confirm: 'link', describeAdapters: () => Promise.resolve([]) },
    onFailure: (error) => failures.push(error),
    ...options,
  };
  let api = await startApi(settings);
  const { port } = api;
  const url = `http://127.0.0.1:${port}`;
  const key = async (role: Role, session_prefix?: string) => {
    const secret = randomUUID();
    const hash = createHash('sha256').update(secret).digest('hex');
    await store.access.createKey({
      name: `the ${role}`,
      role,
      hash,
      ...(session_prefix && { session_prefix }),
    });
    return secret;
  };
  const admin = await key('admin');
  const check = await checkerOf(settings, async () => {
    const headers = { authorization: `Bearer ${admin}` };
    return (await (await fetch(`${url}/openapi.json`, { headers })).json()) as Document;
  });
  const ask: HttpApi['ask'] = async (method, path, { key: secret = admin, headers = {}, body } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(secret !== '' && { authorization: `Bearer ${secret}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const type = response.headers.get('content-type')?.split(';')[0];
    const answer = type?.endsWith('json') ? JSON.parse(text) : text;
    check(method, path.split('?')[0] ?? path, response.status, type, answer);
    return { status: response.status, headers: response.headers, body: answer };
  };
  return {
    ...{ url, key, failures, ask },
    get api() {
      return api;
    },
    async done(method, path, asking) {
      const answer = await ask(method, path, asking);
      if (answer.status >= 300)
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer;
    },
    async restart() {
      await api.close();
      api = await startApi({ ...settings, port });
    },
    close: () => api.close(),
  };
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, unknown> }> }>>;
}

const checkers = new Map<string, Promise<ReturnType<typeof responseChecker>>>();

/** Returns one checker for all servers with the same document, because compiling its schemas takes long. */
function checkerOf({ baseUrl, openId, mcp }: ApiOptions, fetchDocument: () => Promise<Document>) {
  const decides = JSON.stringify([baseUrl, openId !== undefined, mcp !== undefined]);
  const check = checkers.get(decides) ?? fetchDocument().then(responseChecker);
  checkers.set(decides, check);
  return check;
}

/** Fails for an answer that the document does not describe. */
function responseChecker(document: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema(document, 'openapi');
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  const validators = new Map<string, ValidateFunction>();
  const validatorAt = (at: string) => {
    const validate = validators.get(at) ?? ajv.compile({ $ref: `openapi#/${encodeURI(at)}` });
    validators.set(at, validate);
    return validate;
  };
  const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1');
  return (method: string, path: string, status: number, type: string | undefined, body: unknown) => {
    const template = templates.find(({ pattern }) => pattern.test(path))?.template;
    const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
    // The answer to a missing route is a problem, like the errors of any route.
    const [route, verb] = operation ? [template ?? '', method.toLowerCase()] : ['/v1/me', 'get'];
    const responses = operation?.responses ?? document.paths['/v1/me']?.['get']?.responses ?? {};
    const entry = String(status) in responses ? String(status) : 'default';
    const content = responses[entry]?.content;
    if (!content) return expect({ method, path, status, body }).toMatchObject({ body: '' });
    if (!type || !(type in content)) throw new Error(`${method} ${path} answered ${status} with ${type}`);
    const at = ['paths', route, verb, 'responses', entry, 'content', type, 'schema'].map(escaped).join('/');
    const validate = validatorAt(at);
    if (!validate(body)) {
      throw new Error(
        `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
      );
    }
  };
}
