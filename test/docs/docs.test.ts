import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { errorCodeSchema } from '../../src/contract/errors';
import { FOLLOWS, RESERVED } from '../../src/contract/job-ids';
import { completeRequestSchema } from '../../src/contract/messages';
import { bulkOperationInputSchema } from '../../src/contract/operation';
import { configFileSchema } from '../../src/host/config-file';
import { recordDemo } from '../../scripts/record-demo';
import { runBatchgate } from '../helpers/command-line';
import { installed } from '../helpers/debian-package';
import { withPythonPackage } from '../helpers/python-package';
import { RADICALE } from '../helpers/radicale';
import { inLongRun } from '../helpers/long-run';
import { anchorsOf, blocksOf, commandsOf, inlineCode, linksOf, pages, root, textOf } from './markdown';
import { Reader } from './walk';

/** Tests the pages the way readers use them: runs every command, and checks that what they name exists. */
/** The only reasons not to run a command. */
const NOT_RUN = [
  'asks Google',
  'asks Trello',
  'builds Temporal from its source',
  'installs what this test runs from',
  'needs a Docker engine',
];

describe('every command of', () => {
  let reader: Reader;

  beforeAll(async () => {
    reader = await Reader.withClone();
    await reader.opensPage();
  });
  afterAll(() => reader.leaves());

  it('every page finds its program with npx', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    await reader.types({ script: 'command npx batchgate --version', shown: [version], exits: 0 });
  });

  it('README.md shows the current demo', async () => {
    const recorded = readFileSync(join(root, 'docs/images/demo.svg'), 'utf8');
    expect(await recordDemo(join(reader.clone, '.batchgate'))).toBe(recorded);
  });

  it.each(inLongRun(pages, ['README.md']))('%s does what the page says', async (page) => {
    if (page === 'docs/imap.md') installed('/usr/sbin/dovecot', 'dovecot-imapd');
    if (page === 'docs/caldav.md') Object.assign(process.env, await withPythonPackage(...RADICALE));
    await reader.opensPage();
    for (const command of commandsOf(page)) if (command.notRun === undefined) await reader.types(command);
  });
});

it('leaves a command unrun only for a listed reason, and no listed command is missing', () => {
  const given = pages.flatMap((page) => commandsOf(page).flatMap(({ notRun }) => notRun ?? []));
  expect([...new Set(given)].sort()).toEqual(NOT_RUN);
});

it('shows commands only in blocks that are run', () => {
  const program = /^(\$ )?(npx|npm|node|docker|temporal|python3|pip|batchgate|go) /m;
  const strays = pages.flatMap((page) =>
    blocksOf(page)
      .filter(({ language, body }) => !['sh', 'console'].includes(language) && program.test(body))
      .map(({ body }) => `${page}: ${body}`),
  );
  expect(strays).toEqual([]);
});

it('links to files and headings that exist', () => {
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter((link) => !/^https?:/.test(link))
      .filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : normalize(join(dirname(page), path));
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && !anchorsOf(target).includes(anchor);
      })
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

describe('the command line', () => {
  const named = pages.flatMap((page) => [...inlineCode(page), ...blocksOf(page).map(({ body }) => body)]);
  const helpOf = async (...verb: string[]) =>
    (await runBatchgate([...verb, '--help'], { dataDir: root })).stdout;
  const verbsIn = (help: string) =>
    [...(help.split('display help for command\n')[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)].map(
      ([, verb = '']) => verb,
    );

  it('has no verb that the pages do not name, and they name no others', async () => {
    const verbs = verbsIn(await helpOf()).filter((verb) => verb !== 'help');
    expect(verbs.length).toBeGreaterThan(20);
    const text = named.join('\n');
    expect(verbs.filter((verb) => !new RegExp(`(batchgate |^)${verb}\\b`, 'm').test(text))).toEqual([]);
    const unknown = [...text.matchAll(/npx batchgate ([a-z-]+)/g)].map(([, verb = '']) => verb);
    expect(unknown.filter((verb) => !verbs.includes(verb))).toEqual([]);
  });

  it('knows every option that the pages give a verb', async () => {
    const given = named
      .flatMap((code) => code.replaceAll('\\\n', ' ').split('\n'))
      .flatMap((line) => [
        ...line.matchAll(
          /npx batchgate ((?:(?:task|contract|profile|macro|scratchpad|keys|webhooks|audit|policy) )?[a-z-]+)( (?:google|trello))?([^|<>]*)/g,
        ),
      ])
      .flatMap(([, verb = '', sub = '', rest = '']) =>
        [...rest.replace(/'[^']*'|"[^"]*"/g, '').matchAll(/ (--[a-z-]+)/g)].map(([, option = '']) => ({
          verb: `${verb}${sub}`,
          option,
        })),
      );
    const verbs = [...new Set(given.map(({ verb }) => verb))];
    const help = new Map(
      await Promise.all(verbs.map(async (verb) => [verb, await helpOf(...verb.split(' '))] as const)),
    );
    expect(given.filter(({ verb, option }) => !help.get(verb)?.includes(`${option} `))).toEqual([]);
    expect(given.length).toBeGreaterThan(10);
  });
});

