import type { Path } from './stage';

export const PROFILES: Record<string, Path> = {
  'profile-changed': async ({ begin, handle }) => {
    await begin('profile', { profile: 'recorded', changes: { op_max_steps: 7 } });
    await handle.result();
  },
  'profile-refused': async ({ begin, handle }) => {
    await begin('profile', { profile: 'recorded', changes: { op_max_steps: 0 } });
    await handle.result().then(
      () => Promise.reject(new Error('it was not refused')),
      () => undefined,
    );
  },
};
