import { bytesOf, fitting, fittingLast, MAX_DECISIONS, MAX_PAYLOAD_BYTES } from '../shared/bounds';
import { forgetting } from './decisions';
import { gateKey, type OperationState } from './operation';
import { codeAt } from './outcomes';
import { remember } from './remembered';

/** What the parts of a state may take, in bytes. `whole`: the items that ran without trouble are carried too. */
interface Room {
  accepted: number;
  confirmations: number;
  refused: number;
  troubles: number;
  whole: boolean;
}

/** From plenty to little; the first that lets the state fit is taken. */
const ROOMS: Room[] = [
  { accepted: 48_000, confirmations: 48_000, refused: 32_000, troubles: 32_000, whole: true },
  { accepted: 48_000, confirmations: 48_000, refused: 32_000, troubles: 32_000, whole: false },
  { accepted: 12_000, confirmations: 12_000, refused: 8_000, troubles: 8_000, whole: false },
];
const LEAST: Room = { accepted: 0, confirmations: 0, refused: 0, troubles: 0, whole: false };

/** As large as a state may be that is handed over; the input goes with it. */
const MAX_STATE_BYTES = MAX_PAYLOAD_BYTES - 8_192;

/**
 * The state as one run hands it to the next. What does not fit into a payload gives way, the least needed first: items
 * that the ledger has, then what the oldest decisions led to. The open batch stays whole, and it stays known of each
 * decision that it was taken.
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

/** The open batch; then the items in doubt, failed and skipped, with what is said of them; then the others. */
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

/** The latest decisions with what they led to, and the one that runs; of the others that they were taken. */
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
