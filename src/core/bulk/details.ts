import { fitting } from '../shared/bounds';
import { presentChange } from './change';
import { openGate, type OperationState } from './operation';
import { markdownLine } from '../shared/plain-text';
import { batchItemLines } from './presenter';
import { shown } from './preview';
import { requesterLines } from './requester';
import { turnOf } from './view';

/** Temporal stores at most 20 KB of details. */
const MAX_ITEMS_BYTES = 6_000;
const MAX_TROUBLES_BYTES = 4_000;

/** The operation's details in the Temporal UI, as Markdown with all names escaped. */
export function detailsOf(state: OperationState): string {
  const turn = turnOf(state);
  const [sentence = '', ...below] = turn.message.split('\n');
  return [
    ...(turn.next_batch ? [markdownLine(presentChange(turn.next_batch.change)), ''] : []),
    ...(turn.next_batch ? requesterLines(turn).flatMap((line) => [markdownLine(line), '']) : []),
    `**${markdownLine(sentence)}**`,
    '',
    ...fittingLines(below.map(listed), MAX_TROUBLES_BYTES, 'the query `errors`').flatMap((line) => [
      line,
      '',
    ]),
    '| total | succeeded | failed | skipped | in doubt | remaining |',
    '|---|---|---|---|---|---|',
    `| ${turn.total} | ${turn.succeeded} | ${turn.failed} | ${turn.skipped} | ${turn.in_doubt} | ${turn.remaining} |`,
    ...question(state, turn.batches_total, turn.expires_at),
    ...(turn.state === 'scheduled'
      ? ['', 'Send the update or signal `withdraw` to take it back, or `cancel`.']
      : []),
    ...(turn.state === 'awaiting_resolution'
      ? [
          '',
          'Send the update `resolve` with `{"item_id": "…", "outcome": "succeeded", "reason": "…"}` (or `failed`), `complete` with ' +
            `\`{"force": true, "reason": "…"}\`, or \`cancel\`. Expires ${turn.expires_at}.`,
        ]
      : []),
  ].join('\n');
}

/** A line of the message; lines about items form a list. */
function listed(line: string): string {
  return line.startsWith('- ') ? `- ${markdownLine(line.slice(2))}` : markdownLine(line);
}

function question(state: OperationState, batchesTotal: number, expires?: string): string[] {
  const gate = openGate(state);
  if (!gate) return [];
  return [
    '',
    `Open question: batch ${gate.number} of ${batchesTotal}, attempt ${gate.attempt}. Send the update or signal ` +
      `\`continue\` with \`{"batch": ${gate.number}, "attempt": ${gate.attempt}}\`, or \`cancel\`. Expires ${expires}. ` +
      'It would run:',
    '',
    ...fittingLines(
      batchItemLines({ next_batch: { ...gate, items: gate.items.map(shown) } }).map(markdownLine),
      MAX_ITEMS_BYTES,
      'the query `status`',
    ),
  ];
}

/** The lines that fit, and a line with the number of the others. */
function fittingLines(lines: string[], maxBytes: number, where: string): string[] {
  const head = fitting(lines, maxBytes);
  const rest = lines.length - head.length;
  return rest === 0 ? head : [...head, '', `And ${rest} more: ${where} has them all.`];
}
