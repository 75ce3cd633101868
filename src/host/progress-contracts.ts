import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { loadConfig } from './config';
import { BatchgateError, describeIssues, parseInput } from '../contract/errors';
import type { CompleteRequest } from '../contract/messages';
import type { BulkProgressContract, CompletionGuardResult } from '../contract/progress';
import {
  contractIdSchema,
  standaloneContractSchema,
  type StandaloneContract,
  type StandaloneContractInput,
  type StandaloneStatus,
  recordRequestSchema,
  type RecordRequest,
} from '../contract/task-run';
import { parseCompletion } from '../core/progress/completion-guard';
import { recordAll } from '../core/progress/contract';
import {
  agreeAlike,
  beginStandalone,
  completeStandalone,
  refuseCompleted,
  standaloneStatus,
} from '../core/progress/standalone-contract';
import { replaceFile, whenMissing, makeFolder } from './files';
import { withLock } from './lock';

/** The progress contracts of a data folder that belong to no run, shared by any number of processes. */
export interface ProgressContracts {
  readonly folder: string;
  /**
   * Creates a contract without records; for the same input, returns the existing one.
   * @throws BatchgateError `INVALID_INPUT`, or `IDEMPOTENCY_CONFLICT` when the id is that of another contract.
   */
  create(input: StandaloneContractInput): Promise<StandaloneContract>;
  /** @throws BatchgateError `NOT_FOUND`, or `INVALID_INPUT` naming the file and its mistakes. */
  read(id: string): Promise<StandaloneContract>;
  /**
   * Replaces the contract atomically with the result of `work`, while no other process changes it.
   * @throws BatchgateError `OPERATION_CLOSED` once it is completed, `INVALID_INPUT` when the result is not a contract.
   */
  change(
    id: string,
    work: (contract: BulkProgressContract) => BulkProgressContract,
  ): Promise<StandaloneContract>;
  /** Records progress; repeating it changes nothing. */
  record(id: string, request: RecordRequest): Promise<StandaloneContract>;
  /** Completes it. A refusal by the guard is a result, not an error. */
  complete(id: string, request?: CompleteRequest): Promise<CompletionGuardResult>;
  /** All contracts, newest first, and an error for each file that is not one. */
  list(): Promise<{ contracts: StandaloneStatus[]; malformed: BatchgateError[] }>;
}

/** Files in `progress-contracts` of the data folder, by default that of BATCHGATE_DATA_DIR. No server is needed. */
export function progressContracts(dataDir = loadConfig().dataDir): ProgressContracts {
  const folder = join(dataDir, 'progress-contracts');
  const pathOf = (id: string) =>
    join(folder, fileNameOf(parseInput(contractIdSchema, id, 'The contract id')));
  const exclusively = async <T>(path: string, work: () => Promise<T>) => {
    await makeFolder(folder, 0o700);
    return withLock(`${path}.lock`, stuck(path), work);
  };
  const read = async (id: string) => {
    const stored = await load(pathOf(id));
    if (stored) return stored;
    throw new BatchgateError(
      'NOT_FOUND',
      'No such progress contract.',
      'Take the id from `batchgate contract list`.',
    );
  };
  /** `work` returns the contract to store, and any other result. */
  const replace = async <T extends { contract: StandaloneContract }>(
    id: string,
    work: (stored: StandaloneContract) => T,
  ): Promise<T> => {
    // A missing contract needs no folder and no lock.
    await read(id);
    return exclusively(pathOf(id), async () => {
      const stored = await read(id);
      refuseCompleted(stored);
      const answer = work(stored);
      if (answer.contract !== stored) await save(pathOf(id), answer.contract);
      return answer;
    });
  };
  const change: ProgressContracts['change'] = async (id, work) => {
    const { contract } = await replace(id, (stored) => ({ contract: checked(stored, work(stored)) }));
    return contract;
  };
  return {
    folder,
    read,
    change,
    async create(input) {
      const contract = beginStandalone(input, Date.now());
      const path = pathOf(contract.contract_id);
      return exclusively(path, async () => {
        const stored = await load(path);
        if (!stored) return save(path, contract);
        if (agreeAlike(stored, contract)) return stored;
        throw conflict(contract.contract_id);
      });
    },
    async record(id, request) {
      const entries = parseInput(recordRequestSchema, request, 'The record');
      return change(id, (contract) => recordAll(contract, entries, Date.now()));
    },
    async complete(id, request) {
      const completion = parseCompletion(request);
      const { guard } = await replace(id, (stored) => completeStandalone(stored, completion, Date.now()));
      return guard;
    },
    list: () => listIn(folder),
  };
}

