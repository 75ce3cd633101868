import type { Role } from '../../contract/access';
import { idSchema } from '../../contract/text';

/** A person with this value of a claim gets the role; without a claim, everyone whom the provider signs in. */
export interface RoleRule {
  role: Role;
  claim?: string;
  value?: string;
}

/** The claims of an identity provider about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/** The role of the first rule that matches. */
export function roleOf(claims: Claims, rules: readonly RoleRule[]): Role | undefined {
  return rules.find(
    ({ claim, value }) => claim === undefined || valuesOf(claims, claim).includes(value ?? ''),
  )?.role;
}

/** The name under which decisions are recorded; the subject if the claim has no usable name. */
export function nameOf(claims: Claims, claim: string): string | undefined {
  const names = [...valuesOf(claims, claim), ...valuesOf(claims, 'sub')];
  return names.map((name) => idSchema(150).safeParse(name.trim())).find(({ success }) => success)?.data;
}

/** The groups that a claim names, up to the number that a session stores. */
export const groupsOf = (claims: Claims, claim: string): string[] =>
  [...new Set(valuesOf(claims, claim))].filter((name) => name.length <= 150).slice(0, MAX_GROUPS);

const MAX_GROUPS = 100;

/** The texts of a claim; none for an email address that is not verified, because it may be another person's. */
function valuesOf(claims: Claims, claim: string): string[] {
  if (claim === 'email' && claims['email_verified'] !== true) return [];
  const value = Object.hasOwn(claims, claim) ? claims[claim] : nested(claims, claim.split('.'));
  return [value].flat().filter((member) => typeof member === 'string');
}

/** `realm_access.roles` is a claim within a claim. */
function nested(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return nested((value as Claims)[name], rest);
}
