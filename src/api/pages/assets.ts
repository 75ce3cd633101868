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
}

/** The folder `assets` of the package; the build is one level deeper than the source. */
const FOLDER = ['../../../assets', '../../../../assets']
  .map((up) => join(__dirname, up))
  .find((folder) => existsSync(folder));

function asset(name: string, type: string, content: Buffer): Asset {
  const integrity = `sha384-${createHash('sha384').update(content).digest('base64')}`;
  const version = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { url: `/assets/${version}/${name}`, integrity, type, content };
}

const own = (name: string) => readFileSync(join(FOLDER ?? '', name));

/** A script may end in a comment. */
const onItsOwnLine = (script: Buffer) => [script, Buffer.from('\n')];

export const assets = {
  css: asset('page.css', 'text/css; charset=utf-8', own('page.css')),
  icon: asset('icon.svg', 'image/svg+xml', own('icon.svg')),
  // One file: htmx begins soon after its own script, and what came later would miss the streams, or their failure.
  script: asset(
    'page.js',
    'text/javascript; charset=utf-8',
    Buffer.concat(
      [
        readFileSync(require.resolve('htmx.org/dist/htmx.min.js')),
        readFileSync(require.resolve('htmx.org/dist/ext/hx-sse.min.js')),
        own('page.js'),
      ].flatMap(onItsOwnLine),
    ),
  ),
};

/** Assets contain nothing private. */
export function addAssets(pages: Api): void {
  for (const { url, type, content } of Object.values(assets)) {
    pages.get(url, { config: { open: true, immutable: true }, schema: { hide: true } }, (_, reply) =>
      reply.type(type).send(content),
    );
  }
}
