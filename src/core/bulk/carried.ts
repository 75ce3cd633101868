import { bytesOf, fitting, fittingLast, MAX_DECISIONS, MAX_PAYLOAD_BYTES } from '../shared/bounds';
import { forgetting } from './decisions';
import { gateKey, type OperationState } from './operation';
import { codeAt } from './outcomes';
import { remember } from './remembered';

/** The maximum bytes of the parts of a state. `whole`: items that ran without errors are carried too. */
interface Room {
  accepted: number;
  confirmations: number;
  refused: number;
  troubles: number;
  whole: boolean;
}

/** Limits from largest to smallest. The first one that the state fits is used. */
const ROOMS: Room[] = [
  { accepted: 48_000, confirmations: 48_000, refused: 32_000, troubles: 32_000, whole: true },
  { accepted: 48_000, confirmations: 48_000, refused: 32_000, troubles: 32_000, whole: false },
  { accepted: 12_000, confirmations: 12_000, refused: 8_000, troubles: 8_000, whole: false },
];
const LEAST: Room = { accepted: 0, confirmations: 0, refused: 0, troubles: 0, whole: false };

/** The maximum size of a state at continue-as-new, which also carries the input. */
const MAX_STATE_BYTES = MAX_PAYLOAD_BYTES - 8_192;

/**
 * The state that one run hands to the next. If it exceeds a payload, the least needed parts are dropped first: items
 * that are in the ledger, then the outcomes of the oldest decisions. The open batch stays whole, and every decision
 * stays known as accepted.
 */
export function carried(state: OperationState): OperationState {
  for (const room of ROOMS) {
    const slim = within(state, room);
    if (bytesOf(slim) <= MAX_STATE_BYTES) return slim;
  }
  return within(state, LEAST);
}

function within(state: OperationState, room: Room): OperationState {
  const confirmations = fittingLast(state.confirmations, room.confirmations);
  const refused = fittingLast(state.refused, room.refused);
  const forgotten = state.refused.slice(0, state.refused.length - refused.length);
  return {
    ...state,
    ...planWithin(state, room),
    ...acceptedWithin(state, room),
    refused,
    refused_before: forgetting(state.refused_before, forgotten),
    confirmations,
    confirmations_cut: state.confirmations_cut + state.confirmations.length - confirmations.length,
  };
}

/** The open batch; then the items in doubt, failed and skipped, with their details; then the others. */
function planWithin(state: OperationState, room: Room): Pick<OperationState, 'items' | 'details'> {
  const first = (state.batch - 1) * state.input.batch_size;
  const isOpen = (place: number) => place >= first && place < first + state.input.batch_size;
  const places = Object.keys(state.items).map(Number);
  const row = (place: number) => ({ place, item: state.items[place], detail: state.details[place] });
  const open = places.filter(isOpen).map(row);
  const rest = places.filter((place) => !isOpen(place)).map(row);
  const having = (codes: string) => rest.filter(({ place }) => codes.includes(codeAt(state.codes, place)));
  const troubled = [...having('d'), ...having('f'), ...having('k')].map(({ place, item, detail }) => ({
    place,
    item: item && { id: item.id, display_name: item.display_name },
    detail,
  }));
  const kept = [...open, ...fitting(troubled, room.troubles), ...(room.whole ? having('ps') : [])];
  return {
    items: Object.fromEntries(kept.flatMap(({ place, item }) => (item ? [[place, item]] : []))),
    details: Object.fromEntries(kept.flatMap(({ place, detail }) => (detail ? [[place, detail]] : []))),
  };
}

/** The latest decisions with their outcomes, and the running one; of the others, only that they were accepted. */
function acceptedWithin(
  state: OperationState,
  room: Room,
): Pick<OperationState, 'accepted' | 'accepted_before'> {
  const now = gateKey(state.batch, state.attempt);
  const all = Object.entries(state.accepted);
  const over = all.filter(([key]) => key !== now);
  const kept = fittingLast(over, room.accepted);
  const accepted_before = over
    .slice(0, over.length - kept.length)
    .reduce(
      (before, [, { decision_id }]) => remember(before, decision_id, MAX_DECISIONS),
      state.accepted_before,
    );
  return { accepted: Object.fromEntries([...kept, ...all.filter(([key]) => key === now)]), accepted_before };
}
