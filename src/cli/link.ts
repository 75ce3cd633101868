import { createHash, randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { Option, type Command } from 'commander';
import { keepSignInLink } from '../client';
import { LINK_MS, ROLES, type Role } from '../contract/access';
import { withClient } from './connect';
import { readConfig } from './io';
import { originOf } from './origin';
import { note, print, printJson } from './output';
import { verb } from './verb';

interface LinkFlags {
  name: string;
  role: Role;
}

/** The verb creates the token and prints it once; the store keeps its hash. */
export function addLinkVerb(program: Command): void {
  verb(program, 'link', 'a new link that signs in to the pages, once and within an hour', link)
    .option('--name <name>', 'whom it signs in, as decisions record it', userInfo().username)
    .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).default('admin'));
}

async function link(json: boolean, { name, role }: LinkFlags): Promise<void> {
  const token = randomBytes(32).toString('base64url');
  const hash = createHash('sha256').update(token).digest('hex');
  const expires_at = new Date(Date.now() + LINK_MS).toISOString();
  await withClient((client, taskQueue) =>
    keepSignInLink(client, { name, role, expires_at, hash }, taskQueue),
  );
  const url = `${await originOf(readConfig())}/sign-in?token=${token}`;
  if (json) return printJson({ url, name, role, expires_at });
  note(`This link signs in ${name} with the role ${role}, once, until ${expires_at}:`);
  print(url);
}
