import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Terminal, type IBufferCell } from '@xterm/headless';
import { startOnTerminal } from '../test/helpers/command-line';

/** Each input, and the end of the demo's answer to it. */
const ANSWERS: [string, string][] = [
  ['continue', "40 items remaining. Say 'continue' to process the next batch, or 'cancel' to stop."],
  ['maybe', "Say 'continue' or 'cancel'."],
  ['stop', 'before cancellation.'],
];
const COLUMNS = 120;
const CELL = { width: 8, height: 19 };
const MARGIN = 16;
const SECONDS = { reading: 2.5, answering: 0.8, last: 5 };

/** A line on the terminal, and the second at which it appears. */
interface Line {
  at: number;
  spans: { text: string; column: number; style: string }[];
}

/** Runs the demo on a terminal, and draws it from its first question on as an animated SVG, always identical. */
export async function recordDemo(dataDir: string): Promise<string> {
  const demo = startOnTerminal(['demo'], { dataDir });
  const output = () => demo.output.slice(demo.output.indexOf('Batch 1 of'));
  await demo.says("or 'cancel' to abort.\u001b[22m\r\n");
  const lines = [typed('$ npm start', 0), ...(await linesOf(output())).map(at(SECONDS.answering))];
  let second = SECONDS.answering;
  for (const [answer, reply] of ANSWERS) {
    second += SECONDS.reading;
    lines.push(typed(answer, second));
    second += SECONDS.answering;
    demo.write(answer);
    await demo.says(reply);
    const visible = await linesOf(untilEndOfLine(output(), reply));
    lines.push(...visible.slice(lines.length - 1).map(at(second)));
  }
  // Typed on the keyboard, so that the demo receives it instead of the program that holds its terminal.
  demo.type('\u0003');
  await demo.ended;
  return svg(lines, second + SECONDS.last);
}

const at =
  (second: number) =>
  (spans: Line['spans']): Line => ({ at: second, spans });

const typed = (text: string, second: number): Line => ({
  at: second,
  spans: [{ text, column: 0, style: 'typed' }],
});

/** Cuts the output at the end of the line, so that the picture has no partial next line. */
function untilEndOfLine(output: string, reply: string): string {
  const from = output.lastIndexOf(reply);
  const end = output.indexOf('\r\n', from);
  return end < 0 ? output : output.slice(0, end);
}

async function linesOf(output: string): Promise<Line['spans'][]> {
  const terminal = new Terminal({ cols: COLUMNS, rows: 30, scrollback: 1_000, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(output, done));
  const { active } = terminal.buffer;
  const lines: Line['spans'][] = [];
  for (let row = 0; row <= active.baseY + active.cursorY; row++) {
    const line = active.getLine(row);
    const spans: Line['spans'] = [];
    const length = line?.translateToString(true).length ?? 0;
    for (let column = 0; column < length; column++) {
      const cell = line?.getCell(column);
      if (!cell) continue;
      const style = styleOf(cell);
      const last = spans.at(-1);
      if (last?.style === style) last.text += cell.getChars() || ' ';
      else spans.push({ text: cell.getChars() || ' ', column, style });
    }
    if (spans.length > 0) lines.push(spans);
  }
  terminal.dispose();
  return lines;
}

function styleOf(cell: IBufferCell): string {
  if (cell.isBold()) return 'bold';
  if (cell.isDim()) return 'dim';
  return cell.isFgDefault() ? 'plain' : 'green';
}

function svg(lines: Line[], seconds: number): string {
  const width = COLUMNS * CELL.width + 2 * MARGIN;
  const height = lines.length * CELL.height + 2 * MARGIN;
  const times = [...new Set(lines.map((line) => line.at))].filter((time) => time > 0);
  const steps = times.map((time, index) => {
    const percent = ((time / seconds) * 100).toFixed(2);
    return `.t${index}{animation:t${index} ${seconds.toFixed(1)}s step-end infinite}@keyframes t${index}{0%{opacity:0}${percent}%{opacity:1}}`;
  });
  const rows = lines.map(({ at: time, spans }, row) => {
    const y = MARGIN + row * CELL.height + 14;
    const texts = spans.map(({ text, column, style }) => {
      const place = `x="${MARGIN + column * CELL.width}" y="${y}" textLength="${text.length * CELL.width}"`;
      return `<text class="${style}" ${place} xml:space="preserve">${escaped(text)}</text>`;
    });
    return `<g${time > 0 ? ` class="t${times.indexOf(time)}"` : ''}>${texts.join('')}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<style>text{font:13px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d4d4d4}.bold{font-weight:bold;fill:#fff}',
    '.dim{fill:#777}.green{fill:#6c6}.typed{fill:#7ad}',
    ...steps,
    '@media(prefers-reduced-motion:reduce){g{animation:none!important}}</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#1e1e1e"/>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-recording-'));
  const file = resolve(__dirname, '../docs/images/demo.svg');
  try {
    const picture = await recordDemo(dataDir);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, picture);
    console.log(`${file} written`);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

if (require.main === module) void main();
