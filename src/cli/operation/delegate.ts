import type { Command } from 'commander';
import { delegateApproval, getStatusAfter } from '../../client';
import { delegateCommand } from '../../commands/delegate';
import { withClient } from '../connect';
import { flag } from '../flags';
import { verb } from '../verb';
import { atTerminal } from './shown-gate';
import { show } from './status';

interface Delegation {
  to: string;
  until: string;
  by?: string;
  note?: string;
  decisionId?: string;
}

export function addDelegateVerb(program: Command): void {
  verb(
    program,
    'delegate <id>',
    delegateCommand,
    async (json, id: string, { decisionId, ...flags }: Delegation) => {
      const asked = { ...flags, decision_id: decisionId };
      const status = await withClient(async (client) =>
        getStatusAfter(client, await delegateApproval(client, id, asked, atTerminal)),
      );
      show(status, json);
    },
  )
    .addOption(flag(delegateCommand, 'to', '--to <who>'))
    .addOption(flag(delegateCommand, 'until', '--until <time>'))
    .addOption(flag(delegateCommand, 'by', '--by <who>'))
    .addOption(flag(delegateCommand, 'note', '--note <text>'))
    .addOption(flag(delegateCommand, 'decision_id', '--decision-id <id>'));
}
