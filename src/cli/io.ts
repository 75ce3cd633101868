import { AsyncLocalStorage } from 'node:async_hooks';
import { loadConfig, type Config } from '../host/config';

/** What one run of the command line reads and writes. Several runs may share a process. */
export interface Io {
  /** Without it, the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  setExitCode(code: number): void;
  /** Calls the listener at Ctrl-C and at a termination, once for each. */
  onInterrupt(listener: () => void): void;
  /** When it was started, in milliseconds since the epoch: what was printed later was not on its screen. */
  readonly begun: number;
}

const ofProcess: Io = {
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  setExitCode: (code) => void (process.exitCode = code),
  onInterrupt: (listener) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, listener);
  },
  begun: performance.timeOrigin,
};

const current = new AsyncLocalStorage<Io>();

/** The `Io` of the current run; outside a run, that of the process. */
export const io = (): Io => current.getStore() ?? ofProcess;

export function withIo<T>(given: Io, work: () => T): T {
  return current.run(given, work);
}

/** The environment of this run. */
export function readConfig(): Config {
  return loadConfig(io().env);
}
