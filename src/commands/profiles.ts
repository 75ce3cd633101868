import { z } from 'zod';
import { getProfile, setProfile } from '../client';
import {
  PROFILE_FIELD_NAMES,
  PROFILE_FIELDS,
  profileChangesSchema,
  profileSchema,
  type ProfileField,
} from '../contract/profile';
import { idSchema } from '../contract/text';
import { MAY } from '../core/access/permissions';
import { command, described, type AnyCommand } from './command';

const profile = idSchema(150).describe('The name of the profile; callers that name none have `default`');
const settings = { group: 'settings', output: profileSchema, idempotent: true } as const;
const purposes = Object.fromEntries(
  PROFILE_FIELD_NAMES.map((name) => [name, `${PROFILE_FIELDS[name].purpose}; null is the default again`]),
) as Record<ProfileField, string>;

const getProfileCommand = command({
  ...settings,
  name: 'getProfile',
  title: 'Limits of a profile',
  does: 'Shows the operational limits of a profile that are in force.',
  input: z.strictObject({ profile }),
  may: MAY.look,
  effect: 'reads',
  http: { route: 'GET /v1/profiles/{profile}' },
  run: (client, input, { task_queue }) => getProfile(client, input.profile, task_queue),
});

const setProfileCommand = command({
  ...settings,
  name: 'setProfile',
  title: 'Change the limits of a profile',
  does: 'Changes operational limits of a profile. Without changes, it shows the limits in force.',
  input: z.strictObject({ profile }).extend(described(profileChangesSchema, purposes).shape),
  may: MAY.administer,
  effect: 'records',
  http: { route: 'PATCH /v1/profiles/{profile}' },
  run: (client, { profile: name, ...changes }, { task_queue }) =>
    setProfile(client, changes, name, task_queue),
});

export const PROFILES: readonly AnyCommand[] = [getProfileCommand, setProfileCommand];
