import { connect, createServer } from 'node:net';
import { connectClient } from './connection';

const HOST = '127.0.0.1';
const LOOK_MS = 1_000;

/** A free port of the loopback interface, the preferred one if possible. */
export function freePort(preferred: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (preferred === 0 ? reject(error) : resolve(freePort(0))));
    server.listen(preferred, HOST, () => {
      const address = server.address();
      server.close(() =>
        address !== null && typeof address === 'object'
          ? resolve(address.port)
          : reject(new Error('no port')),
      );
    });
  });
}

/** Whether something accepts connections there. */
export function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: HOST, timeout: LOOK_MS });
    const answer = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(true));
    socket.once('error', () => answer(false));
  });
}

/** The version of the Temporal server at this address; undefined if there is none. */
export async function temporalVersionAt(address: string): Promise<string | undefined> {
  try {
    const connection = await connectClient({ address }, LOOK_MS);
    try {
      const { serverVersion } = await connection.workflowService.getSystemInfo({});
      return serverVersion;
    } finally {
      await connection.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * The ports for an embedded server: the usual ones if they are free; otherwise it reports who uses them. It also tries to
 * connect, because macOS lets a program bind a loopback port that another one listens on for all addresses.
 */
export async function choosePorts(
  usual: { server: number; ui: number },
  say: (line: string) => void,
): Promise<{ port: number; uiPort: number }> {
  const [port, uiPort] = await Promise.all([unusedPort(usual.server), unusedPort(usual.ui)]);
  if (port !== usual.server) {
    const version = await temporalVersionAt(`${HOST}:${usual.server}`);
    say(
      version === undefined
        ? `port ${usual.server} is taken by another program; Temporal listens on ${port} here`
        : `port ${usual.server} is taken by another Temporal server (${version}); this one listens on ${port}; ` +
            `set TEMPORAL_ADDRESS=${HOST}:${usual.server} to use that one`,
    );
  }
  if (uiPort !== usual.ui) say(`port ${usual.ui} is taken too; the Temporal UI listens on ${uiPort} here`);
  return { port, uiPort };
}

const unusedPort = async (preferred: number): Promise<number> =>
  freePort((await isTaken(preferred)) ? 0 : preferred);
