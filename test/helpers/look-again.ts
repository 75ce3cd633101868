import { setTimeout as pause } from 'node:timers/promises';

/** Pauses between two reads of the same thing, so that reading does not slow the machine down. */
export const lookAgain = (): Promise<void> => pause(100);
