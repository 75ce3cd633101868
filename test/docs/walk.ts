import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inherited } from '../helpers/command-line';
import { seedStore } from '../helpers/embedded';
import { startProgramProcess } from '../helpers/program-process';
import { SHORT_PROCESS } from '../helpers/run-typescript';
import { root, type Command } from './markdown';

/** Placeholders for values that an earlier command printed, and the patterns that find these values. */
const PLACEHOLDERS = {
  ID: /^operation +(\S+)$/m,
  RUN: /^task run +(\S+)$/m,
  MACRO: /^macro run +(\S+)$/m,
  ITEM: /^question +batch 1 of .*(?:\n.*)*?\n {11}\d+\. .*? \((\w+)\)(?::.*)?$/m,
  DIGEST: /^digest +(\w+)$/m,
};
/** Commands that run until they are ended, and the output of a ready one. The test ends those with `at` at once. */
const STAYS: [pattern: RegExp, said: RegExp, looked?: 'at'][] = [
  [/^npx batchgate up$/, /batchgate is up/],
  [/^node \S+-server\.mjs \d+$/, /serves/],
  [/^npx batchgate watch$/, /\n/, 'at'],
];
const CLIENT = join(__dirname, '../helpers/program-client.cjs');
const NOT_FROM_THE_CLONE = ['.git', '.batchgate', '.env', '.venv'];

/** A reader who types the commands of each page into a new shell, in a clone of the repository. */
export class Reader {
  private readonly known = new Map<string, string>();
  private readonly staying = new Set<ChildProcess>();
  private up: ChildProcess | undefined;
  private exports = '';

  private constructor(
    readonly clone: string,
    private readonly program: ChildProcess,
  ) {}

  static async withClone(): Promise<Reader> {
    const clone = await mkdtemp(join(tmpdir(), 'batchgate-docs-'));
    const entries = (await readdir(root)).filter((name) => !NOT_FROM_THE_CLONE.includes(name));
    await Promise.all(entries.map((name) => symlink(join(root, name), join(clone, name))));
    return new Reader(clone, await startProgramProcess(socketIn(clone), clone));
  }

  /** Begins a page in a new shell, with `up` running. */
  async opensPage(): Promise<void> {
    if (this.exports !== '') await this.endsWhatStays((child) => child !== this.up);
    this.exports = '';
    await this.types({ script: 'npx batchgate up', shown: [], exits: 0 });
  }

  /** Runs a command as written, and fails unless its exit code and output match the page. */
  async types({ script, shown, exits }: Command): Promise<void> {
    const filled = this.filled(script.trim());
    const [, said, looked] = STAYS.find(([pattern]) => pattern.test(filled)) ?? [];
    if (said) return this.starts(filled, said, looked === 'at');
    const { code, output } = await this.runs(filled);
    if (/^kill /m.test(filled)) await this.upIsOver();
    if (code !== exits) throw new Error(`"${filled}" ended with ${code}, not ${exits}:\n${output}`);
    const missing = missingLine(shown, output);
    if (missing !== undefined) throw new Error(`"${filled}" did not print "${missing}":\n${output}`);
    this.exports += (filled.match(/^export .*$/gm) ?? []).map((line) => `${line}\n`).join('');
    for (const [name, pattern] of Object.entries(PLACEHOLDERS)) {
      const value = pattern.exec(output)?.[1];
      if (value !== undefined) this.known.set(name, value);
    }
  }

  /** Ends all commands that still run, and removes the clone. */
  async leaves(): Promise<void> {
    const wasKilled = !this.up || isOver(this.up);
    await this.endsWhatStays();
    // A demo without input ends the server and the mailbox that a killed `up` left behind.
    if (wasKilled) await this.runs('npx batchgate demo < /dev/null');
    this.program.disconnect();
    await rm(this.clone, { recursive: true, force: true });
  }

