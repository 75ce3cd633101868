import type { Config } from '../config';
import { describeTrelloCredentials } from '../credentials';
import { ok, problem, type Finding } from './check';

/** That nobody uses Trello is no fault. */
export async function probeTrello(config: Config): Promise<Finding> {
  const { source, detail, remedy = 'Read docs/trello.md.' } = await describeTrelloCredentials(config);
  if (source === 'none') return ok(`${detail}. ${remedy}`);
  return source === 'unusable' ? problem(detail, remedy) : ok(detail);
}
