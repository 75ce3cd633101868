import type { AdmitAnswer } from '../../src/contract/sentinel';
import type { Path, Scene } from './stage';

const job = (job_id: string, session_id?: string) => ({
  job: { job_id, run_id: 'r', kind: 'bulk_operation', ...(session_id !== undefined && { session_id }) },
  limit: 2,
});

/** Starts a sentinel, and tells it that no jobs run, so that it admits from now on. */
async function settled({ begin, update }: Scene): Promise<void> {
  await begin('sentinel', { settle_ms: 0 });
  const answer = await update<AdmitAnswer>('admit', job('first'));
  if (answer.admitted || answer.because !== 'unsettled')
    throw new Error('it knows what runs before it was told');
  await update('admit', { ...job('first'), seen: { epoch: answer.epoch, jobs: [] } });
}

/** Paths of one run each. */
export const SENTINELS: Record<string, Path> = {
  'sentinel-full-and-contested': async (scene) => {
    await settled(scene);
    const { update, handle } = scene;
    await update('admit', job('second', 's'));
    await update('admit', job('third', 's'));
    await update('admit', job('third'));
    await update('admit', { ...job('third', 's'), ended: [{ job_id: 'second', run_id: 'r' }] });
    await handle.signal('release', { job_id: 'first', run_id: 'r' });
    await update('admit', job('fourth'));
    await update('touch', { by: 'ana', session_id: 's' });
    await handle.signal('touch', { by: 'ben' });
    await update('touch');
    await handle.terminate();
  },
  'sentinel-remembers-what-was-said': async (scene) => {
    await settled(scene);
    const { update, handle } = scene;
    await update('admit', job('second', 's'));
    const note = { session_id: 's', operation_id: 'second', digest: 'd' };
    await update('touch', { session_id: 's', message_id: 'm1' });
    await handle.signal('note', { ...note, message_id: 'm1', said: 'apart' });
    await update('touch', { session_id: 's', message_id: 'm2' });
    await handle.signal('note', { ...note, message_id: 'm2', said: 'asked', exclude: [1] });
    await update('touch', { session_id: 's', message_id: 'm2' });
    await handle.signal('note', { ...note, said: 'shown' });
    await update('touch', { session_id: 's' });
    await handle.terminate();
  },
  'rejected-for-a-busy-session': async ({ harness, id, startRaw, handle }) => {
    const holder = await harness.start({ session_id: id });
    await startRaw({ domain: 'fake', action: 'mark', params: { group: 'all' }, session_id: id });
    await handle.result();
    await harness.client.workflow.getHandle(holder.operation_id).terminate();
  },
  'sentinel-in-anothers-place': async ({ begin, update, handle }) => {
    await begin('sentinel');
    await update('admit', job('first'));
    await update('admit', { ...job('first'), seen: { epoch: 'another', jobs: [] } });
    await handle.terminate();
  },
};

/** Paths of several runs, on a server that suggests continue-as-new early. */
export const CHAINED_SENTINELS: Record<string, Path> = {
  'sentinel-continued-as-new': async (scene) => {
    await settled(scene);
    const { update, handle } = scene;
    const { runId: first } = await handle.describe();
    const runs = new Set([first]);
    while (runs.size < 3) {
      await update('touch', { by: 'ana' });
      runs.add((await handle.describe()).runId);
    }
    await update('admit', job('first'));
    await handle.terminate();
  },
};
