import { putScratchpad } from '../../src/client';
import { refused, type Path } from './stage';

const UPLOAD = '6d1f2f0e-6c0b-4a55-9b8f-3a3c5a4f7b10';
const target = { session_id: 'recorded', key: 'kept' };

export const SCRATCHPADS: Record<string, Path> = {
  'scratchpad-value-read': async ({ begin, handle, harness: { client, taskQueue } }) => {
    await putScratchpad(client, target.session_id, target.key, { rows: [1, 2] }, taskQueue);
    await begin('scratchpad', { verb: 'get', ...target });
    await handle.result();
  },
  'scratchpad-value-joined': async ({ begin, handle, harness: { client, taskQueue } }) => {
    const upload = (part: number, text: string) =>
      client.workflow.execute('scratchpad', {
        ...{ workflowId: `scratchpad-part-${part}`, taskQueue },
        args: [{ verb: 'upload', upload_id: UPLOAD, part, text }],
      });
    await upload(0, '"one ');
    await upload(1, 'value"');
    await begin('scratchpad', { verb: 'join', ...target, upload_id: UPLOAD, parts: 2 });
    await handle.result();
  },
  'scratchpad-join-refused': async ({ begin, handle }) => {
    await begin('scratchpad', { verb: 'join', ...target, upload_id: UPLOAD.replace('6', '7'), parts: 2 });
    await refused(handle.result());
  },
};
