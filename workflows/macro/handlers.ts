import { defineQuery, defineUpdate, setHandler } from '@temporalio/workflow';
import { QUERIES, UPDATES } from '../../src/contract/messages';
import type { MacroTrace, MacroTurn } from '../../src/contract/macro-run';
import { closedRun, isEnded, traceOf, turnOf } from '../../src/core/macro/view';
import { toFailure } from '../failures';
import { waitFor } from '../settle';
import type { MacroSelf } from './self';
import { publishDetails, publishState } from './visibility';

const readyUpdate = defineUpdate<MacroTurn>(UPDATES.ready);
const pauseUpdate = defineUpdate<MacroTurn>(UPDATES.pause);
const resumeUpdate = defineUpdate<MacroTurn>(UPDATES.resume);
const traceQuery = defineQuery<MacroTrace>(QUERIES.trace);
const startedQuery = defineQuery<boolean, [StartedRequest]>(QUERIES.started);

export function registerHandlers(self: MacroSelf): void {
  const begun = () => self.run.begun !== undefined || isEnded(self.run);
  const open = () => {
    if (isEnded(self.run)) throw toFailure(closedRun(self.run));
  };
  setHandler(
    readyUpdate,
    async () => {
      await waitFor(begun);
      return turnOf(self.run);
    },
    { description: 'Answers once it has its place and its macro is valid, or with the refusal' },
  );
  // Both hold from when they come: what waits for it to begin first comes after its first step.
  setHandler(
    pauseUpdate,
    async () => {
      become(self, true);
      await waitFor(begun);
      open();
      return shown(self);
    },
    { validator: open, description: 'Begin no more steps; those at work end first' },
  );
  setHandler(
    resumeUpdate,
    async () => {
      become(self, false);
      await waitFor(begun);
      open();
      return shown(self);
    },
    { validator: open, description: 'Go on with the next step' },
  );
  setHandler(traceQuery, () => ({ ...traceOf(self.run), state: stateOf(self) }), {
    description: 'Where it stands, and its latest steps with their times and outcomes',
  });
  setHandler(
    startedQuery,
    ({ operation_id }) => (self.run.operations ?? []).some((id) => id === operation_id),
    { description: 'Whether it started this bulk operation; asked when the operation is admitted' },
  );
}

interface StartedRequest {
  operation_id?: unknown;
}

const shown = (self: MacroSelf): MacroTurn => ({ ...turnOf(self.run), state: stateOf(self) });

function become(self: MacroSelf, paused: boolean): void {
  self.run.state = paused ? 'paused' : 'running';
  self.run.updated_at = Date.now();
  if (self.machine) self.machine.paused = paused;
  publishState(self);
  publishDetails(self);
}

/** Paused is reached once no step is at work. */
function stateOf({ run, machine }: MacroSelf): MacroTrace['state'] {
  if (run.state !== 'paused' || machine === undefined) return run.state;
  const atWork = Object.values(machine.machine.threads).some(({ pending }) => pending !== undefined);
  return atWork ? 'pausing' : 'paused';
}
