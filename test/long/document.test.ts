import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import fc from '../helpers/properties';
import { withPythonPackage } from '../helpers/python-package';

const run = promisify(execFile);
// A limit for a run that hangs: under load, it takes twenty minutes.
jest.setTimeout(3_000_000);

let harness: Harness;
let http: HttpApi;
let folder: string;

beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(25).adapter] });
  http = await startHttpApi(harness);
  folder = await mkdtemp(join(tmpdir(), 'batchgate-document-'));
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
  await rm(folder, { recursive: true, force: true });
});

/**
 * For each route and phase, besides the bounds of all values; the next commit draws others. With
 * `BATCHGATE_DOCUMENT_EXAMPLES=215`, more than 10,000 requests are sent in all.
 */
const EXAMPLES = Number(process.env['BATCHGATE_DOCUMENT_EXAMPLES'] ?? 5);
const { seed } = fc.readConfigureGlobal();

const SETTINGS = [
  'max-stream-events = 1',
  ...(seed === undefined ? [] : [`seed = ${seed}`]),
  ...['[phases.stateful.generation]', `max-examples = ${Math.max(15, EXAMPLES)}`],
];

/** Values that exist, because random values seldom do. Other values stay random. */
function configuration(dictionaries: Record<string, string[]>): string {
  const lists = Object.entries(dictionaries).map(
    ([name, values]) => `[dictionaries.${name}]\nvalues = ${JSON.stringify(values)}`,
  );
  const bindings = Object.keys(dictionaries).map(
    (name) => `${JSON.stringify(name)} = { dictionary = "${name}", probability = 0.4 }`,
  );
  return [...lists, '[parameters]', ...bindings].join('\n');
}

it('keeps what /openapi.json promises, whatever schemathesis sends', async () => {
  const operations = [];
  for (let at = 0; at < 10; at++) operations.push(await harness.start({ session_id: `session:${at}` }));
  const dictionaries = {
    operation_id: operations.map(({ operation_id }) => operation_id),
    domain: ['fake'],
    action: ['mark'],
    group: ['all'],
    session_id: operations.flatMap(({ session_id = [] }) => session_id),
  };
  const config = join(folder, 'schemathesis.toml');
  await writeFile(config, [...SETTINGS, configuration(dictionaries)].join('\n'));
  const report = join(folder, 'report.json');
  const args = ['-m', 'schemathesis.cli', '--config-file', config, 'run', `${http.url}/openapi.json`];
  const options = [
    ...['--header', `Authorization: Bearer ${await http.key('admin')}`],
    // The API may refuse values that fit the schema, and accept a request without an optional body.
    ...['--exclude-checks', 'positive_data_acceptance,negative_data_rejection,unsupported_method'],
    ...['--max-examples', String(EXAMPLES)],
    // A slow answer is not a failure: under load, lists wait for the server's index.
    ...['--request-timeout', '60'],
    ...['--continue-on-failure', '--no-shrink', '--generation-database', 'none'],
    ...['--report', 'json', '--report-json-path', report, '--no-color'],
  ];
  const env = await withPythonPackage('schemathesis', '4.32.5');
  const { stdout } = await run('python3', [...args, ...options], { env, cwd: folder, maxBuffer: 1e8 }).catch(
    (error: { stdout: string }) => error,
  );
  const { failures, errors, test_cases } = JSON.parse(await readFile(report, 'utf8').catch(() => '{}'));
  if (failures?.length !== 0 || errors?.length !== 0) throw new Error(stdout);
  expect(http.failures).toEqual([]);
  expect(test_cases.errored).toBe(0);
  expect(test_cases.generated).toBeGreaterThanOrEqual(46 * EXAMPLES);
  console.info(`schemathesis: ${test_cases.generated} cases`);
});
