import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutation } from './mutation';

/** The number of occurrences of a mutation's text in its file. */
export const occurrences = ({ file, find }: Mutation): number =>
  readFileSync(join(__dirname, '../..', file), 'utf8').split(find).length - 1;
