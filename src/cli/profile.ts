import { Argument, type Command } from 'commander';
import { getProfile, setProfile } from '../client';
import { PROFILE_FIELD_NAMES, PROFILE_FIELDS, type Profile, type ProfileField } from '../contract/profile';
import { oneLine } from '../core/shared/plain-text';
import { withClient } from './connect';
import { print, printJson, table, UsageError } from './output';
import { verb } from './verb';

/** Verbs for the operational settings (specification P1) in the worker's store. */
export function addProfileVerbs(program: Command): void {
  const group = program
    .command('profile')
    .description('operational limits: tool calls, tool output, idleness');
  const profileOption = ['--profile <name>', 'which one', 'default'] as const;
  verb(group, 'get', 'the values in force', async (json, { profile }: { profile: string }) => {
    show(await withClient((client, taskQueue) => getProfile(client, profile, taskQueue)), json);
  }).option(...profileOption);
  verb(
    group,
    'set',
    'change one value',
    async (json, field: ProfileField, text: string, { profile }: Flags) => {
      const changes = { [field]: valueOf(field, text) };
      show(await withClient((client, taskQueue) => setProfile(client, changes, profile, taskQueue)), json);
    },
  )
    .addArgument(new Argument('<field>', 'which value').choices(PROFILE_FIELD_NAMES))
    .addArgument(new Argument('<value>', "a whole number, or 'default'"))
    .option(...profileOption);
}

interface Flags {
  profile: string;
}

function valueOf(field: ProfileField, text: string): number | null {
  if (text === 'default') return null;
  const { min, max } = PROFILE_FIELDS[field];
  if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new UsageError(
    `${field} cannot be '${text}'.`,
    `Give a whole number from ${min} to ${max}, or 'default'.`,
  );
}

function show(profile: Profile, json: boolean): void {
  if (json) return printJson(profile);
  print(`profile  ${oneLine(profile.profile)}`);
  const rows = PROFILE_FIELD_NAMES.map((field) => {
    const { label, purpose, used_by } = PROFILE_FIELDS[field];
    return [label, field, String(profile[field]), used_by, purpose];
  });
  print(table(['SETTING', 'FIELD', 'VALUE', 'READ BY', 'PURPOSE'], rows));
}
