import { InvalidArgumentError, type Command } from 'commander';
import { editBulkOperation, getBulkStatus, getStatusAfter } from '../../client';
import { editCommand } from '../../commands/decisions';
import { BatchgateError } from '../../contract/errors';
import { readJson } from '../../core/shared/json';
import { withClient } from '../connect';
import { flag } from '../flags';
import { verb } from '../verb';
import { stillOpen } from './decisions';
import { lastShown } from './shown-gate';
import { show } from './status';

interface EditFlags {
  set?: Record<string, unknown>;
  change?: Record<string, unknown>;
  batch?: number;
  attempt?: number;
  digest?: string;
  by?: string;
  note?: string;
}

export function addEditVerb(program: Command): void {
  const change = flag(editCommand, 'change', '--change <json>');
  verb(program, 'edit <id>', editCommand, edit)
    .option('--set <name=value>', 'the new value of one parameter; may be repeated', oneValue)
    .addOption(change.makeOptionMandatory(false))
    .addOption(flag(editCommand, 'batch', '--batch <n>'))
    .addOption(flag(editCommand, 'attempt', '--attempt <n>'))
    .addOption(flag(editCommand, 'digest', '--digest <digest>'))
    .addOption(flag(editCommand, 'by', '--by <who>'))
    .addOption(flag(editCommand, 'note', '--note <text>'));
}

async function edit(json: boolean, id: string, { set, change, ...flags }: EditFlags): Promise<void> {
  if (set === undefined && change === undefined)
    throw new BatchgateError(
      'INVALID_INPUT',
      'The edit names no parameter.',
      `Give one: npx batchgate edit ${id} --set NAME=VALUE, or --change '{"NAME": VALUE}'. Nothing was changed.`,
    );
  const named = flags.batch !== undefined || flags.digest !== undefined;
  const shown = lastShown(id);
  const status = await withClient(async (client) => {
    const gate = named ? {} : stillOpen({ ...shown, by: undefined }, await getBulkStatus(client, id), json);
    const turn = await editBulkOperation(client, id, { ...gate, ...flags, change: { ...change, ...set } });
    return getStatusAfter(client, turn);
  });
  show(status, json);
}

/** `label_name=Archive`; a value that is no text is JSON, such as `create_label=true`. */
function oneValue(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It has the form NAME=VALUE.');
  return { ...before, [name]: valueOf(value) };
}

const JSON_VALUE = /^(?:true|false|null|-?\d.*|[{["].*)$/s;

function valueOf(text: string): unknown {
  if (!JSON_VALUE.test(text)) return text;
  try {
    return readJson(text);
  } catch {
    return text;
  }
}
