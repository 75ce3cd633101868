import { cpus, totalmem } from 'node:os';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { isMissed, type Figure } from './figures';

const PAGE = join(__dirname, '../../docs/performance.md');
/** Characters of a bar that exactly reaches its goal. */
const BAR = 30;

/** The table of all figures, for the terminal and for docs/performance.md. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { name, median, least, most } = figure;
    const value = (of: number) => shown(figure, of);
    return [name, value(median), `${value(least)} to ${value(most)}`, goalOf(figure), verdictOf(figure)];
  });
  const lines = [['figure', 'median', 'rounds', 'goal', ''], ['---', '---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Replaces the figures on the page, and leaves the rest of its text unchanged. */
export async function writePage(figures: readonly Figure[]): Promise<void> {
  const before = await readFile(PAGE, 'utf8');
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const measured = [MARK_FROM, `Measured on ${machine}.`, tableOf(figures), plotOf(figures), MARK_TO].join(
    '\n\n',
  );
  const from = before.indexOf(MARK_FROM);
  const to = before.indexOf(MARK_TO);
  if (from < 0 || to < 0) throw new Error(`${PAGE} lacks the marks between which the figures stand`);
  const page = before.slice(0, from) + measured + before.slice(to + MARK_TO.length);
  await writeFile(PAGE, await format(page, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
}

const MARK_FROM = '<!-- figures -->';
const MARK_TO = '<!-- end of figures -->';

/** Plots how much of its goal each figure uses. A bar that ends at the line exactly reaches the goal. */
function plotOf(figures: readonly Figure[]): string {
  const aimed = figures.flatMap((figure) => (figure.goal ? [{ ...figure, goal: figure.goal }] : []));
  const width = Math.max(...aimed.map(({ name }) => name.length));
  const bars = aimed.map((figure) => {
    const { median, goal } = figure;
    const used = 'atMost' in goal ? median / goal.atMost : goal.atLeast / median;
    const length = Math.min(2 * BAR, Math.round(used * BAR));
    const bar = '█'.repeat(Math.min(length, BAR)) + '░'.repeat(Math.max(0, length - BAR));
    return `${figure.name.padEnd(width)}  ${bar.padEnd(BAR)}${length <= BAR ? '│' : ''}`;
  });
  return ['```text', ...bars, '```'].join('\n');
}

function shown({ unit }: Figure, value: number): string {
  if (unit === 'times') return value.toFixed(2);
  if (unit === 'ms') return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  return unit === 'MiB' ? `${Math.round(value)} MiB` : String(Math.round(value));
}

function goalOf(figure: Figure): string {
  const { goal } = figure;
  if (goal === undefined) return '';
  return 'atMost' in goal ? `≤ ${shown(figure, goal.atMost)}` : `≥ ${shown(figure, goal.atLeast)}`;
}

function verdictOf(figure: Figure): string {
  const { goal, median } = figure;
  if (goal === undefined) return '';
  if (isMissed(figure)) return 'missed';
  const reached = 'atMost' in goal ? median <= goal.atMost : median >= goal.atLeast;
  return reached ? 'reached' : 'within the noise';
}
