import {
  PROFILE_FIELD_NAMES,
  PROFILE_FIELDS,
  type Profile,
  type ProfileChanges,
  type ProfileField,
} from '../../contract/profile';
import type { Settings } from '../../contract/settings';

/** A profile with its effective values: those that were set, else the defaults. */
export function profileInForce(
  profile: string,
  set: ProfileChanges,
  settings: Pick<Settings, 'idle_threshold_seconds'>,
): Profile {
  // The operator's variable is older than the profile, and replaces its default.
  const defaults: Partial<Record<ProfileField, number>> = {
    op_idle_threshold_seconds: settings.idle_threshold_seconds,
  };
  const values = PROFILE_FIELD_NAMES.map((field) => [
    field,
    set[field] ?? defaults[field] ?? PROFILE_FIELDS[field].default,
  ]);
  return { profile, ...(Object.fromEntries(values) as Record<ProfileField, number>) };
}
