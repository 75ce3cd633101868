import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
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
  const lines = (write: (text: string) => Promise<unknown>) =>
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

/**
 * Lets `lines` write a file, or what is at its place, such as a device. An export that fails leaves an earlier one as
 * it was: personal data that has been deleted since could not be exported again.
 */
async function writtenWhole(
  out: string,
  lines: (write: (text: string) => Promise<unknown>) => Promise<number>,
): Promise<number> {
  const place = await realpath(out).catch(() => out);
  const isFile = (await stat(place).catch(() => undefined))?.isFile() ?? true;
  const draft = isFile ? `${place}.${process.pid}.draft` : place;
  const file = await open(draft, isFile ? 'wx' : 'w', 0o600).catch(unwritable(out));
  try {
    const count = await lines((text) => file.write(text)).finally(() => file.close());
    if (isFile) await rename(draft, place).catch(unwritable(out));
    return count;
  } catch (error) {
    if (isFile) await rm(draft, { force: true });
    throw error;
  }
}

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
