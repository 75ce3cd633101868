import type { BulkState } from '../../contract/operation';
import { closing, goTo, opening, please, wish } from './grammar';
import { any, CARDINALS, pause, whole } from './words';

/** The facts about the open question. A message with amounts or numbers is compared with them. */
export interface IntentContext {
  state?: BulkState | undefined;
  /** The number of the open batch. */
  batch?: number;
  /** The number of items in the batch. */
  size?: number;
  /** The number of remaining batches, the open one included. */
  batches_left?: number;
  /** The adapter's action, for a message that names it ("yes, archive them"). */
  action?: string;
}

const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const agreed = '(?:yes|yep|yeah|ok|okay|sure|agreed|approved|confirmed|green light)';
const items = '(?: (?:items?|ones|emails?|messages?|mails?|events?|cards?|rows?))?';

/** Every sentence about the open batch contains one of these. */
const NAMES_IT = new RegExp(
  `[0-9]|batch|rest|remain|last|final|finish|complete|${CARDINALS.join('|')}|zehn|dix|diez|dieci|dez|tien`,
);
const compiled = new Map<string, RegExp>();

/** Whether the message confirms exactly the open batch by its number, its size, or as the one that is left. */
export function confirmsOpenBatch(text: string, context: IntentContext): boolean {
  // By itself it may be the subject of something else.
  if (text === 'this batch' || !NAMES_IT.test(text)) return false;
  const key = `${context.state === 'batch_failed'} ${context.size} ${context.batch === 1} ${context.batches_left === 1}`;
  const pattern = compiled.get(key) ?? sentencesOf(context);
  // Few entries are needed, because a batch has few sizes.
  if (compiled.size < 100) compiled.set(key, pattern);
  return pattern.test(withoutNumber(text, context.batch));
}

function sentencesOf(context: IntentContext): RegExp {
  const failed = context.state === 'batch_failed';
  const names = ['this batch', ...(failed ? [] : [...bySize(context), ...asTheLast(context)])];
  const act = any(goTo, `confirm|approve${failed ? '|retry|try' : ''}`);
  const sentences = [
    `(?:(?:${wish} )?${act} )?${any(...names)}${failed ? '(?: again)?' : ''}`,
    `${agreed} (?:to|for|with) ${any(...names)}|${any(...names)}(?: is)? (?:fine|ok|okay|good|approved|confirmed)`,
    ...(failed ? [] : countOf(context).map((count) => `(?:${wish} )?${act} ${count}${items}`)),
    ...(failed ? [] : asTheEnd(context, names)),
  ];
  // After praise it may be a sigh.
  const another = countOf(context).map(
    (count) =>
      `(?:${agreed}${pause} )?(?:${please}${pause} )?(?:(?:${wish} )?${act} )?(?:another ${count}|${count} more)${items}${closing}`,
  );
  return whole(`${opening}${any(...sentences)}${closing}`, ...(failed ? [] : another));
}

/** The text with "this batch" for the open batch by its number. */
export function withoutNumber(text: string, batch: number | undefined): string {
  if (batch === undefined || !text.includes('batch')) return text;
  const number = any(String(batch), CARDINALS[batch - 1] ?? String(batch));
  const ordinal = any(`${batch}(?:st|nd|rd|th)`, ...ORDINALS.slice(batch - 1, batch));
  const pattern = `(^| )(?:batch (?:number |nr )?${number}|(?:the )?${ordinal} batch)(?= |$)`;
  return text.replace(new RegExp(pattern, 'gu'), '$1this batch');
}

/** The size of the open batch, in digits or as a word. */
function countOf({ size }: IntentContext): string[] {
  return size === undefined ? [] : [any(String(size), CARDINALS[size - 1] ?? String(size))];
}

/** "The next ten" in other languages. */
const NEXT_FEW = [
  '(?:die )?nächsten?',
  '(?:los |las )?(?:siguientes|próxim[oa]s)',
  '(?:i |gli |le )?prossim[ie]',
  '(?:os |as )?próxim[oa]s',
  '(?:de )?volgende',
];
const KINDLY = `(?: (?:bitte|svp|stp|s'il (?:vous|te) pla[iî]t|por favor|per favore|graag|alsjeblieft))?`;

function bySize(context: IntentContext): string[] {
  const { size = 0 } = context;
  const abroad = any(String(size), ...(size === 10 ? ['zehn|dix|diez|dieci|dez|tien'] : []));
  return countOf(context).flatMap((count) => [
    `(?:(?:ja|sí|sì|sim)${pause} )?(?:(?:bitte|mach) )?${any(...NEXT_FEW)} ${abroad}${KINDLY}|(?:oui${pause} )?les ${abroad} (?:suivant|prochain)e?s${KINDLY}`,
    `(?:the )?(?:next|following) ${count}${items}`,
    ...(context.batch === 1 ? [`(?:the )?first ${count}${items}`] : []),
  ]);
}

function asTheLast(context: IntentContext): string[] {
  if (context.batches_left !== 1) return [];
  return [
    `(?:the )?(?:rest|remainder|remaining${items})(?: of (?:it|them))?|(?:the )?(?:last|final) (?:batch|one)`,
    ...countOf(context).map((count) => `(?:the )?(?:last|final|remaining) ${count}${items}`),
  ];
}

/** "Finish it" asks for one batch only where one is left. */
function asTheEnd({ batches_left }: IntentContext, names: string[]): string[] {
  return batches_left === 1
    ? [`(?:${wish} )?(?:finish|complete)(?: ${any('it|up|it up|it off', ...names)})?`]
    : [];
}
