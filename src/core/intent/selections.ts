import { inEnglish } from './foreign-selections';
import { countOf, placesOf, type PlainItem } from './places';
import { readVerdicts } from './verdicts';
import { any, CARDINALS } from './words';

/**
 * The part of the open batch that a message asks for: the places, from 0, of the items to leave out. `unclear`: it
 * limits the batch in a way that is not recognized; `named` is the part that matches no items.
 */
export type Selection = { exclude: number[] } | { unclear: true; named?: string };

/** The maximum length of a message that names items in UTF-16 units. The patterns are not tried on longer ones. */
const MAX_LENGTH = 400;

const lead =
  "(?:(?:(?:yes|yep|yeah|ok|okay|sure|fine|alright)(?! (?:to|for|with) )|please|pls|no|nope|actually|wait|sorry|and|but|so|then|well|oh|also|plus|(?:can|could|would) you|let'?s|i want(?: you)? to|i'd like(?: you)? to|you can|i mean|i meant|rather|instead) )*";
const tail =
  '(?: (?:please|pls|thanks|too|as well|also|now|then|instead|for now|to see|to begin with|for a start))*';
const verb =
  '(?:include|run|do|touch|process|change|label|unlabel|archive|unarchive|delete|move|trash|star|mark|remove|update|assign|send|send to)';
const go = `(?:(?:continue|proceed|go on|go ahead|go|carry on|resume|keep going|start|begin|try|test|run|do|process|execute|take|approve|confirm|yes|yep|yeah|ok|okay|sure|fine)(?: (?:it|them|the batch|this batch|batch [0-9]+))?(?: (?:with|on|to|for|and|then|just|but))*)`;
const all =
  '(?:all|all of (?:them|it|these|those)|all (?:of )?(?:these|those|the) (?:ones|items|e?mails|messages|events|cards|rows)|everything|everyone|(?:every|each)(?: one| item| e?mail| message| event| card| row)?(?: (?:on|in|of) (?:the|this) (?:list|batch))?|the whole batch|the batch|the rest|the others)';
const firmly =
  '(?:ditch|hold back|leave off|skip(?:ping)?|exclud(?:e|ing)|omit(?:ting)?|leav(?:e|ing) out|tak(?:e|ing) out|cross out)';
const loosely = `(?:bar|barring|bin|lose|scrap|ignor(?:e|ing)|drop(?:ping)?|minus|without|w o|remove|except(?: for)?|apart from|aside from|other than|besides|save for|not(?: for| including| with)?|(?:do not|don't|dont|never) ${verb})`;
const before = `(?:${go} )?(?:${all} )?(?:(?:but|and|just|please) )*`;
const goOn = `(?: (?:and|then|but))* ${lead}(?:continue|proceed|go on|go ahead|carry on|resume|run|do|go)(?: with)?(?: (?:${all}|it|the remaining ones))?`;
const out = '(?:out(?: of (?:it|this))?|alone|be|off|as (?:it is|they are|is)|untouched|unchanged)';
const solely = '(?:only|just|nothing but|no more than|at most|up to)';
const nothingElse =
  '(?:only|alone|(?:(?:and|but) )?(?:nothing|no one|none|no) (?:else|more)|(?:and|but|then)(?: then)? stop|(?:(?:and|but|then)(?: then)? )?(?:leave|skip|ignore|not) the (?:rest|others|other (?:ones|[0-9]+|two|three|four|five|six|seven|eight|nine))(?: alone| out)?)';
const misplaced =
  "(?:should not|shouldn't|must not|mustn't|does not|doesn't|do not|don't) (?:be|belong)(?: (?:in|on|part of))?(?: (?:there|here|it|this|this batch|the batch|the list|included|touched))?(?: (?:so )?(?:remove|skip|drop|exclude|leave|take) (?:it|them)(?: out)?)?";
const staying =
  "(?:stays?|remains?|(?:should|has to|must|can) stay|isn't mine|is not mine|aren't mine|are not mine|(?:isn't|is not|aren't|are not) (?:an? )?[a-z]+(?= (?:so )?(?:remove|skip|drop|exclude|leave|take) (?:it|them)))(?: (?:where|as) (?:it is|they are)| out| there)?(?: (?:(?:so )?(?:remove|skip|drop|exclude|leave|take) (?:it|them)(?: out)?|(?:and )?do the (?:others|rest)))?";
const placed = `(?:the|only|just|numbers?|nr|first|last|next|all|[0-9]+|${CARDINALS.join('|')})`;
/** A remark that all others are right, or about what should follow. */
const REMARK =
  / (?:for now (?=rest|the rest))?(?:(?:and |but )?(?:all )?(?:the )?(?:rest|others|other ones|remaining ones|everything else) (?:(?:is|are|looks?) )?(?:all )?(?:yes|fine|ok|okay|good|right|correct)|(?:and )?(?:then )?(?:show|ask) me(?: again)?|first|this time|as a test)$/;

