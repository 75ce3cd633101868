import { bytesOf, fitting, fittingLast, MAX_DECISIONS, MAX_PAYLOAD_BYTES } from '../shared/bounds';
import { forgetting } from './decisions';
import { gateKey, rampOfState, type OperationState } from './operation';
import { codeAt } from './outcomes';
import { sliceOf } from './ramp';
import { remember } from './remembered';

/** The maximum bytes of the parts of a state. */
interface Room {
  accepted: number;
  confirmations: number;
  refused: number;
  names: number;
}

/** Limits from largest to smallest. The first one that the state fits is used. */
const ROOMS: Room[] = [
  { accepted: 48_000, confirmations: 48_000, refused: 32_000, names: 32_000 },
  { accepted: 12_000, confirmations: 12_000, refused: 8_000, names: 8_000 },
];
const LEAST: Room = { accepted: 0, confirmations: 0, refused: 0, names: 0 };

/** The maximum size of a state at continue-as-new, which also carries the input. */
const MAX_STATE_BYTES = MAX_PAYLOAD_BYTES - 8_192;

/**
 * The state that one run passes to the next. If it exceeds a payload, the least needed parts are dropped first: names,
 * and the outcomes of the oldest decisions. The open question is never cut, and no accepted decision is forgotten.
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
    ...namesWithin(state, room),
    ...acceptedWithin(state, room),
    refused,
    refused_before: forgetting(state.refused_before, forgotten),
    confirmations,
    confirmations_cut: state.confirmations_cut + state.confirmations.length - confirmations.length,
    ...(state.edits && { edits: fittingLast(state.edits, room.confirmations) }),
  };
}

/** The items of the open batch, and the names of others: first those in doubt, failed and skipped. */
function namesWithin(state: OperationState, room: Room): Pick<OperationState, 'items' | 'details'> {
  const { from, to } = sliceOf(rampOfState(state), state.total, state.batch);
  const rows = Object.entries(state.items).map(([key, item]) => {
    const place = Number(key);
    return { place, item, detail: state.details[place], code: codeAt(state.codes, place) };
  });
  const isOpen = ({ place }: { place: number }) => place >= from && place < to;
  const names = [...'dfksp'].flatMap((code) =>
    rows
      .filter((row) => row.code === code && !isOpen(row))
      .map(({ item: { id, display_name }, ...row }) => ({ ...row, item: { id, display_name } })),
  );
  const carriedRows = [...rows.filter(isOpen), ...fitting(names, room.names)];
  return {
    items: Object.fromEntries(carriedRows.map(({ place, item }) => [place, item])),
    details: Object.fromEntries(
      carriedRows.flatMap(({ place, detail }) => (detail ? [[place, detail]] : [])),
    ),
  };
}

/** The running decision and the latest others with their outcomes. Of older decisions, only the ids are kept. */
function acceptedWithin(
  state: OperationState,
  room: Room,
): Pick<OperationState, 'accepted' | 'accepted_before'> {
  const currentKey = gateKey(state.batch, state.attempt);
  const all = Object.entries(state.accepted);
  const others = all.filter(([key]) => key !== currentKey);
  const latest = fittingLast(others, room.accepted);
  const accepted_before = others
    .slice(0, others.length - latest.length)
    .reduce(
      (before, [, { decision_id }]) => remember(before, decision_id, MAX_DECISIONS),
      state.accepted_before,
    );
  return {
    accepted: Object.fromEntries([...latest, ...all.filter(([key]) => key === currentKey)]),
    accepted_before,
  };
}
