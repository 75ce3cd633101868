import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(__dirname, '../..');

/** Every page for readers. README comes first, because newcomers read it first. */
export const pages = ['README.md', ...readdirSync(join(root, 'docs')).filter(isMarkdown).map(inDocs)];

/** A command or a block of commands, as written in a page. */
export interface Command {
  script: string;
  /** What the page shows as its output, line by line; `…` stands for anything. */
  shown: string[];
  exits: number;
  /** Why no test runs it. */
  notRun?: string;
}

export const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

const fences = /^```(\S*) *(.*)\n([\s\S]*?)^```$/gm;

/** The fenced blocks of a page; the words after the language define how a block is run. */
export function blocksOf(page: string): { language: string; words: string; body: string }[] {
  return [...textOf(page).matchAll(fences)].map(([, language = '', words = '', body = '']) => ({
    language,
    words,
    body,
  }));
}

/** The commands of a page from top to bottom: its `sh` and `console` blocks, and the commands in table cells. */
export function commandsOf(page: string): Command[] {
  const parts = textOf(page).matchAll(/^```[\s\S]*?^```$|^\|.*\|$/gm);
  return [...parts].flatMap(([part]) => (part.startsWith('|') ? commandsInRow(part) : commandsInBlock(part)));
}

/** The inline code in the prose, which mentions commands without asking the reader to run them. */
export function inlineCode(page: string): string[] {
  const prose = textOf(page).replace(fences, '');
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\s+/g, ' '));
}

export function linksOf(page: string): string[] {
  return [
    ...textOf(page)
      .replace(fences, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, link = '']) => link);
}

/** The anchors that GitHub gives to a page's headings. */
export function anchorsOf(page: string): string[] {
  const headings = textOf(page)
    .replace(fences, '')
    .matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function commandsInRow(row: string): Command[] {
  return [...row.matchAll(/`(npx [^`]+)`/g)].map(([, script = '']) => ({ script, shown: [], exits: 0 }));
}

function commandsInBlock(block: string): Command[] {
  const [, language, words = '', body = ''] = new RegExp(fences.source, 'm').exec(block) ?? [];
  if (language !== 'sh' && language !== 'console') return [];
  const { 1: notRun } = /^not-run: (.+)$/.exec(words) ?? [];
  const { 1: exits } = /^exits (\d+)$/.exec(words) ?? [];
  if (words !== '' && notRun === undefined && exits === undefined)
    throw new Error(`"${words}" after the language of a block says nothing`);
  const how = { exits: Number(exits ?? 0), ...(notRun !== undefined && { notRun }) };
  if (language === 'sh') return [{ script: body, shown: [], ...how }];
  return body
    .split(/^\$ /m)
    .slice(1)
    .map((dialogue) => {
      const [script = '', ...shown] = dialogue.trimEnd().split('\n');
      return { script, shown, ...how };
    });
}

function isMarkdown(name: string): boolean {
  return name.endsWith('.md');
}

function inDocs(name: string): string {
  return `docs/${name}`;
}
