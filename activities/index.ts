import type { BulkActivities } from '../src/contract/activities';
import type { HygieneActivities } from '../src/contract/hygiene';
import type { MacroActivities } from '../src/contract/macro-activities';
import { admit, close } from './admission';
import type { ActivityDependencies } from './dependencies';
import type { ProfileActivities } from '../src/contract/profile';
import { crossing, reading } from './failures';
import { survey, sweep } from './hygiene';
import { createMacroActivities } from './macro';
import { count, plan, prepare } from './planning';
import { accessProfile } from './profiles';
import { reconcile } from './reconcile';
import { runBatch } from './run-batch';

/** The worker's effects over their dependencies. */
export function createActivities(
  dependencies: ActivityDependencies,
): BulkActivities & HygieneActivities & ProfileActivities & MacroActivities {
  const { ledger } = dependencies;
  return {
    admit: (input) => crossing(() => admit(dependencies, input)),
    slotLimit: () => Promise.resolve(dependencies.settings.max_active_jobs),
    prepare: (input) => reading(() => prepare(dependencies, input)),
    count: (input) => reading(() => count(dependencies, input)),
    plan: (input) => reading(() => plan(dependencies, input)),
    runBatch: (input) => crossing(() => runBatch(dependencies, input)),
    reconcile: (input) => crossing(() => reconcile(dependencies, input)),
    recordResolution: (input) => crossing(() => ledger.resolve(input)),
    close: (input) => crossing(() => close(dependencies, input)),
    readLedger: (input) => crossing(() => ledger.read(input.operation_id)),
    accessProfile: (request) => crossing(() => accessProfile(dependencies, request)),
    survey: () => crossing(() => survey(dependencies)),
    sweep: (input) => crossing(() => sweep(dependencies, input)),
    ...createMacroActivities(dependencies),
  };
}
