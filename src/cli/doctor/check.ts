/** The result of checking one part. */
export interface Check {
  name: string;
  status: 'ok' | 'warning' | 'problem';
  detail: string;
  /** The remedy; set whenever the status is not ok. */
  remedy?: string;
}

/** A finding about a part that is named elsewhere. */
export type Finding = Omit<Check, 'name'>;

export const ok = (detail: string): Finding => ({ status: 'ok', detail });
export const warning = (detail: string, remedy: string): Finding => ({ status: 'warning', detail, remedy });
export const problem = (detail: string, remedy: string): Finding => ({ status: 'problem', detail, remedy });

const PROBE_MS = 4_000;

/** Runs one probe with a time limit. An error that it throws becomes its finding, and hides no other. */
export async function check(name: string, probe: () => Finding | Promise<Finding>): Promise<Check> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    const finding = problem(
      `no answer within ${PROBE_MS / 1_000} s`,
      'Check whether this machine or that service is overloaded, then run `npx batchgate doctor` again.',
    );
    timer = setTimeout(() => resolve(finding), PROBE_MS);
  });
  try {
    const finding = await Promise.race([Promise.resolve().then(probe), late]);
    return { name, ...finding };
  } catch (error) {
    return { name, ...fromError(error) };
  } finally {
    clearTimeout(timer);
  }
}

function fromError(error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  const hint = (error as { hint?: unknown } | null)?.hint;
  return problem(
    message,
    typeof hint === 'string' ? hint : 'Fix what the message names, then run doctor again.',
  );
}
