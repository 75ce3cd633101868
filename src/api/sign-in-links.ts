import { LINK_MS, type AccessStore, type SignInLink } from '../contract/access';
import { hashOf, newSecret } from './principal';

export type LinkedPerson = Pick<SignInLink, 'name' | 'role'>;

/** Links that sign in a person once, before they expire. */
export interface SignInLinks {
  /** Returns the path of a new link. */
  create(person: LinkedPerson): Promise<string>;
  /** Does not use up the link, because mail programs and chats open links to show a preview. */
  find(token: string): Promise<LinkedPerson | undefined>;
  use(token: string): Promise<LinkedPerson | undefined>;
}

const signInPath = (token: string): string => `/sign-in?token=${token}`;

export function createSignInLinks(access: AccessStore): SignInLinks {
  return {
    async create({ name, role }) {
      const token = newSecret();
      const expires_at = new Date(Date.now() + LINK_MS).toISOString();
      await access.keepLink({ name, role, expires_at, hash: hashOf(token) });
      return signInPath(token);
    },
    find: (token) => access.findLink(hashOf(token)),
    use: (token) => access.takeLink(hashOf(token)),
  };
}
