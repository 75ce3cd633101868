import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as ts from 'typescript';
import { withLockedPrograms } from '../helpers/npm-programs';

const ROOT = resolve(__dirname, '../..');

type Pattern = Record<'source' | 'flags', string>;
/** https://github.com/RunDevelopment/scslre */
let analyse: (pattern: Pattern) => { reports: unknown[] };
beforeAll(async () => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  ({ analyse } = require(join(await withLockedPrograms('patterns'), 'scslre')) as {
    analyse: typeof analyse;
  });
});

/** Patterns that meet only texts whose length was measured before: MAX_ANSWER_LENGTH of the classifier. */
const MEASURED = [
  'src/core/intent/classifier.ts: /[\\s.!…。！]+$/',
  'src/core/intent/classifier.ts: /[ \\t\\u00A0]+[-–—][ \\t\\u00A0]+|[ \\t\\u00A0]*[,.!…，。！、]+[ \\t\\u00A0]*/g',
  'src/core/intent/refusals.ts: /^(?:(?:🛑|❌|⛔|🚫|👎|✋|🙅|😡|😤|😅|😭|😱|🙏|🙂) ?)+|(?: ?(?:, )?(?:🛑|❌|⛔|🚫|👎|✋|🙅|😡|😤|😅|😭|😱|🙏|🙂))+$/gu',
];

function patternsOf(file: string): Pattern[] {
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest));
  return found;
}

/** The files of a folder that run where the product runs. */
const filesOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js|cjs|mjs)$/.test(name))
    .map((name) => join(folder, name));

it('takes no longer with any pattern than its text grows, but for texts that were measured before', () => {
  const slow = ['src', 'activities', 'workflows', 'bin', 'assets', 'examples']
    .flatMap(filesOf)
    .flatMap((file) =>
      patternsOf(file).flatMap((pattern) =>
        analyse(pattern).reports.length > 0 ? [`${file}: /${pattern.source}/${pattern.flags}`] : [],
      ),
    );
  expect([...new Set(slow)].sort()).toEqual([...MEASURED].sort());
});

it.each([
  '\\{\\{\\s*(\\.?)([^{}]*?)\\s*\\}\\}',
  '^\\s*```(?:json)?\\s*\\n([\\s\\S]*?)\\n\\s*```\\s*$',
  '\\/+$',
])('finds /%s/, which took longer than its text grew', (source) => {
  expect(analyse({ source, flags: '' }).reports).not.toEqual([]);
});
