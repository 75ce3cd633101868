import type { Change } from '../../../src/contract/change';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { quoted } from '../../../src/core/shared/plain-text';
import { changeOf, searchIn, targetSchema, type CardChange, type CardSearch } from './cards';

/** What happens to which cards, with the names of lists, labels and members. */
export function describeTrelloChange(context: PreparedBulkContext): Change {
  const change = changeOf(context);
  const name = targetSchema.safeParse(context.action_params).data?.name ?? '';
  return {
    summary: `${sentence(change, `each card${which(searchIn(context))}`, quoted(name))}.`,
    fields: fieldsOf(change, name),
    // A list that was given by its id may be on another board, and then the move takes labels off.
    reversible: 'list' in change && name === change.list ? 'partly' : 'yes',
  };
}

function sentence(change: CardChange, cards: string, name: string): string {
  if ('closed' in change) return change.closed ? `Archive ${cards}` : `Bring back ${cards} from the archive`;
  if ('list' in change) return `Move ${cards} to the list ${name}`;
  if ('addLabel' in change) return `Add the label ${name} to ${cards}`;
  if ('removeLabel' in change) return `Remove the label ${name} from ${cards}`;
  if ('addMember' in change) return `Add the member ${name} to ${cards}`;
  if ('removeMember' in change) return `Remove the member ${name} from ${cards}`;
  if (change.due === null) return `Clear the due date of ${cards}`;
  return `Set the due date of ${cards} to ${change.due.slice(0, 16).replace('T', ' ')} UTC`;
}

/** The search in words; explicit items have none. */
function which({ board_name, list_name, label_name, text }: Partial<CardSearch>): string {
  return [
    ...(text === undefined ? [] : [` that mentions ${quoted(text)}`]),
    ...(label_name === undefined ? [] : [` with the label ${quoted(label_name)}`]),
    ...(list_name === undefined ? [] : [` in the list ${quoted(list_name)}`]),
    ...(board_name === undefined ? [] : [` on the board ${quoted(board_name)}`]),
  ].join('');
}

function fieldsOf(change: CardChange, name: string): Change['fields'] {
  if ('closed' in change) return [{ name: 'archived', to: change.closed ? 'yes' : 'no' }];
  if ('list' in change) return [{ name: 'list', to: name }];
  if ('addMember' in change || 'removeMember' in change) return [{ name: 'member', to: name }];
  if ('due' in change) return [{ name: 'due', to: change.due ?? 'none' }];
  return [{ name: 'label', to: name }];
}
