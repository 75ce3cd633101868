import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import ts from 'typescript';
import manifest from '../../package.json';
import * as index from '../../src';
import { blocksOf, pages, root, textOf } from './markdown';

/** What the package exports: few names, each described, and with them every name that their signatures need. */
const MOST = 60;

const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string'
    ? []
    : [
        {
          name: join('batchgate', path),
          file: join(root, target.types.replace('./dist/', '').replace('.d.ts', '.ts')),
        },
      ],
);
const options: ts.CompilerOptions = {
  // Only names of our own are looked at, and reading the declarations of Node.js and of packages takes longer than that.
  ...{ noLib: true, types: [], strict: true, esModuleInterop: true },
  module: ts.ModuleKind.Node20,
  moduleResolution: ts.ModuleResolutionKind.Node16,
  target: ts.ScriptTarget.ES2023,
};
const host = ts.createCompilerHost(options);
host.resolveModuleNameLiterals = (names, from, _, given) =>
  names.map(({ text }) =>
    text.startsWith('.') ? ts.resolveModuleName(text, from, given, host) : { resolvedModule: undefined },
  );
const program = ts.createProgram(
  entries.map(({ file }) => file),
  options,
  host,
);
const checker = program.getTypeChecker();
const original = (symbol: ts.Symbol) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

const exported = entries.map(({ name, file }) => {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
  return { name, symbols: checker.getExportsOfModule(module) };
});
const all = exported.flatMap(({ symbols }) => symbols);
const known = new Set(all.map(original));

it(`exports at most ${MOST} names`, () => {
  expect(new Set(all.map(({ name }) => name)).size).toBeLessThanOrEqual(MOST);
});

it('describes every name where it is declared', () => {
  const silent = all.filter((symbol) => original(symbol).getDocumentationComment(checker).length === 0);
  expect(silent.map(({ name }) => name)).toEqual([]);
});

it('exports every type of the package that a signature names', () => {
  const unknown = all.flatMap((symbol) =>
    (original(symbol).declarations ?? []).flatMap((declaration) =>
      typesIn(declaration)
        .filter((named) => !known.has(named))
        .map((named) => `${symbol.name} names ${named.name}`),
    ),
  );
  expect([...new Set(unknown)]).toEqual([]);
});

it('lists the names of each entry point in docs/embedding.md, and no others', () => {
  const text = textOf('docs/embedding.md');
  for (const { name, symbols } of exported) {
    const [, section = ''] = text.split(`### \`${name}\`\n`);
    const rows = (section.split('\n#')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
    const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)]);
    const names = listed.map(([, listedName = '']) => listedName);
    expect({ name, names: names.sort() }).toEqual({ name, names: symbols.map((one) => one.name).sort() });
  }
});

it('is used from code, on every page, by names that exist', () => {
  const batchgate = new index.Batchgate({ client: {} as Client });
  const sentences = pages.flatMap((page) => textOf(page).match(/From code,[\s\S]*?(?=\.\s|:\n)/g) ?? []);
  expect(sentences.length).toBeGreaterThan(3);
  for (const sentence of sentences) {
    const names = [...sentence.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
    const owners = [
      batchgate,
      ...(/`batchgate\.macros`/.test(sentence) ? [batchgate.macros] : []),
      ...(/`batchgate\.taskRuns`/.test(sentence) ? [batchgate.taskRuns] : []),
    ];
    const unknown = names.filter((name) => {
      const [first = '', ...path] = name.split('.');
      const start: unknown[] =
        first === 'batchgate' ? [batchgate] : [index, ...owners].map((owner) => member(owner, first));
      return !start.some((value) => path.reduce(member, value) !== undefined);
    });
    expect({ sentence, unknown }).toEqual({ sentence, unknown: [] });
  }
});

it('lists the optional packages in docs/embedding.md', () => {
  const [, table = ''] = textOf('docs/embedding.md').split('These packages are optional');
  const rows = (table.split('\n\n')[1] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)]);
  expect(listed.map(([, name = '']) => name).sort()).toEqual(
    Object.keys(manifest.optionalDependencies).sort(),
  );
});

it('runs every block of TypeScript that the pages show', () => {
  const shown = pages.flatMap((page) => blocksOf(page).filter(({ language }) => language === 'ts'));
  expect(shown.length).toBeGreaterThan(0);
  const module = (name: string): unknown => {
    if (name !== 'batchgate') throw new Error(`the pages import ${name}`);
    return index;
  };
  for (const { body } of shown) {
    const { outputText } = ts.transpileModule(body, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the code of our own pages
    const run = new Function('require', 'exports', 'console', outputText) as (...given: unknown[]) => void;
    run(module, {}, { log: () => undefined });
  }
});

const member = (owner: unknown, name: string): unknown =>
  (owner as Record<string, unknown> | undefined)?.[name];

/** The types of this package that a declaration names, without those in the bodies of functions. */
function typesIn(declaration: ts.Node): ts.Symbol[] {
  const types: ts.Symbol[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeQueryNode(node)) return ofFunction(node)?.declarations?.forEach(visit);
    if (ts.isBlock(node) || ts.isAsExpression(node) || isPrivate(node)) return;
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined;
    const symbol = name && checker.getSymbolAtLocation(name);
    if (symbol && isOurs(original(symbol))) types.push(original(symbol));
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return types;
}

/** The function of a `typeof`, whose signature is then part of the declaration; a schema stands for its values. */
function ofFunction({ exprName }: ts.TypeQueryNode): ts.Symbol | undefined {
  const symbol = checker.getSymbolAtLocation(exprName);
  const declared = symbol && original(symbol);
  return declared && declared.flags & ts.SymbolFlags.Function ? declared : undefined;
}

const isPrivate = (node: ts.Node) => ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name);

const isOurs = ({ flags, declarations = [] }: ts.Symbol): boolean =>
  !(flags & ts.SymbolFlags.TypeParameter) &&
  declarations.some((one) => !one.getSourceFile().fileName.includes('node_modules'));
