import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from '../context';

/** A file that pages load, under an address derived from its content. */
interface Asset {
  url: string;
  integrity: string;
  type: string;
  content: Buffer;
  kind?: 'classic' | 'module';
}

/** The folder `assets` of the package; the build is one level deeper than the source. */
const FOLDER = ['../../../assets', '../../../../assets']
  .map((up) => join(__dirname, up))
  .find((folder) => existsSync(folder));

const JAVASCRIPT = 'text/javascript; charset=utf-8';

function asset(file: string, type: string, kind?: Asset['kind']): Asset {
  const content = readFileSync(file);
  const integrity = `sha384-${createHash('sha384').update(content).digest('base64')}`;
  const version = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const name = file.split(/[\\/]/).at(-1) ?? '';
  return { url: `/assets/${version}/${name}`, integrity, type, content, ...(kind && { kind }) };
}

const own = (name: string) => join(FOLDER ?? '', name);

export const assets = {
  css: asset(own('page.css'), 'text/css; charset=utf-8'),
  icon: asset(own('icon.svg'), 'image/svg+xml'),
  scripts: [
    asset(require.resolve('htmx.org/dist/htmx.min.js'), JAVASCRIPT, 'classic'),
    asset(require.resolve('htmx.org/dist/ext/hx-sse.min.js'), JAVASCRIPT, 'classic'),
    asset(own('page.mjs'), JAVASCRIPT, 'module'),
  ],
};

/** Assets contain nothing private. */
export function addAssets(pages: Api): void {
  for (const { url, type, content } of [assets.css, assets.icon, ...assets.scripts]) {
    pages.get(url, { config: { open: true, immutable: true }, schema: { hide: true } }, (_, reply) =>
      reply.type(type).send(content),
    );
  }
}
