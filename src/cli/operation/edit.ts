import type { Client } from '@temporalio/client';
import { InvalidArgumentError, type Command } from 'commander';
import { editBulkOperation, type DecisionOptions } from '../../client';
import { editCommand } from '../../commands/decisions';
import { BatchgateError } from '../../contract/errors';
import type { BulkTurn } from '../../contract/operation';
import { readJson } from '../../core/shared/json';
import { flag, type Given } from '../flags';
import { decisionVerb, questionOf, QUESTION } from './decisions';

interface EditFlags extends Given<typeof editCommand, keyof typeof QUESTION | 'by' | 'note'> {
  set?: Record<string, unknown>;
  change?: Record<string, unknown>;
}

export function addEditVerb(program: Command): void {
  const usages = { ...QUESTION, by: '--by <who>', note: '--note <text>' };
  decisionVerb(program, 'edit <id>', editCommand, usages, edit)
    .option('--set <name=value>', 'the new value of one parameter; may be repeated', oneValue)
    .addOption(flag(editCommand, 'change', '--change <json>').makeOptionMandatory(false));
}

async function edit(
  client: Client,
  id: string,
  { set, change, ...flags }: EditFlags,
  how: DecisionOptions,
  json: boolean,
): Promise<BulkTurn> {
  if (set === undefined && change === undefined)
    throw new BatchgateError(
      'INVALID_INPUT',
      'The edit names no parameter.',
      `Give one: npx batchgate edit ${id} --set NAME=VALUE, or --change '{"NAME": VALUE}'. Nothing was changed.`,
    );
  const { batch, digest } = flags;
  const gate = await questionOf(client, id, { batch, digest }, json);
  return editBulkOperation(client, id, { ...gate, ...flags, change: { ...change, ...set } }, how);
}

/** Parses `label_name=Archive`. A value other than text is JSON, as in `create_label=true`. */
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
