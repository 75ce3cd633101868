import { parseInput } from '../../src/contract/errors';
import {
  DEFAULT_PROFILE,
  profileRequestSchema,
  type Profile,
  type ProfileRequest,
  PROFILE_FIELD_NAMES,
  PROFILE_FIELDS,
  type ProfileChanges,
  type ProfileField,
} from '../../src/contract/profile';
import type { ActivityDependencies } from './dependencies';
import type { Settings } from '../../src/contract/settings';

type Needed = Pick<ActivityDependencies, 'profiles' | 'settings'>;

/** Applies changes to a profile, if any, and returns its effective values. */
export async function accessProfile(
  { profiles, settings }: Needed,
  request: ProfileRequest,
): Promise<Profile> {
  const { profile, changes = {} } = parseInput(profileRequestSchema, request, 'The profile');
  const isChange = Object.values(changes).some((value) => value !== undefined);
  const overrides = await (isChange ? profiles.change(profile, changes) : profiles.read(profile));
  return profileInForce(profile, overrides, settings);
}

/** Returns the effective values of a profile. Default: the default profile. */
export async function readProfile(
  { profiles, settings }: Needed,
  name: string = DEFAULT_PROFILE,
): Promise<Profile> {
  return profileInForce(name, await profiles.read(name), settings);
}

/** Returns a profile with its effective values: the changed values, else the defaults. */
function profileInForce(
  profile: string,
  overrides: ProfileChanges,
  settings: Pick<Settings, 'idle_threshold_seconds'>,
): Profile {
  // The operator's environment variable replaces the default.
  const defaults: Partial<Record<ProfileField, number>> = {
    op_idle_threshold_seconds: settings.idle_threshold_seconds,
  };
  const values = PROFILE_FIELD_NAMES.map((field) => [
    field,
    overrides[field] ?? defaults[field] ?? PROFILE_FIELDS[field].default,
  ]);
  return { profile, ...(Object.fromEntries(values) as Record<ProfileField, number>) };
}
