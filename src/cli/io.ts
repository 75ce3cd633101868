import { AsyncLocalStorage } from 'node:async_hooks';
import { loadConfig, type Config } from '../host/config';

/** The environment and the streams of one run of the command line. Several runs may share a process. */
export interface Io {
  /** By default, the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  setExitCode(code: number): void;
  /** Calls the listener at Ctrl-C and at a termination, once for each. */
  onInterrupt(listener: () => void): void;
  /** The start time, in milliseconds since the epoch. Text printed later was not on the screen at the start. */
  readonly begun: number;
}

const processIo: Io = {
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
export const io = (): Io => current.getStore() ?? processIo;

export function withIo<T>(own: Io, work: () => T): T {
  return current.run(own, work);
}

/** Loads the configuration from the environment of this run. */
export function readConfig(): Config {
  return loadConfig(io().env);
}
