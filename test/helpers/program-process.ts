import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AsyncResource } from 'node:async_hooks';
import { PassThrough, Writable } from 'node:stream';
import type * as ClientMain from '../../src/cli/client-main';
import type * as Program from '../../src/cli/program';
import type * as Verbs from '../../src/cli/verbs';
import { RUN_TYPESCRIPT } from './run-typescript';

/** The client's messages, each one line of JSON: first the command line, then the typed input. */
export type ToHost =
  | { args: string[]; env: Record<string, string | undefined>; begun?: number }
  | { input: string }
  | { endInput: true }
  | { interrupt: true };

/** The host's messages, each one line of JSON; the exit code comes last. */
export type FromHost = { stdout: string } | { stderr: string } | { code: number };

/**
 * Starts the built command line in one process for many runs, so that a verb costs only its own work, without the start
 * of a process. Relative paths are resolved in `cwd`. It ends when it is disconnected.
 */
export async function startProgramProcess(socketPath: string, cwd?: string): Promise<ChildProcess> {
  const child = fork(__filename, [socketPath], { cwd, execArgv: RUN_TYPESCRIPT });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the program process did not start'))),
  ]);
  return child;
}

/** Listens on the socket, and runs each connection's verb with that connection's environment. */
function main(socketPath: string): void {
  const runVerb = builtVerbs();
  const server = createServer((socket) => serve(socket, runVerb)).listen(socketPath, () =>
    process.send?.('ready'),
  );
  process.once('disconnect', () => {
    server.close();
    process.exit();
  });
}

type RunVerb = typeof ClientMain.run;

/** Like bin/batchgate.cjs: the bundle for its own verbs, the modules for all others. */
function builtVerbs(): RunVerb {
  const built = createRequire(join(__dirname, '../../dist/src/cli/main.js'));
  const { verbs } = built('./client-verbs.json') as { verbs: string[] };
  const bundle = built('./client-verbs.bundle.js') as typeof ClientMain;
  const { runProgram } = built('./program.js') as typeof Program;
  const { VERBS } = built('./verbs.js') as typeof Verbs;
  return (args, io) => (verbs.includes(args[0] ?? '') ? bundle.run(args, io) : runProgram(VERBS, args, io));
}

function serve(socket: Socket, runVerb: RunVerb): void {
  // A killed client sends nothing more.
  socket.on('error', () => socket.destroy());
  const say = (message: FromHost) => socket.write(`${JSON.stringify(message)}\n`);
  const stdin = new PassThrough();
  const interrupts: (() => void)[] = [];
  socket.once('close', () => interrupts.forEach((listener) => listener()));
  let code = 0;
  const run = (args: string[], env: Record<string, string | undefined>, begun = Date.now()) =>
    runVerb(args, {
      env,
      stdin: stdin as unknown as NodeJS.ReadStream,
      stdout: stream((text) => say({ stdout: text })),
      stderr: stream((text) => say({ stderr: text })),
      setExitCode: (status) => (code = status),
      onInterrupt: (listener) => interrupts.push(AsyncResource.bind(listener)),
      begun,
    })
      .catch((error: unknown) => {
        code = 1;
        say({ stderr: error instanceof Error ? String(error.stack) : String(error) });
      })
      .finally(() => {
        say({ code });
        socket.end();
      });
  createInterface({ input: socket }).on('line', (line) => {
    const message = JSON.parse(line) as ToHost;
    if ('args' in message) void run(message.args, message.env, message.begun);
    else if ('input' in message) stdin.write(message.input);
    else if ('interrupt' in message) interrupts.forEach((listener) => listener());
    else stdin.end();
  });
}

function stream(say: (text: string) => void): NodeJS.WriteStream {
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    say(chunk.toString());
    done();
  };
  return new Writable({ write }) as unknown as NodeJS.WriteStream;
}

if (require.main === module) main(process.argv[2] ?? '');
