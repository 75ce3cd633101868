import { BatchgateError } from '../contract/errors';

const CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'something else has this name',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
};

/** In words, what the system refused to do with a file; undefined for any other error. */
export function causeOf(error: unknown): { cause: string; path: string } | undefined {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  const cause = CAUSES[code ?? ''];
  return cause === undefined || path === undefined ? undefined : { cause, path };
}

/** A file of ours that cannot be made, read or written is a matter of the machine, and no defect. */
export function fromSystem(error: unknown): BatchgateError | undefined {
  const found = causeOf(error);
  if (found === undefined) return undefined;
  return new BatchgateError(
    'NOT_CONFIGURED',
    `${found.path} cannot be used: ${found.cause}.`,
    'Make its folder writable and see that the disk has room, or set BATCHGATE_DATA_DIR to another folder; `npx batchgate doctor` looks at each part.',
  );
}
