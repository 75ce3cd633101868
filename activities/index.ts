import type { BulkActivities } from '../src/contract/activities';
import type { HygieneActivities } from '../src/contract/hygiene';
import type { AssistantActivities } from '../src/contract/assistant';
import type { LedgerRecord } from '../src/contract/ledger-record';
import type { MacroActivities } from '../src/contract/macro-activities';
import type { AccessActivities } from '../src/contract/access';
import { accessKeys, proveItem, resolveLate, suggest } from './requests';
import type { AuditActivities } from '../src/contract/audit';
import { exportAudit, recordEnd } from './audit';
import { admit, close } from './sentinel/admission';
import type { ActivityDependencies } from './shared/dependencies';
import type { ProfileActivities } from '../src/contract/profile';
import type { ScratchpadActivities } from '../src/contract/scratchpad';
import { asActivity, namingItsDatabase, reading } from './shared/failures';
import { survey, sweep } from './sentinel/hygiene';
import { createAssistantActivities } from './assistant';
import { createMacroActivities } from './macro';
import { begin } from './bulk/begin';
import { isOtherStoreForLong, readQuestion } from './bulk/evidence';
import { plan, compareRevised } from './bulk/planning';
import { comparePreview, keepPreview } from './bulk/previews';
import { accessProfile } from './shared/profiles';
import { accessScratchpad, dropUpload } from './shared/scratchpads';
import { isFencedOff, reconcile } from './bulk/reconcile';
import { adoptPlan, replan } from './bulk/replan';
import { resultsAfterReset } from './bulk/resets';
import { receivedBatch } from '../src/core/bulk/sent-batch';
import { runBatch } from './bulk/run-batch';
import { planTryMs } from '../src/core/bulk/patience';

/** Creates the worker's activities from their dependencies. */
export function createActivities(
  options: ActivityDependencies,
): BulkActivities &
  AccessActivities &
  AuditActivities &
  HygieneActivities &
  ProfileActivities &
  ScratchpadActivities &
  MacroActivities &
  AssistantActivities {
  const { scratchpad } = options;
  const ledger = namingItsDatabase(options.ledger);
  const dependencies = { ...options, ledger };
  return {
    admit: (input) => asActivity(() => admit(dependencies, input)),
    begin: (input) => asActivity(() => begin(dependencies, input)),
    slotLimit: () => Promise.resolve(dependencies.settings.max_active_jobs),
    readSettings: () => Promise.resolve(dependencies.settings),
    plan: (input) =>
      reading((readOn) => plan({ ...dependencies, readOn }, input), planTryMs(dependencies.settings)),
    comparePreview: (input) => reading(() => comparePreview(dependencies, input)),
    keepPreview: (input) => reading(() => keepPreview(dependencies, input)),
    compareRevised: (input) => reading(() => compareRevised(dependencies, input)),
    readQuestion: (input) => asActivity(() => readQuestion(ledger, input), isOtherStoreForLong),
    findItem: (input) => asActivity(() => ledger.findItem(input.operation_id, input.item_id)),
    resultsAfterReset: (input) => asActivity(() => resultsAfterReset(dependencies, input)),
    replan: (input) =>
      reading((readOn) => replan({ ...dependencies, readOn }, input), planTryMs(dependencies.settings)),
    adoptPlan: (input) => asActivity(() => adoptPlan(dependencies, input)),
    runBatch: (input) => asActivity(() => runBatch(dependencies, receivedBatch(input))),
    reconcile: (input) => asActivity(() => reconcile(dependencies, input), isFencedOff),
    recordDecisions: ({ operation_id, decisions }) =>
      asActivity(() => ledger.recordDecisions(operation_id, decisions)),
    recordResolution: (input) => asActivity(() => ledger.resolve(input)),
    resolveLate: (input) => asActivity(() => resolveLate(dependencies, input)),
    close: (input) => asActivity(() => close(dependencies, input)),
    readLedger: (input) =>
      asActivity(async () => withoutKept(await ledger.read(input.operation_id, input.from))),
    proveItem: (request) => asActivity(() => proveItem(ledger, request)),
    stats: (filter) => asActivity(() => ledger.stats(filter)),
    suggest: (request) => asActivity(() => suggest(dependencies, request)),
    arrivals: (input) => asActivity(() => dependencies.arrivals(input)),
    standingsOf: ({ people }) =>
      asActivity(async () => (await dependencies.access?.standingsOf(people)) ?? []),
    accessKeys: (request) => asActivity(() => accessKeys(dependencies, request)),
    exportAudit: (request) => asActivity(async () => exportAudit(dependencies, request)),
    recordEnd: (input) => asActivity(() => recordEnd(dependencies, input)),
    accessProfile: (request) => asActivity(() => accessProfile(dependencies, request)),
    accessScratchpad: (request) => asActivity(() => accessScratchpad(scratchpad, request)),
    dropUpload: (request) => asActivity(() => dropUpload(scratchpad, request)),
    survey: () => asActivity(() => survey(dependencies)),
    sweep: (input) => asActivity(() => sweep(dependencies, input)),
    ...createMacroActivities(dependencies),
    ...createAssistantActivities(dependencies),
  };
}

/** Returns the record for clients: without the data for an undo, and without the salts of seals. */
const withoutKept = (record: LedgerRecord | null): LedgerRecord | null =>
  record && { ...record, items: record.items.map(({ kept: _, salt: __, ...item }) => item) };
