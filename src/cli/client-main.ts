import { z } from 'zod';
import { CLIENT_VERBS } from './client-verbs';
import type { Io } from './io';
import { runProcess, runProgram } from './program';

// The entry of the bundle. Compiling a schema pays off only from its second use.
z.config({ jitless: true });

export const run = (args: readonly string[], own: Io): Promise<void> => runProgram(CLIENT_VERBS, args, own);

export const main = (args: readonly string[]): void => runProcess(CLIENT_VERBS, args);