/** Longer names are cut, and distinguished by a hash. */
const LONGEST_NAME = 120;
const KEPT_OF_A_LONGER_ONE = 50;

/**
 * The file of an id. Plain ids are their own names; all other bytes are escaped, also capitals, because some file
 * systems do not distinguish them from small letters. No two ids have the same file, and no file is in another folder.
 */
function fileNameOf(id: string): string {
  const name = [...Buffer.from(id)]
    .map((byte, at) => {
      const char = String.fromCharCode(byte);
      const plain = /[a-z0-9_-]/.test(char) || (char === '.' && at > 0);
      return plain ? char : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  if (name.length <= LONGEST_NAME) return `${name}.json`;
  const hash = createHash('sha256').update(id).digest('hex');
  return `${name.slice(0, KEPT_OF_A_LONGER_ONE)}~${hash}.json`;
}

async function listIn(folder: string): ReturnType<ProgressContracts['list']> {
  const names = await readdir(folder).catch(whenMissing);
  const contracts: StandaloneStatus[] = [];
  const broken: BatchgateError[] = [];
  for (const name of (names ?? []).filter((each) => each.endsWith('.json')).sort()) {
    try {
      const contract = await load(join(folder, name));
      if (contract) contracts.push(standaloneStatus(contract));
    } catch (error) {
      if (!(error instanceof BatchgateError)) throw error;
      broken.push(error);
    }
  }
  contracts.sort((a, b) => b.created_at.localeCompare(a.created_at));
  return { contracts, malformed: broken };
}

async function load(path: string): Promise<StandaloneContract | undefined> {
  const text = await readFile(path, 'utf8').catch(whenMissing);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(path, `it is not valid JSON: ${(error as Error).message}`);
  }
  const parsed = standaloneContractSchema.safeParse(value);
  if (!parsed.success) throw malformed(path, describeIssues(parsed.error));
  if (basename(path) === fileNameOf(parsed.data.contract_id)) return parsed.data;
  throw malformed(path, `contract_id: "${parsed.data.contract_id}" belongs in another file`);
}

async function save(path: string, contract: StandaloneContract): Promise<StandaloneContract> {
  await replaceFile(path, `${JSON.stringify(contract, null, 2)}\n`);
  return contract;
}

/** Checks the result of a caller's function, which may be anything. */
function checked(stored: StandaloneContract, changed: BulkProgressContract): StandaloneContract {
  if (changed === stored) return stored;
  const next = parseInput(standaloneContractSchema, changed, 'The changed progress contract');
  if (next.contract_id === stored.contract_id && next.completed_at === undefined) return next;
  throw new BatchgateError(
    'INVALID_INPUT',
    'An update can neither change the contract_id of a progress contract nor complete it.',
    'Create another contract, or complete this one.',
  );
}

const malformed = (path: string, mistakes: string) =>
  new BatchgateError(
    'INVALID_INPUT',
    `${path} is not a valid progress contract: ${mistakes}`,
    'Fix the named fields in the file, or move it away and create the contract again.',
  );

const conflict = (id: string) =>
  new BatchgateError(
    'IDEMPOTENCY_CONFLICT',
    `Another progress contract has the id ${id}.`,
    'Choose another id, or create it with the same contract to continue with the existing one.',
  );

const stuck = (path: string) =>
  new BatchgateError(
    'NOT_CONFIGURED',
    `Another process is changing ${path} and does not finish; it holds ${path}.lock.`,
    'Stop that process, then try again.',
  );
