import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { access, mkdtemp, open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { exportAudit } from '../client';
import { auditCommand, auditRequestOf } from '../commands/audit';
import type { AuditRequest } from '../contract/audit';
import { BatchgateError } from '../contract/errors';
import { momentOf, MOMENT_WORDS } from '../core/shared/moments';
import { readAuditKeys, rotateAuditKey } from '../host/audit-key';
import { packageFolder } from '../host/version';
import { withClient } from './connect';
import { flag } from './flags';
import { io, readConfig } from './io';
import { causeOf, EXIT, note, print, printJson, UsageError } from './output';
import { verb } from './verb';

const collected = (value: string, all: string[] = []): string[] => [...all, value];

interface ExportFlags extends Pick<AuditRequest, 'since' | 'until' | 'covered'> {
  operation?: string;
  out?: string;
}

export function addAuditVerbs(program: Command): void {
  const group = program
    .command('audit')
    .description('the record of every decision, which anybody can verify');
  verb(group, 'export', auditCommand, exported)
    .addOption(flag(auditCommand, 'operation_id', '--operation <id>'))
    .addOption(flag(auditCommand, 'since', '--since <time>'))
    .addOption(flag(auditCommand, 'until', '--until <time>'))
    .addOption(flag(auditCommand, 'covered', '--covered'))
    .option('--out <file>', 'write there instead of the terminal');
  verb(group, 'verify <file>', 'whether an export is as it was written; needs no server', verify)
    .option(
      '--key <public-key>',
      'a key that you trust, by default that of this data folder; repeatable',
      collected,
    )
    .option('--has <hash>', 'a row, such as a checkpoint, that must still be there; repeatable', collected)
    .option('--item <id>', 'show what the export says of this item; repeatable', collected)
    .option('--claim <file>', 'a claim about an item that the export must show; repeatable', collected)
    .option(
      '--proof <file>',
      'a proof of an item that must be about one of its batches; repeatable',
      collected,
    );
  verb(
    group,
    'key',
    'the public key of this data folder or configuration, to give to auditors',
    async (json) => {
      const { public_key } = (await readAuditKeys(readConfig())).current;
      if (json) printJson({ public_key });
      else print(public_key);
    },
  );
  verb(group, 'rotate-key', 'make a new key in this data folder; the old one signs it', async (json) => {
    const public_key = await rotateAuditKey(readConfig());
    if (json) return printJson({ public_key });
    note('From the next checkpoint on, which the old key signs, this key signs the record:');
    print(public_key);
  });
}

async function exported(_: boolean, { operation, since, until, covered, out }: ExportFlags): Promise<void> {
  for (const [name, time] of Object.entries({ since, until }))
    if (time !== undefined && momentOf(time, 0) === undefined)
      throw new UsageError(`--${name} cannot be '${time}'.`, `Give ${MOMENT_WORDS}.`);
  const request = auditRequestOf({ operation_id: operation, since, until, covered });
  const lines: Lines = (write) =>
    withClient(async (client, taskQueue) => {
      let count = 0;
      for await (const line of exportAudit(client, request, taskQueue)) {
        count += 1;
        await write(`${line}\n`);
      }
      return count;
    });
  const count = await (out === undefined ? lines(written) : writtenWhole(out, lines));
  if (out !== undefined)
    note(`${count} lines written to ${out}. Verify them: npx batchgate audit verify ${out}`);
}

type Lines = (write: (text: string) => Promise<unknown>) => Promise<number>;

/**
 * Lets `lines` write a file, or what is at its place, such as a device. An export that fails leaves an earlier one as
 * it was: personal data that has been deleted since could not be exported again.
 */
async function writtenWhole(out: string, lines: Lines): Promise<number> {
  const linesTo = (file: FileHandle) => lines((text) => file.write(text)).finally(() => file.close());
  const place = await realpath(out).catch(() => out);
  const isFile = (await stat(place).catch(() => undefined))?.isFile() ?? true;
  if (!isFile) return linesTo(await open(place, 'w').catch(unwritable(out)));
  const { draft, file, remains } = await openDraft(place).catch(unwritable(out));
  try {
    const count = await linesTo(file);
    await moved(draft, place).catch(unwritable(out));
    return count;
  } finally {
    await rm(remains, { recursive: true, force: true });
  }
}

/**
 * Opens a draft beside a file. If the folder takes no other files, but the file itself can be written, the draft is in a
 * temporary folder.
 */
async function openDraft(place: string): Promise<{ draft: string; file: FileHandle; remains: string }> {
  const draft = `${place}.${process.pid}.draft`;
  try {
    // Of an interrupted export: in a container, each process may have the same number.
    await rm(draft, { force: true });
    return { draft, file: await open(draft, 'wx', 0o600), remains: draft };
  } catch (error) {
    if (!(await isWritable(place))) throw error;
    const remains = await mkdtemp(join(tmpdir(), 'batchgate-export-'));
    const elsewhere = join(remains, 'draft');
    return { draft: elsewhere, file: await open(elsewhere, 'wx', 0o600), remains };
  }
}

const isWritable = (file: string): Promise<boolean> =>
  access(file, constants.W_OK).then(
    () => true,
    () => false,
  );

/** Moves a whole draft to its place. A file that is a mount point, or on another file system, is overwritten instead. */
const moved = (draft: string, place: string): Promise<void> =>
  rename(draft, place).catch(() =>
    pipeline(createReadStream(draft), createWriteStream(place, { mode: 0o600 })),
  );

/** Writes a text, and waits while the reader of a pipe is slower. */
async function written(text: string): Promise<void> {
  const { stdout } = io();
  if (!stdout.write(text)) await once(stdout, 'drain');
}

const unwritable = (file: string) => (error: unknown) => {
  throw new BatchgateError(
    'INVALID_INPUT',
    `The export cannot be written to ${file}: ${causeOf(error)?.cause ?? (error as Error).message}.`,
    'Choose a file in an existing, writable folder with --out.',
  );
};

/** The public key of this data folder; none if no worker has run here. */
async function ownKey(): Promise<string[]> {
  try {
    return [(await readAuditKeys(readConfig())).current.public_key];
  } catch {
    return [];
  }
}

/** Runs the shipped verifier as auditors do: separately from the rest of the product. */
async function verify(
  json: boolean,
  file: string,
  { key = [], ...others }: Partial<Record<'key' | 'has' | 'item' | 'claim' | 'proof', string[]>>,
): Promise<number> {
  const trusted = key.length > 0 ? key : await ownKey();
  const verifier = join(packageFolder() ?? '', 'verifier/verify-audit.mjs');
  const flags = Object.entries({ key: trusted, ...others }).flatMap(([name, values]) =>
    values.flatMap((value) => [`--${name}`, value]),
  );
  const child = spawn(process.execPath, [verifier, file, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (json) printJson({ verified: code === 0, lines: output.split('\n').filter((line) => line !== '') });
  else io().stdout.write(output);
  return code === 0 ? EXIT.done : code === 2 ? EXIT.usage : EXIT.refused;
}
