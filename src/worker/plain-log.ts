import { pino, type Logger } from 'pino';
import { oneLine } from '../core/shared/plain-text';

const WARN = 40;
const ERROR = 50;

interface Entry {
  level: number;
  msg?: string;
  error?: { message?: string };
  reason?: string;
  workflow_id?: string;
  workflowId?: string;
  operation_id?: string;
  table?: string;
}

/** Creates a log for the terminal: one sentence per entry, like the other output of `up`, without JSON or stacks. */
export function createPlainLog(level: string, write: (line: string) => void): Logger {
  const serializers = { error: pino.stdSerializers.err };
  return pino(
    { level, serializers, base: null },
    { write: (entry: string) => write(lineOf(JSON.parse(entry) as Entry)) },
  );
}

function lineOf({ level, msg = '', error, reason, ...fields }: Entry): string {
  const name = level >= ERROR ? 'Error' : level >= WARN ? 'Warning' : 'Note';
  const about = fields.workflow_id ?? fields.workflowId ?? fields.operation_id ?? fields.table;
  return oneLine([name, about, msg, error?.message ?? reason].filter(Boolean).join(': '));
}
