import type { Command } from 'commander';
import { getBulkStatus, getStatusAfter, reviseBulkOperation } from '../../client';
import { reviseCommand } from '../../commands/revise';
import { withClient } from '../connect';
import { flag } from '../flags';
import { verb } from '../verb';
import { stillOpen } from './decisions';
import { atTerminal, lastShown } from './shown-gate';
import { show } from './status';

interface ReviseFlags {
  note: string;
  batch?: number;
  attempt?: number;
  digest?: string;
  by?: string;
}

export function addReviseVerb(program: Command): void {
  verb(program, 'revise <id>', reviseCommand, sendBack)
    .addOption(flag(reviseCommand, 'note', '--note <text>'))
    .addOption(flag(reviseCommand, 'batch', '--batch <n>'))
    .addOption(flag(reviseCommand, 'attempt', '--attempt <n>'))
    .addOption(flag(reviseCommand, 'digest', '--digest <digest>'))
    .addOption(flag(reviseCommand, 'by', '--by <who>'));
}

/** Without a batch, it is for the question that was printed here last. */
async function sendBack(json: boolean, id: string, flags: ReviseFlags): Promise<void> {
  const named = flags.batch !== undefined || flags.digest !== undefined;
  const shown = lastShown(id);
  const status = await withClient(async (client) => {
    const gate = named ? {} : stillOpen({ ...shown, by: flags.by }, await getBulkStatus(client, id), json);
    return getStatusAfter(client, await reviseBulkOperation(client, id, { ...gate, ...flags }, atTerminal));
  });
  show(status, json);
}
