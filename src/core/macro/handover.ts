import type { ErrorBody } from '../../contract/errors';
import { bytesOf } from '../shared/bounds';
import type { Json } from '../../contract/macro';
import { gatewayError } from './errors';
import { withValues } from './held-values';
import type { Machine } from './machine-state';
import type { MacroRun } from './view';

/** A payload of Temporal is limited to 2 MB. */
const MAX_HANDED_BYTES = 2_000_000;

/** The state of a run that the next one takes over. */
export interface Handover {
  /** Its machine contains the index in `values` in place of each value, so that a shared value is stored once. */
  run: MacroRun;
  values: Json[];
}

/** Packs the state of a run for the next one, or returns the reason why it cannot be handed over. */
export function handOver(run: MacroRun): { handover: Handover } | { refusal: ErrorBody } {
  const places = new Map<Json, number>();
  const packed = overMachine(run, (machine) =>
    withValues({ ...machine, spent: 0 }, (value) => {
      const place = places.get(value) ?? places.size;
      places.set(value, place);
      return place;
    }),
  );
  const handover = { run: packed, values: [...places.keys()] };
  if (bytesOf(handover) <= MAX_HANDED_BYTES) return { handover };
  return {
    refusal: gatewayError(
      `The macros, variables and trace of the run are more than ${MAX_HANDED_BYTES} bytes, the maximum.`,
      'Fetch fewer rows or columns, or keep large data in a database or the scratchpad.',
    ),
  };
}

export function takeOver({ run, values }: Handover): MacroRun {
  return overMachine(run, (machine) => withValues(machine, (place) => values[place as number] ?? null));
}

function overMachine(run: MacroRun, change: (machine: Machine) => Machine): MacroRun {
  const { begun } = run;
  return begun ? { ...run, begun: { ...begun, machine: change(begun.machine) } } : run;
}
