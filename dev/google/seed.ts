/** The initial local mailbox: always the same emails, with the same ids. */

import { DEMO_LABEL, NEWSLETTER_SENDER } from '../../src/host/local-google/record';

export const MAILBOX_USER = 'sam@mailbox.example';
/** Emails of the newsletter's sender, all of them in the inbox. */
export const NEWSLETTER_COUNT = 50;

interface SeedLabel {
  id: string;
  name: string;
}
interface SeedMessage {
  id: string;
  thread_id: string;
  from: string;
  to: string;
  subject: string;
  body_text: string;
  internal_date: string;
  label_ids: string[];
}

export const SEED_LABELS: readonly SeedLabel[] = [
  { id: 'Label_1', name: DEMO_LABEL },
  { id: 'Label_2', name: 'Receipts' },
  { id: 'Label_3', name: 'Travel' },
  { id: 'Label_4', name: 'Work/Reports' },
];

interface Sender {
  from: string;
  count: number;
  labels: string[];
  /** Every nth email is unread; 0: none. */
  unreadEvery: number;
  subject: (n: number) => string;
  /** The number of successive emails in a conversation. Default: 1. */
  conversation?: number;
}

const pick = (list: readonly string[], n: number): string => list[n % list.length] ?? '';

const THEMES = [
  'Bread',
  'Bicycles',
  'Night trains',
  'Repair cafés',
  'Rooftop gardens',
  'Old maps',
  'Tide pools',
];
const WEEKLY = [
  (n: number) => `Northwind Weekly #${n + 101}: ${pick(THEMES, n)}`,
  (n: number) => `${pick(THEMES, n)} and other small wonders (issue ${n + 101})`,
  (n: number) => `Issue ${n + 101} · five good reads about ${pick(THEMES, n).toLowerCase()}`,
];
const THINGS = [
  'a kettle',
  'running shoes',
  'two notebooks',
  'a desk lamp',
  'coffee filters',
  'a rain jacket',
];
const BUILDS = ['main', 'release/2.4', 'fix/login-timeout', 'feature/export-csv', 'chore/update-deps'];
const CITIES = ['Lisbon', 'Ghent', 'Trieste', 'Bergen'];
const TALK = [
  'Lunch on Thursday?',
  'Notes from today',
  'Re: the budget table',
  'Can you look at this?',
  'Photos',
  '',
];

const SENDERS: readonly Sender[] = [
  {
    from: `Northwind Weekly <${NEWSLETTER_SENDER}>`,
    count: NEWSLETTER_COUNT,
    labels: ['INBOX', 'CATEGORY_PROMOTIONS'],
    unreadEvery: 2,
    subject: (n) => WEEKLY[n % WEEKLY.length]?.(n) ?? '',
  },
  {
    from: 'Buildhouse <builds@buildhouse.example>',
    count: 72,
    labels: ['INBOX', 'CATEGORY_UPDATES'],
    unreadEvery: 3,
    subject: (n) => `[${n % 4 === 0 ? 'failed' : 'passed'}] ${pick(BUILDS, n)} · run ${4_210 + n}`,
  },
  {
    from: 'Corner Shop <orders@cornershop.example>',
    count: 44,
    labels: ['INBOX', 'Label_2'],
    unreadEvery: 0,
    subject: (n) =>
      `Your order ${70_310 + n * 7}: ${pick(THINGS, n)} ${n % 3 === 0 ? 'has shipped' : 'is confirmed'}`,
  },
  {
    from: 'Ana Duarte <ana.duarte@work.example>',
    count: 38,
    labels: ['INBOX'],
    unreadEvery: 5,
    subject: (n) => pick(TALK, n),
    conversation: 3,
  },
  {
    from: 'Meridian Rail <tickets@meridian-rail.example>',
    count: 16,
    labels: ['Label_3'],
    unreadEvery: 0,
    subject: (n) => `Your ticket to ${pick(CITIES, n)}, booking ${pick('KQZRT'.split(''), n)}${8_800 + n}`,
  },
  {
    from: 'Harbour Bank <statements@harbourbank.example>',
    count: 36,
    labels: [],
    unreadEvery: 0,
    subject: (n) => `Statement ${(n % 12) + 1}/${2_023 + Math.floor(n / 12)} is ready`,
  },
  {
    from: 'Ben Okafor <ben@work.example>',
    count: 24,
    labels: ['INBOX', 'Label_4'],
    unreadEvery: 4,
    subject: (n) => `Week ${n + 20}: numbers for the team`,
  },
  {
    from: 'Lucky Draw <winner@lucky-draw.example>',
    count: 14,
    labels: ['SPAM'],
    unreadEvery: 1,
    subject: (n) => `You have been selected (${n + 1})`,
  },
  {
    from: 'Old Forum <digest@old-forum.example>',
    count: 6,
    labels: ['TRASH'],
    unreadEvery: 0,
    subject: (n) => `Digest, volume ${n + 1}`,
  },
];

const FIRST_DAY = Date.UTC(2026, 0, 5, 7, 30);
const HOUR = 3_600_000;

/** The emails of all senders over the same months, so that a list mixes them. */
export function seedMessages(): SeedMessage[] {
  return SENDERS.flatMap((sender, place) =>
    Array.from({ length: sender.count }, (_unused, n) => {
      const idOf = (nth: number) => `19a0${String(place).padStart(4, '0')}${String(nth).padStart(8, '0')}`;
      const id = idOf(n);
      const unread = sender.unreadEvery > 0 && n % sender.unreadEvery === 0;
      return {
        id,
        thread_id: idOf(n - (n % (sender.conversation ?? 1))),
        from: sender.from,
        to: MAILBOX_USER,
        subject: sender.subject(n),
        body_text: 'A local email, for trying things out.',
        // The minutes make all dates distinct, so that the order of a list is stable.
        internal_date: String(FIRST_DAY + Math.floor((n * 4_000) / sender.count) * HOUR + place * 60_000),
        label_ids: unread ? [...sender.labels, 'UNREAD'] : sender.labels,
      };
    }),
  );
}