/** The forms of a message about a part of the batch. The first group has the words for that part. */
const FORMS: readonly { kind: 'without' | 'only' | 'back'; firm: boolean; pattern: RegExp }[] = [
  {
    kind: 'back',
    firm: false,
    said: `(?:include|add|bring back|put back|do|run|(?:do not|don't) (?:skip|exclude|omit)) (.+?)(?: (?:back|in|again|after all))*`,
  },
  { kind: 'without', firm: true, said: `${before}(?:leave|keep) (.+?) ${out}(?:${goOn})?` },
  {
    kind: 'without',
    firm: true,
    said: `${before}(?:take|pull|cut|throw) (.+?) (?:out|off)(?: (?:of )?(?:the|this) (?:list|batch))?(?:${goOn})?`,
  },
  { kind: 'without', firm: false, said: `(.+?) ${any(misplaced, staying)}(?:${goOn})?` },
  { kind: 'without', firm: true, said: `${before}${firmly} (.+?)(?: ${out})?(?:${goOn})?` },
  {
    kind: 'without',
    firm: true,
    said: `(?:${go} |${go} ${all} |${all} )(?:(?:but|and|please) )*${loosely} (.+?)(?:${goOn})?`,
  },
  { kind: 'without', firm: true, said: `(?:${go} )?${all} but (.+?)` },
  { kind: 'without', firm: false, said: `${loosely} (.+?)(?:${goOn})?` },
  { kind: 'without', firm: false, said: `(.+?) out(?:${goOn})?` },
  // "No, the first two" and "no. 4" name what is to run.
  { kind: 'without', firm: false, said: `no (?!${placed}(?: |$))(.+?)(?:${goOn})?` },
  { kind: 'only', firm: true, said: `${go} ${solely} (?:with )?(.+?)` },
  {
    kind: 'only',
    firm: true,
    said: `(?:${go} )?(?:but )?(?:limit|restrict|reduce) (?:it|this|that|the batch|them) to (.+?)`,
  },
  { kind: 'only', firm: false, said: `(?:i )?${solely} (?:(?:do|run|process|want|need|with|for) )?(.+?)` },
  { kind: 'only', firm: false, said: `i (?:want|need) ${solely} (.+?)` },
  { kind: 'only', firm: false, said: `(?:${go} )?(?:${solely} )?(.+?) ${nothingElse}` },
].map(({ kind, firm, said }) => ({
  kind: kind as 'without' | 'only' | 'back',
  firm,
  pattern: new RegExp(`^${lead}${said}${tail}$`, 'u'),
}));
/** "Do the next 3", "the first half": a part by itself, so only where all of it is understood. */
const BARE = new RegExp(`^${lead}(?:(${go}) )?(.+?)${tail}$`, 'u');
const ALSO = /(?:^| )(?:also|too|as well|plus|and)(?: |$)/;
const INSTEAD = /^(?:no|nope|rather|instead|actually)(?: |$)| instead$/;

/** Words that limit what runs, or when: an answer with one of them asks for less than the whole batch now. */
const LIMIT = new RegExp(
  '(?:^| )(?:only|just|except|excluding|exclude|excluded|without|skip|skipping|omit|ignore|minus|w o|nothing else|apart from|other than|but|half' +
    '|(?:some|few|most|one|none|part) of|a few|at most|up to|first|second|third|fourth|fifth|last|next [0-9]+|[0-9]+(?:st|nd|rd|th)?' +
    '|two|three|four|five|six|seven|eight|nine|ten|twenty|if|unless|until|once|while|when|after|before|provided|as long as|in case|assuming|although|though|however|should (?:there|it|this|that|they|any[a-z]*|something)' +
    '|wenn|falls|sofern|sobald|bevor|obwohl|si|quand|lorsque|cuando|aunque|se|quando|indien|wanneer|mits' +
    "|(?:do not|don't|dont) [a-z]+ (?:the|that|this|those|these|any|anything|my|number|item)|should not|shouldn't|(?:not|doesn't|don't) belong|remove|take .{1,80} out" +
    '|not (?:the|that|this|those|these|for|all|every|number|item)|leave .{1,80} (?:out|alone)' +
    '|nur|ohne|außer|aber|sauf|sans|seulement|mais|solo|sin|excepto|menos|pero|senza|tranne|ma|só|sem|exceto|mas|alleen|zonder|behalve|maar)(?: |$)' +
    // "No newsletters", "drop the newsletters".
    `|^${lead}(?:no (?!worries |objections |problems |issues |questions |errors |thanks )[^ ]{3,}s|(?:drop|leave|spare|keep) (?:the|my|those|these|all|any|nr|number) [^ ]+)(?: please)?` +
    // "Continue with the unread ones": a kind of items.
    '|^(?:(?:yes|ok|okay|please) )*(?:continue|proceed|go on|go ahead|carry on|start|run|do|process)(?: with| for)?(?: (?:the|these|those|my))? (?!next |remaining |all )[^ ]+ (?:ones|items|emails|messages|mails|events|cards|rows)(?: |$)' +
    '|^(?:(?:please|yes|ok|okay|sure|and) )*(?:continue|proceed|go|run|start|do|process|execute|finish|resume|approve|yes|ok|okay|sure|confirm)(?: [^ ]+){0,6} ' +
    '(?:tomorrow|tonight|later|soon|in an?|in [0-9]+|at noon|at [0-9]+|next (?:week|month|time)|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|this (?:afternoon|evening))(?: |$)',
  'u',
);

