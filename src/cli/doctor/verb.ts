import type { Command } from 'commander';
import { loadConfigForgivingly } from '../../host/config';
import { diagnose, type Check } from '.';
import { io } from '../io';
import { EXIT, print, printJson } from '../output';
import { bad, bold, dim, ok, warn } from '../style';
import { verb } from '../verb';

const MARKS = { ok, warning: warn, problem: bad } as const;
const STATUS_WIDTH = 'problem'.length;

export function addDoctorVerb(program: Command): void {
  verb(program, 'doctor', 'what is there, what is missing and how to fix it', async (json) => {
    const diagnosis = await diagnose(loadConfigForgivingly(io().env));
    if (json) printJson(diagnosis);
    else show(diagnosis.checks);
    return diagnosis.ok ? EXIT.done : EXIT.refused;
  });
}

function show(checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, status, detail, remedy } of checks) {
    const mark = MARKS[status](status.padEnd(STATUS_WIDTH));
    print(`${mark}  ${bold(name.padEnd(width))}  ${detail}`);
    if (remedy !== undefined) print(`${' '.repeat(STATUS_WIDTH + width + 4)}${dim(remedy)}`);
  }
}
