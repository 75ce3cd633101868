import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { progressContracts } from '../../client';
import type { StandaloneContractInput, StandaloneStatus } from '../../contract/task-run';
import { standaloneStatus } from '../../core/progress/standalone-contract';
import { oneLine } from '../../core/shared/plain-text';
import { readConfig } from '../io';
import { EXIT, fail, print, printJson, table } from '../output';
import { completeVerb, contractFlag, printMissing, recordVerb } from './verbs';
import { verb } from '../verb';

const contracts = () => progressContracts(readConfig().dataDir);

/** Verbs for progress contracts without a task run: files in the data folder, without a server (specification T13). */
export function addContractVerbs(program: Command): void {
  const group = program.command('contract').description('progress contracts without a task run or a server');
  verb(
    group,
    'create',
    'create a contract, or find the one with this id',
    async (json, { id, contract = {} }: CreateFlags) => {
      const withId = { contract_id: `contract-${randomUUID()}`, ...contract };
      const input = (id === undefined ? withId : { ...contract, contract_id: id }) as StandaloneContractInput;
      show(standaloneStatus(await contracts().create(input)), json);
    },
  )
    .option(...contractFlag)
    .option('--id <id>', 'its id; if that contract exists, it is used');

  recordVerb(group, async (json, id, request) => {
    show(standaloneStatus(await contracts().record(id, request)), json);
  });

  completeVerb(group, (id, request) => contracts().complete(id, request));

  verb(group, 'get <id>', 'where it stands', async (json, id: string, { items }: { items?: boolean }) => {
    show(standaloneStatus(await contracts().read(id), { items }), json);
  }).option('--items', 'everything that it lists, not only the latest ten; with --json');

  verb(group, 'list', 'progress contracts, newest first', list);
}

interface CreateFlags {
  contract?: Record<string, unknown>;
  id?: string;
}

async function list(json: boolean): Promise<number> {
  const { contracts: rows, malformed } = await contracts().list();
  if (json) rows.forEach(({ completed: _, failed: __, skipped: ___, ...row }) => printJson(row));
  else
    print(
      table(
        ['contract', 'state', 'completed', 'failed', 'skipped'],
        rows.map((row) => [
          row.contract_id,
          row.state,
          `${row.completed_count}${ofTotal(row)}`,
          String(row.failed_count),
          String(row.skipped_count),
        ]),
      ),
    );
  // The answer is the rows; files that could not be read are reported on stderr.
  malformed.forEach((error) => fail(error, false));
  return malformed.length === 0 ? EXIT.done : EXIT.refused;
}

function show(status: StandaloneStatus, json: boolean): void {
  if (json) return printJson(status);
  const { contract_id, state, completed_count, failed_count, skipped_count, cursor, guard } = status;
  const counts = `${completed_count}${ofTotal(status)} completed, ${failed_count} failed, ${skipped_count} skipped`;
  print(`${oneLine(contract_id)}: ${state}, ${counts}.`);
  print(`contract   ${oneLine(contract_id)}`);
  if (cursor !== undefined) print(`cursor     ${oneLine(cursor)}`);
  if (status.forced) print(`forced     ${oneLine(status.forced.reason)}`);
  if (state === 'open') printMissing(guard);
}

const ofTotal = ({ expected_total }: StandaloneStatus) =>
  expected_total === undefined ? '' : ` of ${expected_total}`;
