import { AUDIT } from './audit';
import type { AnyCommand } from './command';
import { DECISIONS } from './decisions';
import { FOLLOW_UPS } from './follow-ups';
import { LOOKS } from './looks';
import { MACROS } from './macros';
import { PROFILES } from './profiles';
import { REPORTS } from './report';
import { SESSIONS } from './sessions';
import { STARTS } from './start';
import { STATS } from './stats';
import { TASK_RUNS } from './task-runs';

/** Every command, in the order in which an agent needs them. */
export const COMMANDS: readonly AnyCommand[] = [
  ...STARTS,
  ...LOOKS,
  ...REPORTS,
  ...STATS,
  ...FOLLOW_UPS,
  ...DECISIONS,
  ...TASK_RUNS,
  ...MACROS,
  ...SESSIONS,
  ...PROFILES,
  ...AUDIT,
];
