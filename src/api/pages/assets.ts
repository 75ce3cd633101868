import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Api } from '../context';
import { precompressed } from './compression';

/** A file that pages load, under an address derived from its content. */
interface Asset {
  url: string;
  integrity: string;
  type: string;
  content: Buffer;
  /** Sends the file. The servers of a process share its encodings. */
  send: ReturnType<typeof precompressed>;
}

/** The folder `assets` of the package; the build is one level deeper than the source. */
const FOLDER = ['../../../assets', '../../../../assets']
  .map((up) => join(__dirname, up))
  .find((folder) => existsSync(folder));

function asset(name: string, type: string, content: Buffer): Asset {
  const integrity = `sha384-${createHash('sha384').update(content).digest('base64')}`;
  const version = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { url: `/assets/${version}/${name}`, integrity, type, content, send: precompressed(content) };
}

const own = (name: string) => readFileSync(join(FOLDER ?? '', name));

/** The script with a newline at its end, since it may end in a comment. */
const onItsOwnLine = (script: Buffer) => [script, Buffer.from('\n')];

export const assets = {
  css: asset('page.css', 'text/css; charset=utf-8', own('page.css')),
  icon: asset('icon.svg', 'image/svg+xml', own('icon.svg')),
  /** Loaded by the script, as a shared worker if the browser supports them. */
  streams: asset('streams.js', 'text/javascript; charset=utf-8', own('streams.js')),
  /** Loaded by the script when a form first asks for a passkey. */
  passkeys: asset(
    'passkeys.js',
    'text/javascript; charset=utf-8',
    Buffer.concat(
      [
        readFileSync(
          join(dirname(require.resolve('@simplewebauthn/browser')), '../dist/bundle/index.umd.min.js'),
        ),
        own('passkeys.js'),
      ].flatMap(onItsOwnLine),
    ),
  ),
  // One file: htmx starts soon after its own script, and a later script would miss its first events.
  script: asset(
    'page.js',
    'text/javascript; charset=utf-8',
    Buffer.concat(
      [
        readFileSync(require.resolve('htmx.org/dist/htmx.min.js')),
        ...['times.js', 'reading.js', 'page.js', 'following.js', 'suggestions.js'].map(own),
      ].flatMap(onItsOwnLine),
    ),
  ),
};

/** Serves the assets. They contain nothing private. */
export function addAssets(pages: Api): void {
  for (const { url, type, send } of Object.values(assets))
    pages.get(url, { config: { open: true, immutable: true }, schema: { hide: true } }, (request, reply) =>
      send(request, reply.type(type)),
    );
}
