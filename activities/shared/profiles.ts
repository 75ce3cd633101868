import { parseInput } from '../../src/contract/errors';
import {
  DEFAULT_PROFILE,
  profileRequestSchema,
  type Profile,
  type ProfileRequest,
} from '../../src/contract/profile';
import { profileInForce } from '../../src/core/shared/profile';
import type { ActivityDependencies } from './dependencies';

type Needed = Pick<ActivityDependencies, 'profiles' | 'settings'>;

/** Changes a profile, if there are changes, and returns its values in force. */
export async function accessProfile(
  { profiles, settings }: Needed,
  request: ProfileRequest,
): Promise<Profile> {
  const { profile, changes = {} } = parseInput(profileRequestSchema, request, 'The profile');
  const isChange = Object.values(changes).some((value) => value !== undefined);
  const set = await (isChange ? profiles.change(profile, changes) : profiles.read(profile));
  return profileInForce(profile, set, settings);
}

/** The values in force of a profile, by default of the default one. */
export async function readProfile(
  { profiles, settings }: Needed,
  name: string = DEFAULT_PROFILE,
): Promise<Profile> {
  return profileInForce(name, await profiles.read(name), settings);
}
