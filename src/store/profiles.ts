import { PROFILE_FIELD_NAMES, type ProfileChanges, type ProfileStore } from '../contract/profile';
import { type Db, now } from './schema';

/** The profiles, over the store's table. */
export function createProfileStore(db: Db): ProfileStore {
  return {
    async read(profile) {
      const row = await db
        .selectFrom('profiles')
        .select(PROFILE_FIELD_NAMES)
        .where('profile', '=', profile)
        .executeTakeFirst();
      return row ?? {};
    },
    change: (profile, changes): Promise<ProfileChanges> =>
      db
        .insertInto('profiles')
        .values({ profile, ...changes })
        .onConflict((conflict) => conflict.column('profile').doUpdateSet({ ...changes, updated_at: now }))
        .returning(PROFILE_FIELD_NAMES)
        .executeTakeFirstOrThrow(),
  };
}
