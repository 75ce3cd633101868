import { chmod, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exposureOf, makeFolder, NotAFile, openFile, replaceFile } from '../../src/host/files';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'batchgate-files-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

it('lets no other user read what it writes, whatever was there before', async () => {
  const [file, secret] = [join(folder, 'login.json'), join(folder, 'elsewhere')];
  await writeFile(file, 'old', { mode: 0o644 });
  await replaceFile(file, 'new');
  expect(await modeOf(file)).toBe(0o600);
  // A draft that somebody left, as a link to another file, is not written through.
  await writeFile(secret, 'untouched');
  await symlink(secret, `${file}.draft`);
  await replaceFile(file, 'newer');
  expect((await stat(secret)).size).toBe('untouched'.length);
});

it('makes folders for their owner alone, and names those that others may look into or change', async () => {
  const own = join(folder, 'a', 'data');
  await makeFolder(own, 0o700);
  expect([await modeOf(own), await modeOf(join(folder, 'a'))]).toEqual([0o700, 0o700]);
  expect(await exposureOf(own)).toBeUndefined();
  await chmod(own, 0o750);
  expect((await exposureOf(own))?.detail).toMatch(/mode 750: other users of this machine may look into it$/);
  await chmod(own, 0o707);
  expect((await exposureOf(own))?.detail).toMatch(/may change it$/);
});

it('opens files, and nothing that may never end', async () => {
  await expect(openFile(folder)).rejects.toBeInstanceOf(NotAFile);
  await expect(openFile('/dev/zero')).rejects.toBeInstanceOf(NotAFile);
});
