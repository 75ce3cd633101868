import { BatchgateError } from '../../contract/errors';
import type { ItemEvidence, ItemProof, QuestionTree } from '../../contract/item-proof';
import type { FrozenItem } from '../../contract/items';
import type { Change } from '../../contract/change';
import type { Answer } from '../../contract/record';
import type { Requester } from '../../contract/requester';
import { shortened } from '../../contract/text';
import { fittingLast } from '../shared/bounds';
import { merklePath } from '../shared/merkle';
import { idText, nameText, oneLine } from '../shared/plain-text';
import { questionOf } from './answers';
import { presentChange } from './change';
import { codeOfItem } from './ledger-status';
import { OUTCOME_OF } from './outcomes';
import { previewText } from './preview-text';
import { requesterLines } from './requester';
import { leafTexts, sealedText, sealOf, treeDigest } from './seal';

/** Temporal accepts 2 MB per payload. */
const MAX_PROOFS_BYTES = 1_000_000;

/**
 * Proves what was confirmed for one item, without the other items of its batch.
 * @throws BatchgateError `NOT_FOUND` if no confirmation includes the item, `INTERNAL` if the ledger was altered since.
 */
export function itemProof(operation_id: string, { index, id, questions, ...item }: ItemEvidence): ItemProof {
  const outcome = OUTCOME_OF[codeOfItem(item)];
  const confirmedQuestions = questions.filter(({ tree }) => !tree.left_out?.includes(index));
  const [first] = confirmedQuestions;
  if (!first) throw nothingConfirmed(operation_id, id, { outcome, isLeftOut: questions.length > 0 });
  const proofs = confirmedQuestions.map(({ tree, answer }) => {
    const at = 1 + tree.leaves.findIndex(([place]) => place === index);
    const frozen = item.frozen.find((version) => sealOf(version) === tree.leaves[at - 1]?.[1]);
    const root = treeDigest(tree);
    if (!frozen || root !== answer.digest) throw altered(operation_id, id, answer);
    const leaves = leafTexts(tree);
    const leafAt = (place: number) => ({ leaf: leaves[place] ?? '', path: merklePath(leaves, place) });
    return {
      ...{ root, size: leaves.length, head: leafAt(0) },
      item: { at, frozen: sealedText(frozen), ...leafAt(at) },
      decisions: [questionOf(answer)],
      words: wordsOf(tree, frozen, answer),
    };
  });
  return {
    ...{ format: 'batchgate-item-proof-1' as const, operation_id, item_id: id, outcome },
    proofs: fittingLast(proofs, MAX_PROOFS_BYTES),
  };
}

function wordsOf(tree: QuestionTree, item: FrozenItem, { batch, attempt, at, ...answer }: Answer): string {
  const { change, requester, operation_id } = JSON.parse(tree.head) as Head;
  const effect = previewText(item.preview);
  const channel = answer.door ?? answer.via;
  const evidence = [channel, answer.assurance].filter((word) => word !== undefined).join(', ');
  return [
    presentChange(change),
    ...(requester ? requesterLines(requester) : []),
    `${nameText(item.display_name)} (${idText(item.id)})${effect === '' ? '' : `: ${effect}`}`,
    `Confirmed by ${oneLine(answer.by ?? 'no name')} at ${at} (${evidence}), with batch ${batch}, attempt ${attempt} of ${oneLine(operation_id)}.`,
  ].join('\n');
}

interface Head {
  operation_id: string;
  change: Change;
  requester?: Requester;
}

export const noItem = (operationId: string, itemId: string): BatchgateError =>
  new BatchgateError(
    'NOT_FOUND',
    `The ledger has no item ${shortened(itemId)} of ${operationId}.`,
    `Take the id from npx batchgate items ${operationId}. The ledger forgets operations that ended long ago, and a worker with another store has none of it.`,
  );

const nothingConfirmed = (
  operationId: string,
  id: string,
  { outcome, isLeftOut }: { outcome: ItemProof['outcome']; isLeftOut: boolean },
) =>
  new BatchgateError(
    'NOT_FOUND',
    isLeftOut
      ? `Item ${shortened(id)} was left out by the person who confirmed its batch, so nothing of it was confirmed.`
      : `No batch of ${operationId} that was confirmed and begun asked about item ${shortened(id)}.`,
    isLeftOut
      ? `See the reason in npx batchgate report ${operationId}, or prove an item that was run.`
      : `See npx batchgate items ${operationId}: only items of a batch that was begun can be proved.`,
    { outcome },
  );

const altered = (operationId: string, id: string, { batch, attempt }: Answer) =>
  new BatchgateError(
    'INTERNAL',
    `The ledger does not hold item ${shortened(id)} as batch ${batch}, attempt ${attempt} of ${operationId} was confirmed.`,
    'Rows of the ledger were changed or removed since; compare it with a backup.',
  );
