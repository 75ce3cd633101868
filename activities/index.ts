import type { BulkActivities } from '../src/contract/activities';
import type { ActivityDependencies } from './dependencies';
import { crossing } from './failures';
import { count, plan, prepare } from './planning';
import { reconcile } from './reconcile';
import { runBatch } from './run-batch';

/** The worker's effects over their dependencies. */
export function createActivities(dependencies: ActivityDependencies): BulkActivities {
  const { ledger, settings } = dependencies;
  return {
    // Every operation has a place until there is a sentinel to ask; the step is there because histories freeze it.
    admit: () => Promise.resolve({ admitted: true, settings }),
    prepare: (input) => crossing(() => prepare(dependencies, input)),
    count: (input) => crossing(() => count(dependencies, input)),
    plan: (input) => crossing(() => plan(dependencies, input)),
    runBatch: (input) => crossing(() => runBatch(dependencies, input)),
    reconcile: (input) => crossing(() => reconcile(dependencies, input)),
    recordResolution: (input) => crossing(() => ledger.resolve(input)),
    close: (input) => crossing(() => ledger.close(input.operation_id, input.status)),
    readLedger: (input) => crossing(() => ledger.read(input.operation_id)),
  };
}
