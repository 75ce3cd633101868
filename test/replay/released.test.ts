import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { releases, toRelease } from '../helpers/releases';

it('keeps each history and each migration of a release as it was', async () => {
  const today = await toRelease();
  for (const [version, { histories, migrations }] of Object.entries(await releases())) {
    const kept = (released: object, current: Record<string, string>) =>
      Object.fromEntries(Object.keys(released).map((name) => [name, current[name]]));
    expect({ version, ...kept(histories, today.histories) }).toEqual({ version, ...histories });
    expect({ version, ...kept(migrations, today.migrations) }).toEqual({ version, ...migrations });
    const first = Object.keys(today.migrations).slice(0, Object.keys(migrations).length);
    expect({ version, first }).toEqual({ version, first: Object.keys(migrations) });
  }
});

it('has what each dated version of the changelog fixed', async () => {
  const text = await readFile(join(__dirname, '../../CHANGELOG.md'), 'utf8');
  const dated = [...text.matchAll(/^## \[(.+)\] - \d{4}-\d\d-\d\d$/gm)].map(([, version]) => version);
  expect(dated.length).toBeGreaterThan(0);
  expect(Object.keys(await releases())).toEqual(dated.sort());
});
