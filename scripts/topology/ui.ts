import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../../src/host/temporal/ports';
import { startPart, untilServing, type Env, type Part } from './process';

/** Starts docker-compose.yml's temporal-ui. It reads its settings from a folder, by the name of an environment. */
export async function startUi(options: {
  path: string;
  env: Env;
  folder: string;
  temporal: string;
  namespace: string;
}): Promise<Part & { url: string }> {
  const { folder } = options;
  const port = await freePort(0);
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    temporalGrpcAddress: options.temporal,
    host: '127.0.0.1',
    port,
    enableUi: true,
    defaultNamespace: options.namespace,
    disableNewsFetch: true,
    cors: { allowOrigins: [url] },
  };
  await mkdir(join(folder, 'ui'));
  await writeFile(join(folder, 'ui', 'topology.yaml'), stringify(settings));
  const args = ['--root', folder, '--config', 'ui', '--env', 'topology', 'start'];
  const env = { ...options.env, PATH: options.path };
  const ui = startPart('temporal-ui', 'temporal-ui-server', args, {
    env,
    log: join(folder, 'temporal-ui.log'),
  });
  await untilServing(ui, `${url}/healthz`);
  return { ...ui, url };
}
