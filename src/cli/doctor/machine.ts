import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exposureOf } from '../../host/files';
import { TEMPORAL_CLI } from '../../host/temporal/artifacts';
import { ok, problem, warning, type Finding } from './check';

const OLDEST_NODE = [20, 19] as const;
const LITTLE_SPACE_BYTES = 500_000_000;

export function judgeNode(node: string, ours: string): Finding {
  const [major = 0, minor = 0] = node.replace(/^v/, '').split('.').map(Number);
  const detail = `Node ${node}, batchgate ${ours}`;
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return ok(detail);
  return problem(detail, `Install Node ${OLDEST_NODE.join('.')} or newer; 20, 22 and 24 are tested.`);
}

export function judgePlatform(platform: string, arch: string): Finding {
  const detail = `${platform} ${arch}`;
  if (TEMPORAL_CLI.builds[detail.replace(' ', '-')]) return ok(detail);
  return warning(
    `${detail}: no Temporal server is pinned for it`,
    "Set TEMPORAL_ADDRESS to a running server, or put Temporal's command line on the PATH.",
  );
}

/** Checks the data folder, or the one in which it would be created. */
export async function probeFolder(dataDir: string): Promise<Finding> {
  const folder = await nearest(dataDir);
  const remedy = 'Make it writable for this user, or set BATCHGATE_DATA_DIR to another folder.';
  if (!folder.isDirectory) return problem(`${folder.path} is not a folder`, remedy);
  try {
    await access(folder.path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return problem(`${folder.path} cannot be used: ${(error as Error).message}`, remedy);
  }
  const { bavail, bsize } = await statfs(folder.path);
  const free = bavail * bsize;
  const room = `${(free / 1e9).toFixed(1)} GB free`;
  if (free < LITTLE_SPACE_BYTES) {
    return warning(
      `${folder.path} is writable, ${room}`,
      'Make room on this disk, or set BATCHGATE_DATA_DIR.',
    );
  }
  if (folder.path !== dataDir) return ok(`${dataDir} is made at the first start, ${room}`);
  const exposure = await exposureOf(dataDir);
  if (exposure) return warning(exposure.detail, exposure.remedy);
  return ok(`${dataDir} is writable, ${room}`);
}

async function nearest(path: string): Promise<{ path: string; isDirectory: boolean }> {
  try {
    const stats = await stat(path);
    return { path, isDirectory: stats.isDirectory() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return nearest(dirname(path));
  }
}
