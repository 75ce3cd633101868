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

/** Whether a program accepts connections at this port. */
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
 * Chooses the port of an embedded server: the usual one if it is free, otherwise another one, with a report of the
 * program that uses the usual one. It also tries to connect, because macOS lets a program bind a loopback port that
 * another one listens on for all addresses.
 */
export async function chooseServerPort(usual: number, say: (line: string) => void): Promise<number> {
  const port = await unusedPort(usual);
  if (port !== usual) {
    const version = await temporalVersionAt(`${HOST}:${usual}`);
    say(
      version === undefined
        ? `port ${usual} is taken by another program; Temporal listens on ${port} here`
        : `port ${usual} is taken by another Temporal server (${version}); this one listens on ${port}; ` +
            `set TEMPORAL_ADDRESS=${HOST}:${usual} to use that one`,
    );
  }
  return port;
}

/** Chooses the port at which people open the Temporal UI. */
export async function chooseUiPort(usual: number, say: (line: string) => void): Promise<number> {
  const port = await unusedPort(usual);
  if (port !== usual)
    say(`port ${usual} is taken by another program; the Temporal UI listens on ${port} here`);
  return port;
}

/**
 * Ports that every browser refuses to open, for pages and for people (https://fetch.spec.whatwg.org/#port-blocking), so
 * that no page reaches a server there. The ports of telephony are last, because programs use them.
 */
const CLOSED_TO_BROWSERS = [
  ...[6665, 6666, 6667, 6668, 6669, 6697, 6566, 10080, 4045, 3659],
  ...[1719, 1720, 1723, 5060, 5061],
];

/** The free ports among them, in a random order, because servers that start at once must not choose the same one. */
export async function portsClosedToBrowsers(): Promise<number[]> {
  const free = await Promise.all(
    CLOSED_TO_BROWSERS.map(async (port) => ({ port, taken: (await freePort(port)) !== port })),
  );
  return free
    .filter(({ taken }) => !taken)
    .map(({ port }) => ({ port, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ port }) => port);
}

const unusedPort = async (preferred: number): Promise<number> =>
  freePort((await isTaken(preferred)) ? 0 : preferred);
