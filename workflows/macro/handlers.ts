import { defineQuery, defineUpdate, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { QUERIES, UPDATES } from '../../src/contract/messages';
import {
  answerRequestSchema,
  type AnswerRequest,
  type MacroTrace,
  type MacroTurn,
} from '../../src/contract/macro-run';
import { readAnswer } from '../../src/core/macro/questions';
import { closedRun, hasStarted, isEnded, shownState, traceOf, turnOf } from '../../src/core/macro/view';
import { touchSentinel, listState, sessionKey, stateKey } from '../shared/visibility';
import { read } from '../shared/decision-record';
import { refusing, toFailure } from '../shared/failures';
import { settled as settledSteps, waitFor } from '../shared/settle';
import type { MacroSelf } from './run';

const readyUpdate = defineUpdate<MacroTurn>(UPDATES.ready);
const pauseUpdate = defineUpdate<MacroTurn>(UPDATES.pause);
const resumeUpdate = defineUpdate<MacroTurn>(UPDATES.resume);
const answerUpdate = defineUpdate<MacroTurn, [AnswerRequest]>(UPDATES.answer);
const traceQuery = defineQuery<MacroTrace>(QUERIES.trace);
const startedQuery = defineQuery<boolean, [StartedRequest]>(QUERIES.started);

export function registerHandlers(self: MacroSelf): void {
  const hasBegun = () => self.run.begun !== undefined || isEnded(self.run);
  const open = () => {
    if (isEnded(self.run)) throw toFailure(closedRun(self.run));
  };
  setHandler(
    readyUpdate,
    async () => {
      await waitFor(hasBegun);
      return turnOf(self.run);
    },
    { description: 'Answers once it has its place and its macro is valid, or with the refusal' },
  );
  // Both apply from their arrival on: waiting for the macro to begin would delay them until after its first step.
  setHandler(
    pauseUpdate,
    async () => {
      become(self, true);
      await waitFor(hasBegun);
      open();
      return turnNow(self);
    },
    { validator: open, description: 'Begin no more steps; those at work end first' },
  );
  setHandler(
    resumeUpdate,
    async () => {
      become(self, false);
      await waitFor(hasBegun);
      open();
      return turnNow(self);
    },
    { validator: open, description: 'Go on with the next step' },
  );
  registerAnswer(self, hasBegun, open);
  setHandler(traceQuery, () => ({ ...traceOf(self.run), state: stateOf(self) }), {
    description: 'Where it stands, and its latest steps with their times and outcomes',
  });
  setHandler(startedQuery, ({ operation_id }) => hasStarted(self.run, operation_id), {
    description: 'Whether it started this operation or task run; asked when that is admitted',
  });
}

function registerAnswer(self: MacroSelf, hasBegun: () => boolean, open: () => void): void {
  setHandler(
    answerUpdate,
    async (request) => {
      await waitFor(hasBegun);
      open();
      take(self, request);
      touchSentinel(request.by);
      self.machine?.onChange();
      // The step receives it before this update is answered.
      await settledSteps();
      return turnNow(self);
    },
    {
      validator: (request: AnswerRequest) => {
        read(answerRequestSchema, request);
        open();
        // The handler judges the question that a step asks at the same time.
        if (self.machine) find(self, request);
      },
      description: 'Answer a question that a step asks: {"answer": "…", "question": 3}',
    },
  );
}

const find = ({ run }: MacroSelf, request: AnswerRequest) =>
  refusing(() => readAnswer(run.begun?.machine, request));

function take(self: MacroSelf, request: AnswerRequest): void {
  const { question, value } = find(self, request);
  question.answer = { value };
}

interface StartedRequest {
  operation_id?: unknown;
}

const turnNow = (self: MacroSelf): MacroTurn => ({ ...turnOf(self.run), state: stateOf(self) });

function become(self: MacroSelf, paused: boolean): void {
  self.run.state = paused ? 'paused' : 'running';
  self.run.updated_at = Date.now();
  if (self.machine) self.machine.paused = paused;
  publishState(self);
}

/** A run is paused once no step is running. */
function stateOf({ run, machine }: MacroSelf): MacroTrace['state'] {
  if (run.state !== 'paused' || machine === undefined) return shownState(run);
  const atWork = Object.values(machine.machine.threads).some(
    ({ pending }) => pending !== undefined && pending.question === undefined,
  );
  return atWork ? 'pausing' : 'paused';
}

/** Sets the search attributes at the start. */
export function publishStart(self: MacroSelf): void {
  const { state, session_id } = self.run;
  self.listed = state;
  self.shown_at = Date.now();
  upsertSearchAttributes([
    { key: stateKey, value: state },
    ...(session_id === undefined ? [] : [{ key: sessionKey, value: session_id }]),
  ]);
}

export const publishState = (self: MacroSelf): void => listState(self, shownState(self.run));
