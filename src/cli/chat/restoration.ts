import type { AssistantStatus } from '../../contract/assistant';
import type { BulkStatus } from '../../contract/operation';
import { restorationOf } from '../../core/assistant/restoration';
import { isOver } from '../../core/assistant/session';
import { oneLine } from '../../core/shared/plain-text';
import { print, printJson } from '../output';
import { bold } from '../style';

/** Prints a session's assistant: as JSON, or as the lines that a person needs to continue. */
export function showAssistant(status: AssistantStatus, open: readonly BulkStatus[], json: boolean): void {
  if (json) printJson(status);
  else restorationLines(status, open).forEach((line, at) => print(at === 0 ? bold(line) : line));
}

export function restorationLines(status: AssistantStatus, open: readonly BulkStatus[]): string[] {
  const session = oneLine(status.session_id);
  return [
    `Assistant of session ${session}: ${status.state}`,
    ...restorationOf(status, open).map(({ name, text }) => `${name.padEnd(10)} ${text}`),
    ...(isOver(status.state)
      ? []
      : [
          `go on      npx batchgate chat --session ${session}`,
          `dismiss    npx batchgate cancel assistant-${session}`,
        ]),
  ];
}
