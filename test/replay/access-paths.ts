import { refused, type Path } from './stage';

const key = { name: 'recorded', role: 'viewer', hash: 'ab'.repeat(32) };

export const ACCESS: Record<string, Path> = {
  'keys-created': async ({ begin, handle }) => {
    await begin('accessKeys', { verb: 'create', ...key });
    await handle.result();
  },
  'keys-refused': async ({ begin, handle }) => {
    await begin('accessKeys', { verb: 'revoke', key_id: 'key-none' });
    await refused(handle.result());
  },
};
