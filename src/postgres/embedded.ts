import { fsyncSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type * as Pglite from '@electric-sql/pglite';
import type * as PgliteFiles from '@electric-sql/pglite/nodefs';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { BatchgateError } from '../contract/errors';
import { makeFolder } from '../host/files';
import { optional } from '../host/optional';
import { holdFolder, type FolderUse } from './guard';

type NodeFS = PgliteFiles.NodeFS;
type FileSystemOptions = Awaited<ReturnType<NodeFS['init']>>['emscriptenOpts'];

/** Creates a file system for PGlite with the fsync that Emscripten's NODEFS lacks. */
function syncedFolder(path: string): NodeFS {
  const { NodeFS } = optional<typeof PgliteFiles>('@electric-sql/pglite/nodefs');
  class SyncedFolder extends NodeFS {
    override async init(
      pg: Parameters<NodeFS['init']>[0],
      options: FileSystemOptions,
    ): Promise<{ emscriptenOpts: FileSystemOptions }> {
      const { emscriptenOpts } = await super.init(pg, options);
      const before = emscriptenOpts.preRun;
      const preRun = [...(Array.isArray(before) ? before : []), addFsync];
      return { emscriptenOpts: { ...emscriptenOpts, preRun } };
    }
  }
  return new SyncedFolder(path);
}

function addFsync({ NODEFS }: { NODEFS?: unknown }): void {
  if (NODEFS === undefined) return;
  const operations = (NODEFS as { stream_ops: Record<string, unknown> }).stream_ops;
  operations['fsync'] = ({ nfd }: { nfd?: number }) => {
    if (nfd !== undefined) fsyncSync(nfd);
    return 0;
  };
}

/** PGlite has one connection, which serves one user at a time, so that transactions never interleave. */
class SingleConnection implements PostgresPool {
  private free: Promise<void> = Promise.resolve();

  constructor(
    private readonly pglite: Pglite.PGlite,
    private readonly onEnd: () => Promise<void>,
    private readonly options?: Pglite.QueryOptions,
  ) {}

  async connect(): Promise<PostgresPoolClient> {
    const release = await this.acquire();
    const query = async (text: string, parameters: readonly unknown[]) => {
      const { rows, affectedRows } = await this.pglite.query(text, [...parameters], this.options);
      return { command: 'UPDATE', rowCount: affectedRows ?? 0, rows };
    };
    return { query: query as PostgresPoolClient['query'], release };
  }

  async end(): Promise<void> {
    await this.acquire();
    await this.pglite.close();
    await this.onEnd();
  }

  private async acquire(): Promise<() => void> {
    const before = this.free;
    let release: () => void = () => undefined;
    this.free = new Promise((resolve) => (release = resolve));
    await before;
    return release;
  }
}

/**
 * Opens the database in `folder`, creates it if necessary, and holds it for this process until the pool ends.
 * @throws BatchgateError `NOT_CONFIGURED` when another process holds it, `INTERNAL` when it cannot be opened.
 */
export async function openFolder(
  folder: string,
  use: FolderUse,
  options?: Pglite.QueryOptions,
): Promise<PostgresPool> {
  await makeFolder(folder, 0o700);
  const guard = await holdFolder(folder, use);
  try {
    return new SingleConnection(await openDatabase(folder), () => guard.release(), options);
  } catch (error) {
    await guard.release();
    if (error instanceof BatchgateError) throw error;
    throw new BatchgateError(
      'INTERNAL',
      `Cannot open ${use.what}: ${error instanceof Error ? error.message : String(error)}`,
      use.mend,
    );
  }
}

/** Creates a database in a temporary folder and renames it when complete, so a killed start leaves no partial one. */
async function openDatabase(folder: string): Promise<Pglite.PGlite> {
  const place = join(folder, 'data');
  const exists = await stat(place).then(
    () => true,
    () => false,
  );
  if (!exists) {
    const draft = join(folder, 'data.new');
    await rm(draft, { recursive: true, force: true });
    await (await openSynced(draft)).close();
    await rename(draft, place);
  }
  return openSynced(place);
}

function openSynced(path: string): Promise<Pglite.PGlite> {
  const { PGlite } = optional<typeof Pglite>('@electric-sql/pglite');
  // PGlite disables fsync (`-F`), and its fdatasync does nothing. A commit must survive a power failure.
  const synced = PGlite.defaultStartParams.filter((param) => param !== '-F');
  return PGlite.create({ fs: syncedFolder(path), startParams: [...synced, '-c', 'wal_sync_method=fsync'] });
}
