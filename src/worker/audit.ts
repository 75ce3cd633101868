import type { AuditKeys, AuditPage, AuditRequest, AuditStore, Checkpoint } from '../contract/audit';
import type { Config } from '../host/config';
import { forgetReplacedKey, readAuditKeys, type AuditKeyPlace } from '../host/audit-key';

/** The interval of checkpoints. Until one covers a row, a database user can change the row undetected. Milliseconds. */
const CHECKPOINT_MS = 60_000;

/** The audit record of a worker, which signs it. */
interface Auditor {
  export(request: AuditRequest): Promise<AuditPage>;
  forget: AuditStore['forget'];
  forgetAdministration: AuditStore['forgetAdministration'];
  append: AuditStore['append'];
  /** Makes a last checkpoint. */
  stop(): Promise<void>;
}

interface AuditorLog {
  warn(fields: object, message: string): void;
}

/** Makes a checkpoint when it starts, every minute and when it stops, if there is anything new. */
export function startAuditor(
  store: AuditStore,
  place: AuditKeyPlace,
  log: AuditorLog,
  notify: (checkpoint: Checkpoint) => Promise<void> = () => Promise.resolve(),
): Auditor {
  const keys = () => readAuditKeys(place, { make: true });
  const recorded = async ({ previous }: AuditKeys) => {
    if (previous) await forgetReplacedKey(place);
  };
  const unsent: Checkpoint[] = [];
  const cover = async (own: AuditKeys) => {
    unsent.push(...(await store.checkpoint(own)));
    await recorded(own);
  };
  let logged = '';
  const warn = (error: unknown, message: string) => {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason !== logged) log.warn({ reason }, message);
    logged = reason;
  };
  const once = async () => {
    try {
      await cover(await keys());
    } catch (error) {
      return warn(error, 'no checkpoint of the audit record was made');
    }
    try {
      for (const checkpoint of [...unsent]) {
        await notify(checkpoint);
        unsent.shift();
      }
      logged = '';
    } catch (error) {
      warn(error, 'nobody was told of a checkpoint of the audit record');
    }
  };
  let running = once();
  const timer = setInterval(() => void (running = running.then(once)), CHECKPOINT_MS).unref();
  let stopping: Promise<void> | undefined;
  return {
    async export(request) {
      const own = await keys();
      if (request.cursor === undefined && !request.covered) await cover(own);
      return store.export(request, own);
    },
    forget: (rule) => store.forget(rule),
    forgetAdministration: (before) => store.forgetAdministration(before),
    append: (chain, record) => store.append(chain, record),
    stop() {
      clearInterval(timer);
      return (stopping ??= running.then(once));
    },
  };
}

/** Returns the operator's configuration of this worker, without addresses that may contain a password. */
export function configurationOf({ file, settings, mcpConfirm, taskQueue }: Config): object {
  const { databases, secrets, webhooks, folder: _, ...rest } = file;
  return {
    ...{ ...rest, settings, mcp_confirm: mcpConfirm, task_queue: taskQueue },
    ...{ databases: Object.keys(databases), secrets: Object.keys(secrets) },
    webhooks: webhooks.map(({ name, events }) => ({ name, events })),
  };
}