/** Whether a message that is not recognized may ask for less than the open batch, which a bare yes would ignore. */
export function limitsTheBatch(plain: string): boolean {
  return plain.length <= MAX_LENGTH && (LIMIT.test(plain) || LIMIT.test(inEnglish(plain)));
}

const anItem =
  '(?:.+ )?(?:ones?|items?|emails?|messages?|mails?|events?|cards?|rows?|number [0-9]+|first|last|from .+)(?: |$)';
/** The items that a limit is about, without matching them: "only the ones from Zoe", "without the newsletters". */
const OF_ITEMS = new RegExp(
  `^${lead}(?:${go} )?(?:${all} )?(?:but )?${any(
    `(?:${solely}|not|nur|solo|seulement) (?:for |with )?(?:the|those|these|that|my|number|items?|die|les?|los|las)|${firmly}|except(?: for)?|without|apart from|other than|(?:ignore|drop|spare) (?:the|my|those|these)`,
  )} (?:${anItem}|[^ ]+(?: [^ ]+){0,2}$)|^${lead}(?:${go} )?(?:do not|don't|dont) ${verb} the ${anItem}`,
  'u',
);

/** Whether a message that is not recognized asks for a part of the batch. */
export const asksForItems = (plain: string): boolean => plain.length <= MAX_LENGTH && OF_ITEMS.test(plain);

/**
 * Reads a message that names items of the open batch or counts them; undefined for a message that does not.
 * @param plain Its words, as `plainWords` (classifier.ts) returns them.
 * @param pending The places that an earlier message asked to leave out.
 * @param action The operation's own action: "label only the first" asks a labelling one for a part, and no other.
 */
export function readSelection(
  plain: string,
  items: readonly PlainItem[],
  pending: readonly number[] = [],
  action = '',
): Selection | undefined {
  if (plain.length > MAX_LENGTH) return undefined;
  const text = plain.replace(/(?<=[0-9]) thru (?=[0-9])/g, ' to ');
  const forms = [text, inEnglish(text), inPlainVerbs(text, action)];
  let unclear: Selection | undefined;
  for (const form of new Set(forms.flatMap((form) => [form, form.replace(REMARK, '')]))) {
    const selection = readOnce(form, items, pending);
    if (selection && 'exclude' in selection) return selection;
    unclear ??= selection;
  }
  for (const form of new Set(forms)) {
    const verdicts = readVerdicts(form, items);
    if (!verdicts) continue;
    const { exclude, replaces } = verdicts;
    return { exclude: replaces ? exclude : [...new Set([...pending, ...exclude])].sort((a, b) => a - b) };
  }
  return unclear;
}

const inPlainVerbs = (plain: string, action: string): string =>
  plain
    .split(' ')
    .map((word) => (word === action.split('_')[0] ? 'do' : word))
    .join(' ');

function readOnce(
  plain: string,
  items: readonly PlainItem[],
  pending: readonly number[],
): Selection | undefined {
  const everyPlace = items.map((_, at) => at);
  const leaving = (exclude: readonly number[]): Selection =>
    exclude.length < items.length
      ? { exclude: everyPlace.filter((at) => exclude.includes(at)) }
      : { unclear: true };
  const former = INSTEAD.test(plain) ? [] : pending;
  let named: string | undefined;
  for (const { kind, firm, pattern } of FORMS) {
    const words = pattern.exec(plain)?.[1];
    if (words === undefined || (kind === 'back' && pending.length === 0)) continue;
    const places = placesOf(words, items, kind === 'only');
    if (!places) {
      if (firm) named ??= words;
    } else if (kind === 'without') return leaving([...former, ...places]);
    else if (kind === 'only') return leaving(everyPlace.filter((at) => !places.includes(at)));
    else if (places.every((at) => pending.includes(at)))
      return leaving(pending.filter((at) => !places.includes(at)));
  }
  if (named !== undefined) return { unclear: true, named };
  return readBare(plain, items, pending, leaving);
}

function readBare(
  plain: string,
  items: readonly PlainItem[],
  pending: readonly number[],
  leaving: (exclude: readonly number[]) => Selection,
): Selection | undefined {
  const [, act, words = ''] = BARE.exec(plain) ?? [];
  // A number by itself may be about anything, and "next" is the whole batch.
  if (words === 'next' || (act === undefined && countOf(words) !== undefined)) return undefined;
  const places = placesOf(words, act === undefined ? [] : items, true, items.length);
  if (!places) return undefined;
  if (pending.length > 0 && act === undefined && ALSO.test(plain)) {
    const without = places.filter((at) => pending.includes(at));
    if (without.length === 0) return leaving([...pending, ...places]);
    return without.length < places.length
      ? { unclear: true }
      : leaving(pending.filter((at) => !places.includes(at)));
  }
  return leaving(items.map((_, at) => at).filter((at) => !places.includes(at)));
}