  /** A page may ask to start `up` although it already runs; then the running one is used. */
  private async starts(script: string, said: RegExp, onlyLookedAt: boolean): Promise<void> {
    const isUp = script.endsWith(' up') && this.exports === '';
    if (isUp && this.up && !isOver(this.up)) return;
    if (script.endsWith(' up')) await this.seedsStore();
    const isFurther = script.endsWith(' up') && !isUp;
    if (isFurther) this.sharesServer();
    const sharesProcess = isFurther && !this.hasOwnParts();
    // Without npx or a shell in between, a signal reaches the command itself.
    const program = sharesProcess
      ? clientOf(this.clone)
      : `node ${SHORT_PROCESS} node_modules/.bin/batchgate`;
    const command = script.replace('npx batchgate', program);
    const child = spawn('bash', ['-c', `${this.exports}exec ${command}`], {
      cwd: this.clone,
      env: inherited(),
    });
    this.staying.add(child);
    let output = '';
    await new Promise<void>((resolve, reject) => {
      const hear = (text: string) => {
        output += text;
        if (said.test(output)) resolve();
      };
      child.stdout.setEncoding('utf8').on('data', hear);
      child.stderr.setEncoding('utf8').on('data', hear);
      child.once('close', (code) => {
        this.staying.delete(child);
        reject(new Error(`"${script}" ended with ${code}:\n${output}`));
      });
    });
    if (isUp) this.up = child;
    if (onlyLookedAt) child.kill('SIGINT');
  }

  /** An `up` over a folder of its page uses the run's server, with a queue of its own. */
  private sharesServer(): void {
    const server = process.env['BATCHGATE_TEST_TEMPORAL'] ?? '';
    this.exports += `export TEMPORAL_ADDRESS=${server} BATCHGATE_TASK_QUEUE=docs-${randomUUID()}\n`;
  }

  /** It runs in the process of the verbs, unless it has modules, which a process loads once, or embedded databases. */
  private hasOwnParts(): boolean {
    const [, config] = /BATCHGATE_CONFIG_FILE=(\S+)/.exec(this.exports) ?? [];
    return (
      config !== undefined &&
      /"(adapters|tools|databases)"/.test(readFileSync(join(this.clone, config), 'utf8'))
    );
  }

  /** Provides an empty store, because creating one takes most of the start of `up`. */
  private async seedsStore(): Promise<void> {
    const dataDir = /BATCHGATE_DATA_DIR=(\S+)/.exec(this.exports)?.[1] ?? '.batchgate';
    if (!existsSync(join(this.clone, dataDir, 'store'))) await seedStore(join(this.clone, dataDir));
  }

  private async endsWhatStays(which: (child: ChildProcess) => boolean = () => true): Promise<void> {
    const ended = [...this.staying].filter(which).map((child) => {
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGINT');
      return closed;
    });
    await Promise.all(ended);
  }

  private async upIsOver(): Promise<void> {
    const { up } = this;
    if (up && !isOver(up)) await new Promise((resolve) => up.once('close', resolve));
  }

  private runs(script: string): Promise<{ code: number | null; output: string }> {
    const child = spawn('bash', ['-eo', 'pipefail', '-c', `${npxIn(this.clone)}${this.exports}${script}`], {
      cwd: this.clone,
      env: inherited(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
  }

  private filled(script: string): string {
    return script.replace(/\b[A-Z]+\b/g, (word) => {
      if (!(word in PLACEHOLDERS)) return word;
      const value = this.known.get(word);
      if (value === undefined) throw new Error(`"${script}" comes before any command printed its ${word}`);
      return value;
    });
  }
}

const socketIn = (clone: string) => join(clone, '.program.sock');
/** Runs a verb in the shared process. */
const clientOf = (clone: string) => `node '${CLIENT}' '${socketIn(clone)}'`;

/**
 * A shell function that runs what npx finds in a clone, without the seconds that npx takes itself. Verbs that end by
 * themselves run in one shared process; the others need their own.
 */
const npxIn = (clone: string) => `node() { command node ${SHORT_PROCESS} "$@"; }
npx() {
  case "$1 $2" in
    'batchgate up' | 'batchgate demo' | 'batchgate worker') node node_modules/.bin/"$@" ;;
    'batchgate '*) shift; ${clientOf(clone)} "$@" ;;
    *) node_modules/.bin/"$@" ;;
  esac
}
`;

const isOver = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

/** The first of these lines that the output lacks. Each is searched for after the line before it. */
function missingLine(shown: string[], output: string): string | undefined {
  const lines = output.split('\n').map((line) => line.trimEnd());
  let at = 0;
  for (const line of shown.map((one) => one.trimEnd()).filter((one) => one !== '' && one !== '…')) {
    const pattern = new RegExp(`^${line.split('…').map(escaped).join('.*')}$`);
    const found = lines.findIndex((one, index) => index >= at && pattern.test(one));
    if (found < 0) return line;
    at = found + 1;
  }
  return undefined;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
