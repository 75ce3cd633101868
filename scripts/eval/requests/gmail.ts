import type { EmailSelection, EvalRequest, ExpectedOperation } from '../expectation';

export const NEWS = 'news@northwind-weekly.example';
export const BUILDS = 'builds@buildhouse.example';
export const ANA = 'ana.duarte@work.example';
const BEN = 'ben@work.example';
const ORDERS = 'orders@cornershop.example';
const RAIL = 'tickets@meridian-rail.example';

type Rest = Pick<ExpectedOperation, 'params' | 'change' | 'batch_size'>;

/** An operation on emails. */
export const onEmails = (
  action: string,
  emails: EmailSelection,
  total: number,
  { params, ...rest }: Rest,
): ExpectedOperation => ({
  ...{ outcome: 'operation', domain: 'gmail', action, items: { emails }, total, params, ...rest },
});

const bulk = (id: string, text: string, expected: ExpectedOperation): EvalRequest => ({
  ...{ id: `gmail-${id}`, kind: 'bulk', domain: 'gmail', text, expects: [expected] },
});

export const gmailRequests: readonly EvalRequest[] = [
  bulk(
    'label-sender',
    `Label all emails from ${NEWS} as "Later". Make the label if it is not there yet.`,
    onEmails('label', { from: NEWS }, 50, {
      change: { label: 'Later' },
      params: { sender: NEWS, label_name: 'Later', create_label: true },
    }),
  ),
  bulk(
    'archive-sender',
    `Archive everything from ${BUILDS}.`,
    onEmails('archive', { from: BUILDS }, 72, { params: { sender: BUILDS } }),
  ),
  bulk(
    'read-unread',
    `Mark all unread emails from ${BUILDS} as read. Leave out those that are read already.`,
    onEmails('mark_read', { from: BUILDS, unread: true }, 24, {
      params: { query: `from:${BUILDS} is:unread` },
    }),
  ),
  bulk(
    'star-sender',
    `Please star every email from ${ANA}.`,
    onEmails('star', { from: ANA }, 38, { params: { sender: ANA } }),
  ),
  bulk(
    'trash-unread',
    `Move the newsletters from ${NEWS} that I have not read to the trash.`,
    onEmails('trash', { from: NEWS, unread: true }, 25, { params: { query: `from:${NEWS} is:unread` } }),
  ),
  bulk(
    'unlabel-sender',
    `Remove the label Receipts from all emails from ${ORDERS}.`,
    onEmails('unlabel', { from: ORDERS }, 44, {
      change: { label: 'Receipts' },
      params: { sender: ORDERS, label_name: 'Receipts' },
    }),
  ),
  bulk(
    'unread-sender',
    `Mark every email from ${RAIL} as unread.`,
    onEmails('mark_unread', { from: RAIL }, 16, { params: { sender: RAIL } }),
  ),
  bulk(
    'archive-subject',
    `Archive the failed builds: the emails from ${BUILDS} with the word failed in the subject.`,
    onEmails('archive', { from: BUILDS, subject: 'failed' }, 18, {
      params: { query: `from:${BUILDS} subject:failed` },
    }),
  ),
  bulk(
    'label-subject',
    `Put a new label "Trips/Lisbon" on the emails from ${RAIL} whose subject has the word Lisbon.`,
    onEmails('label', { from: RAIL, subject: 'Lisbon' }, 4, {
      change: { label: 'Trips/Lisbon' },
      params: { query: `from:${RAIL} subject:Lisbon`, label_name: 'Trips/Lisbon', create_label: true },
    }),
  ),
  bulk(
    'archive-shipped',
    `Archive the emails from ${ORDERS} that say "shipped" in the subject; I need only the confirmations.`,
    onEmails('archive', { from: ORDERS, subject: 'shipped' }, 15, {
      params: { query: `from:${ORDERS} subject:shipped` },
    }),
  ),
  bulk(
    'label-by-label',
    'Add the label Work/Reports to everything that has the label Travel.',
    onEmails('label', { label: 'Travel' }, 16, {
      change: { label: 'Work/Reports' },
      params: { query: 'label:Travel', label_name: 'Work/Reports' },
    }),
  ),
  bulk(
    'german',
    `Bitte archiviere alle Mails von ${BEN}.`,
    onEmails('archive', { from: BEN }, 24, { params: { sender: BEN } }),
  ),
  bulk(
    'batch-size',
    `Star the emails from ${RAIL}, but ask me after every five of them.`,
    onEmails('star', { from: RAIL }, 16, { batch_size: 5, params: { sender: RAIL } }),
  ),
  bulk(
    'inbox-unread',
    'Star all unread emails that are in my inbox.',
    onEmails('star', { label: 'INBOX', unread: true }, 63, { params: { query: 'in:inbox is:unread' } }),
  ),
];
