import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../src/contract/messages';
import type { OperationState } from '../src/core/operation';
import { turnOf } from '../src/core/view';

const stateKey = defineSearchAttributeKey(SEARCH_ATTRIBUTES.state, SearchAttributeType.KEYWORD);
const domainKey = defineSearchAttributeKey(SEARCH_ATTRIBUTES.domain, SearchAttributeType.KEYWORD);
const sessionKey = defineSearchAttributeKey(SEARCH_ATTRIBUTES.session, SearchAttributeType.KEYWORD);

/** What lists show from the first moment on. */
export function publishStart(state: OperationState): void {
  const { domain, session_id } = state.input;
  upsertSearchAttributes([
    { key: stateKey, value: state.state },
    { key: domainKey, value: domain },
    ...(session_id === undefined ? [] : [{ key: sessionKey, value: session_id }]),
  ]);
}

export function publishState(state: OperationState): void {
  upsertSearchAttributes([{ key: stateKey, value: state.state }]);
}

/** The state for lists, the progress for whoever reads the memo. */
export function publishProgress(state: OperationState): void {
  const { total, processed, succeeded, failed, skipped, in_doubt, remaining } = turnOf(state);
  publishState(state);
  upsertMemo({ progress: { total, processed, succeeded, failed, skipped, in_doubt, remaining } });
}

/** The operation's page in the Temporal UI; answered by a query, so it costs no history. */
export function publishDetails(state: OperationState): void {
  const turn = turnOf(state);
  const gate = turn.next_batch;
  setCurrentDetails(
    [
      `**${turn.message}**`,
      '',
      '| total | succeeded | failed | skipped | in doubt | remaining |',
      '|---|---|---|---|---|---|',
      `| ${turn.total} | ${turn.succeeded} | ${turn.failed} | ${turn.skipped} | ${turn.in_doubt} | ${turn.remaining} |`,
      ...(gate
        ? [
            '',
            `Open question: batch ${gate.number} of ${turn.batches_total}, attempt ${gate.attempt}. Send the update or signal ` +
              `\`continue\` with \`{"batch": ${gate.number}, "attempt": ${gate.attempt}}\`, or \`cancel\`. Expires ${turn.expires_at}.`,
          ]
        : []),
    ].join('\n'),
  );
}
