import type { Change } from '../../../src/contract/change';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { quoted } from '../../../src/core/shared/plain-text';
import { labelOf, missingLabel, type GmailActionName } from './parameters';

const EMPTIED = 'Gmail empties the trash, 30 days later';

/** What happens to which emails: `Add the label “Later” to mail from news@northwind-weekly.example.` */
export function describeGmailChange(context: PreparedBulkContext): Change {
  const action = context.action as GmailActionName;
  const label = action === 'label' || action === 'unlabel' ? labelOf(context).label_name : undefined;
  const made = missingLabel(context) === undefined ? '' : ' (it will be created)';
  return {
    summary: `${sentence(action, which(context), label, made)}.`,
    fields: label === undefined ? [] : [{ name: 'label', to: label }],
    reversible: 'yes',
    ...(action === 'trash' && { until: EMPTIED }),
  };
}

function sentence(action: GmailActionName, mail: string, label = '', made = ''): string {
  switch (action) {
    case 'label':
      return `Add the label ${quoted(label)}${made} to ${mail}`;
    case 'unlabel':
      return `Remove the label ${quoted(label)} from ${mail}`;
    case 'archive':
      return `Take ${mail} out of the inbox`;
    case 'mark_read':
      return `Mark ${mail} as read`;
    case 'mark_unread':
      return `Mark ${mail} as unread`;
    case 'star':
      return `Star ${mail}`;
    case 'trash':
      return `Move ${mail} to the trash`;
  }
}

/** The search in words; explicit items have none. */
function which({ query_params: { sender, query } }: PreparedBulkContext): string {
  if (typeof query === 'string') return `mail that matches ${quoted(query)}`;
  if (typeof sender !== 'string') return 'each email';
  return `mail from ${/^[\w.+-]+@[\w.-]+$/.test(sender) ? sender : quoted(sender)}`;
}
