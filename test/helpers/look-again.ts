import { setTimeout as pause } from 'node:timers/promises';

/** Between two looks at the same thing, so that looking does not keep the machine from doing it. */
export const lookAgain = (): Promise<void> => pause(100);
