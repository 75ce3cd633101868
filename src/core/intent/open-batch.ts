import type { BulkState } from '../../contract/operation';
import { closing, goTo, opening, please, runBatch, wish } from './grammar';
import { foreignBySize } from './foreign';
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
  /** The number of items in the batches before the open one. */
  items_before?: number;
  /** The adapter's action, for a message that names it ("yes, archive them"). */
  action?: string;
  /** The values that the open batch gives to all of its items. */
  values?: readonly string[];
  /** For a message that names the operation ("cancel label-receipts"). */
  operation_id?: string;
}

const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const agreed = '(?:yes|yep|yeah|ok|okay|sure|agreed|approved|confirmed|green light)';
const items = '(?: (?:items?|ones|emails?|messages?|mails?|events?|cards?|rows?))?';

/** Every sentence about the open batch contains one of these. */
const NAMES_IT = new RegExp(
  `[0-9]|batch|rest|remain|last|final|finish|complete|${CARDINALS.join('|')}|zehn|dix|diez|dieci|dez|tien`,
);
const compiled = new Map<string, RegExp>();

/**
 * Whether the message confirms exactly the open batch by its number, its size, or as the one that is left.
 * @param sentence The text as `asThisBatch` returns it.
 */
export function confirmsOpenBatch(text: string, sentence: string, context: IntentContext): boolean {
  // By itself it may be the subject of something else.
  if (text === 'this batch' || !NAMES_IT.test(text)) return false;
  const key = `${context.state === 'batch_failed'} ${context.size} ${context.batch === 1} ${context.batches_left === 1}`;
  const pattern = compiled.get(key) ?? sentencesOf(context);
  // Few entries are needed, because a batch has few sizes.
  if (compiled.size < 100) compiled.set(key, pattern);
  return pattern.test(sentence);
}

function sentencesOf(context: IntentContext): RegExp {
  const failed = context.state === 'batch_failed';
  const names = ['this batch', ...(failed ? [] : [...bySize(context), ...asTheLast(context)])];
  const act = any(goTo, `confirm|approve${failed ? '|retry|try' : ''}`);
  // "Go on to 10" may name an item.
  const withoutTo = any(
    '(?:continue|proceed|go on|go ahead|carry on|start|begin) with',
    `${runBatch}|confirm|approve`,
  );
  const sentences = [
    `(?:(?:${wish} )?${act} )?${any(...names)}${failed ? '(?: again)?' : ''}`,
    `${agreed} (?:to|for|with) ${any(...names)}|${any(...names)}(?: is)? (?:fine|ok|okay|good|approved|confirmed)`,
    ...(failed ? [] : countOf(context).map((count) => `(?:${wish} )?${withoutTo} ${count}${items}`)),
    ...(failed ? [] : asTheEnd(context, names)),
  ];
  // After praise it may be a sigh.
  const another = countOf(context).map(
    (count) =>
      `(?:${agreed}${pause} )?(?:${please}${pause} )?(?:(?:${wish} )?${act} )?(?:another ${count}|${count} more)${items}${closing}`,
  );
  const abroad = context.size === undefined ? [] : [foreignBySize(context.size)];
  return whole(`${opening}${any(...sentences)}${closing}`, ...(failed ? [] : [...another, ...abroad]));
}

/** The text with "this batch" for the open batch by its number, or by the numbers of its items. */
export function asThisBatch(text: string, context: IntentContext): string {
  return withoutNumber(withoutRange(withoutValue(withoutDone(text, context), context), context), context);
}

/** "Ten is enough" is about those that are done, and "the first ten" are a batch, be it the last or the open one. */
function withoutDone(text: string, { items_before: done = 0, size }: IntentContext): string {
  if (done === 0) return text;
  const number = any(String(done), CARDINALS[done - 1] ?? String(done));
  const first = `(^| )(?:the )?first ${number}(?: ones| items| emails| messages| cards| events| rows)?(?= |$)`;
  const enough = `(^| )(?:(?:the )?first )?${number}(?= (?:is|are|was|were|will be) (?:enough|plenty|all ))`;
  const settled = text.replace(new RegExp(enough), '$1that');
  return size === done ? settled.replace(new RegExp(first), '$1the first batch') : settled;
}