describe('the variables', () => {
  const example = readFileSync(join(root, '.env.example'), 'utf8');
  const inExample = [...example.matchAll(/^#([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);

  it('that are read are those of .env.example', () => {
    const config = readFileSync(join(root, 'src/host/config.ts'), 'utf8');
    const read = [...config.matchAll(/^ {2}(BATCHGATE_[A-Z_]+):/gm)].map(([, name = '']) => name);
    const listed = inExample.filter((name) => name.startsWith('BATCHGATE_'));
    expect(read.length).toBeGreaterThan(10);
    expect([...listed].sort()).toEqual([...read].sort());
  });

  it('that the pages name are in .env.example, docker-compose.yml or a program to copy', () => {
    const programs = readdirSync(join(root, 'examples/webhooks')).map((file) => `examples/webhooks/${file}`);
    const told = ['docker-compose.yml', ...programs].map((file) => readFileSync(join(root, file), 'utf8'));
    const names = pages.flatMap(
      (page) => textOf(page).match(/\b(BATCHGATE|TEMPORAL)_[A-Z][A-Z_]*[A-Z]\b/g) ?? [],
    );
    const codes: string[] = errorCodeSchema.options;
    const variables = names.filter((name) => !codes.includes(name) && !inExample.includes(name));
    expect(variables.filter((name) => !told.some((text) => text.includes(name)))).toEqual([]);
  });

  it("each have a comment on their purpose, which the operator's page refers to", () => {
    const paragraphs = example.split('\n\n').filter((paragraph) => /^#[A-Z_]+=/m.test(paragraph));
    expect(paragraphs.filter((paragraph) => !/^# \w/m.test(paragraph))).toEqual([]);
    expect(linksOf('docs/operating.md')).toContain('../.env.example');
  });
});

it("names every key of the configuration file on the operator's page, and no others", () => {
  const [, table = ''] = textOf('docs/operating.md').split('Every key is optional:');
  const rows = (table.split('\n\n')[1] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([\w.]+)`/g)]);
  const keys = new Set(listed.map(([, name = '']) => name.split('.')[0]));
  expect([...keys, '$schema'].sort()).toEqual(Object.keys(configFileSchema.shape).sort());
});

it('names every reserved id on the page about recovery, and no others', () => {
  const paragraph = /^Ids that begin with[\s\S]*?\n\n/m.exec(textOf('docs/recovery.md'))?.[0] ?? '';
  const named = [...paragraph.matchAll(/`([.\w-]+)`/g)].map(([, name = '']) => name);
  const endings = named.filter((name) => name.startsWith('.'));
  const begun = named.filter((name) => !name.startsWith('.'));
  const whole = RESERVED.filter(({ ids }) => !begun.some((name) => ids.test(name)));
  expect({ whole, endings: endings.sort() }).toEqual({
    whole: [],
    endings: Object.keys(FOLLOWS)
      .map((ending) => `.${ending}`)
      .sort(),
  });
  expect(begun.filter((name) => !RESERVED.some(({ ids }) => ids.test(name)))).toEqual([]);
});

it('names every field of a start and of a completion on the page for other languages', () => {
  const text = textOf('docs/other-languages.md');
  const setByDoors = ['requested_subject', 'editors', 'signed', 'proof', 'through', 'approver'];
  const fields = [
    ...Object.keys(bulkOperationInputSchema.shape),
    ...Object.keys(completeRequestSchema.shape),
  ];
  const names = fields.filter((name) => !setByDoors.includes(name));
  expect(names.filter((name) => !new RegExp(`[\`"]${name}[\`"]`).test(text))).toEqual([]);
});

it('shows code of the examples exactly as it is there', () => {
  const folders = ['examples', 'examples/adapters', 'examples/embedding', 'examples/tools'].map((folder) =>
    join(root, folder),
  );
  const lines = (code: string) =>
    code
      .split('\n')
      .map((line) => line.trim())
      .join('\n')
      .trim();
  const examples = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /\.[cm]js$/.test(name))
      .map((name) => lines(readFileSync(join(folder, name), 'utf8'))),
  );
  const shown = pages.flatMap((page) => blocksOf(page).filter(({ language }) => language === 'js'));
  expect(shown.length).toBeGreaterThan(5);
  const strays = shown
    .map(({ body }) => lines(body))
    .filter((code) => !examples.some((it) => it.includes(code)));
  expect(strays).toEqual([]);
});

it('every example client is one that the pages run', () => {
  const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(py|sh)$/.test(name),
  );
  const typed = pages.flatMap((page) => commandsOf(page).map(({ script }) => script)).join('\n');
  expect(examples.filter((name) => !typed.includes(`examples/${name}`))).toEqual([]);
});
