import type { Config } from '../host/config';
import { findRuntime } from '../host/runtime-file';

/** The default port of the HTTP API. */
export const PORT = 8_787;

/** The address of the pages for people, without a trailing slash. */
export async function originOf({ file, dataDir, httpPort }: Config): Promise<string> {
  const { http_url } = (await findRuntime(dataDir)) ?? {};
  const url = file.http.base_url ?? http_url ?? `http://127.0.0.1:${httpPort ?? PORT}`;
  return url.replace(/\/$/, '');
}