/** "Label these as Receipts" is "label these" where that is the change. */
function withoutValue(text: string, { values = [] }: IntentContext): string {
  return values.reduce((left, value) => {
    const [before = '', after] = `${left} `.split(` as ${value.toLowerCase()} `);
    return after === undefined || !/(?:^| )(?:label|tag|mark|set|put) /.test(before)
      ? left
      : `${before} ${after}`.trim();
  }, text);
}

const ARTICLE = "(?:(?:the|le|la|el|il|lo|o|de|den|der|die|das|dem|des) |l')?";
/** A batch in eight languages. */
const BATCH =
  '(?:batch|lot|lote|lotto|group|grupo|gruppo|groupe|groep|stapel|block|bloque|blocco|bloco|paket|gruppe|runde|partij)';
const NAMES_BATCH = new RegExp(BATCH);
/** Without the first, which may also be the first of what is left. */
const ORDINALS_ABROAD = [
  '',
  'zweiten?|zweites?|deuxième|second|segund[oa]|second[oa]|tweede',
  'dritten?|drittes?|troisième|tercer|terz[oa]|terceir[oa]|derde',
];

function withoutNumber(text: string, { batch, batches_left: left = 0 }: IntentContext): string {
  if (batch === undefined || !NAMES_BATCH.test(text)) return text;
  const number = any(String(batch), CARDINALS[batch - 1] ?? String(batch));
  const ordinal = any(
    `${batch}(?:st|nd|rd|th)`,
    ...ORDINALS.slice(batch - 1, batch),
    ...ORDINALS_ABROAD.slice(batch - 1, batch).filter((word) => word !== ''),
  );
  const ofAll = `(?:(?: of |/)${batch + left - 1})?`;
  const pattern = `(^| )(?:${ARTICLE}${BATCH} (?:number |no |nr |nummer |numéro |número |numero |# ?)?${number}${ofAll}|${ARTICLE}${ordinal} ${BATCH})(?= |$)`;
  return text.replace(new RegExp(pattern, 'gu'), '$1this batch');
}

/** An id that is no word of a language. */
const IS_ID = /^(?=.*[-_0-9])[a-z0-9_-]{4,}$/;

/** The text with "this operation" for its id. */
export function asThisOperation(text: string, { operation_id: named = '' }: IntentContext): string {
  const id = named.toLowerCase();
  if (!IS_ID.test(id) || !text.includes(id)) return text;
  return text.replace(
    new RegExp(`(^| )(?:(?:the )?(?:bulk )?(?:operation|job|task|run) )?${id}(?= |$)`, 'g'),
    '$1this operation',
  );
}

/** "Emails 11 to 20", "11-20". */
function withoutRange(text: string, { items_before: before, size = 0 }: IntentContext): string {
  if (before === undefined || size < 2 || !text.includes(String(before + size))) return text;
  const range = `${before + 1} ?(?:-|–|to|through|thru|until|bis) ?${before + size}`;
  // By itself it may be a date.
  const pattern = `(^| )(?:(?:the )?(?:numbers?|items?|ones|emails?|messages?|mails?|events?|cards?|rows?) |(?<=(?:with|label|tag) ))${range}(?= |$)`;
  return text.replace(new RegExp(pattern, 'gu'), '$1this batch');
}

/** The size of the open batch, in digits or as a word. */
function countOf({ size }: IntentContext): string[] {
  return size === undefined ? [] : [any(String(size), CARDINALS[size - 1] ?? String(size))];
}

function bySize(context: IntentContext): string[] {
  return countOf(context).flatMap((count) => [
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
