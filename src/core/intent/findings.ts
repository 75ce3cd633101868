import { group, readiness, sentencesThatAct, SIZE, things, vocative } from './acts';
import { isAct, isApproval, isFound, NEXT_BATCH, please, TRY_AGAIN } from './grammar';
import { any, CARDINALS, repeatsAWord, SMILES, THUMBS, whole } from './words';

/**
 * Confirmations of several sentences: findings of a person, and then one act ("I checked all ten and they're fine, go
 * on"). A finding is a sentence with a verb, so no pause is needed between it and the act.
 */

const thing = '(?:one|item|email|message|mail|event|card|row|thing|entry)';
const these = any(
  'it|this|that|these|those|they|them|everything|this one|(?:each|every) one(?: of (?:them|these|those))?|(?:it|this|that) all',
  `all(?: of (?:it|this|that|them|these|those)| (?:these|those|the))?(?: ${SIZE})?(?: ${things})?(?: of (?:them|these|those))?`,
  `(?:the|these|those|all the|all of the|your)(?: ${SIZE})?(?: ${things})|(?:the|these|those)(?:(?: first| last| previous)? ${SIZE}| (?:last|previous) ones)`,
  '(?:batch|list|labels)|the (?:whole|complete|entire) (?:batch|list)|everything (?:in|on) (?:it|the list|that list|this list|there)|(?:the|this|that|your) (?:list|batch|selection|preview|plan|changes?|labels?|choices?)|(?:these|those) (?:labels|changes)',
);
const be = "(?:(?:'?s|'?re| is| are| look| looks| seem| seems| sound| sounds)(?: to be)?)";
const how =
  '(?: (?:all|really|quite|very|perfectly|totally|absolutely|just|indeed|now|exactly|simply|about|pretty))*';
const well = any(
  'good|great|fine|perfect|right|ok|okay|correct|clear|alright|all right|in order|harmless|legit|safe|accurate|complete',
  'as (?:expected|it should be|they should be)|what i (?:want|wanted|expected|asked for|need|had in mind|meant)',
  `the (?:right|correct) (?:list|label|one|batch|stuff|${things})|good to go|(?:mine|ours|receipts|invoices|bills|newsletters|orders|tickets|reminders|notifications|statements|bookings|reports)`,
  '(?:the )?same as (?:(?:the )?(?:first|last|previous) (?:batch|lot|one|time)|before|last time)',
  `(?:exactly )?the ${any(things, 'one|list')} (?:that )?i (?:wanted|want|meant|mean|had in mind|asked for|need)`,
);
const mine =
  '(?: (?:to|for|with|by) (?:me|us)| (?:from|on|at) (?:my|our) (?:side|end|part)| here| from here| so far| until now| (?:as )?far as i can (?:see|tell))?';
const finding = any(
  `(?:${these}${be}${how} |(?:is|looks|seems|sounds)${how} )${well}${mine}`,
  `${these} (?:look|looks|check|checks) (?:good|fine|ok|okay|right|correct|out)${mine}`,
  `(?:(?:i(?:'m| am)|we(?:'re| are)) )?(?:ok|okay|fine|happy|good|cool) with (?:${these}|how (?:it|this) (?:looks|is going))`,
  `(?:${these}(?: all)?|(?:every|each) ${thing}) belongs? (?:here|there|in (?:the|this) (?:batch|list))`,
  `(?:(?:i|we|(?:my|our) [a-z]+)(?:'ve| have| has| just)?)? ?(?:just |now |already )?(?:checked|double[- ]checked|reviewed|verified|inspected|scanned|skimmed|looked(?: (?:at|through|over))?|(?:been|went|gone) (?:through|over)|(?:had|took|taken) a (?:quick |good |close |closer )?look(?: (?:at|through|over))?|read(?: through)?|seen)(?: ${these})?(?: all)?(?: twice| carefully)?`,
  `(?:it|this|that|everything|(?:the )?(?:first|last|previous) (?:batch|one|ones|lot|${SIZE}(?: ${things})?)) (?:(?:went|worked(?: out)?|was|were|looked|came out|turned out)${how} (?:well|fine|good|great|ok|okay|right|perfect|perfectly|smoothly|correct)|worked)|(?:it |that )?(?:looks|seems) (?:like|as if) (?:it|that|this|everything|they) (?:(?:all )?worked|went (?:well|fine))|(?:all )?(?:went|worked) (?:well|fine|ok|okay|smoothly)`,
  `(?:the )?same as (?:(?:the )?(?:first|last|previous) (?:batch|lot|one|time)|before|last time)|i trust (?:you|it)|you(?:'ve)? got it|that's settled`,
  `after (?:checking|reading|reviewing|verifying|looking (?:at|through)|going through) ${these}`,
  `${these} can (?:all )?(?:run|be (?:run|executed|processed|done|[a-z]+ed))(?: now)?|(?:it|this|that) works(?: for (?:me|us))?|i (?:don'?t|do not) mind|${these} can (?:all )?(?:go|be (?:done|changed|processed))(?: ahead)?|i(?:'m| am)? agree(?: with ${these})?|(?:i'?m|i am) (?:sure|certain|satisfied|happy|done checking)(?: (?:with|about) ${these})?`,
);
/** Findings without a verb, which need the pause: "all fine continue" may ask for all. */
const verbless = `(?:everything )?as (?:expected|planned|it should be)|exactly what i (?:want|wanted|expected|asked for|need|had in mind|meant)|not a problem|all (?:good|fine|clear|correct|set|in order)${mine}`;
const agreed = '(?:fine|ok|okay|good|great|perfect) (?:with|by|for) (?:me|us)|works for (?:me|us)';
const nothing = any(
  `(?:(?:i|we) )?(?:can'?t|cannot|don'?t|do not|couldn'?t) (?:see|find|spot) (?:anything (?:wrong|odd|strange|missing)|(?:any|an?) (?:mistakes?|problems?|errors?|issues?))(?: (?:here|with (?:any of )?${these}))?`,
  `(?:(?:i(?:'ve| have)?(?: got)?|i see|there(?:'s| is| are)|we have) )?(?:no|zero) (?:objections?|false positives|problems?|issues?|concerns?|complaints?|questions|remarks?|comments?|errors?|failures?|mistakes?)(?: (?:with|about|to|on|in) (?:any of )?${these}| found| here)?(?: so far| until now)?(?: from (?:me|us|my side))?`,
  `(?:(?:there(?:'s| is)|i(?:'ve)? (?:have|see|found)) )?nothing (?:to (?:change|add|fix|exclude|remove|correct|skip|leave out|object to|complain about)|looks (?:off|wrong|odd|strange)|wrong|missing|odd|strange|unusual|unexpected|suspicious|weird|off|amiss|surprising)(?: here| (?:with|about|in) ${these})?`,
  `no (?:changes? |corrections? |edits? )(?:(?:are )?(?:needed|necessary|required)|from (?:me|my side))|no (?:corrections?|edits?|exclusions?)|(?:not a single|no) (?:one|wrong one|mistake|objection|error)(?: (?:to (?:remove|exclude|skip)|wrong|in there|here))*`,
  "(?:(?:i(?:'ve| have)?(?: got)?) )?nothing against (?:it|this|that|these|them)",
);
const failures = any(
  '(?:(?:the|those|these|that|any)(?: (?:one|two|three|four|five|few|couple(?: of)?))? |(?:one|two|three|four|five|a few|a couple of|some) )?(?:errors?|failures?|failed ones?|failed items?|mistakes?)',
  `(?:the|those) (?:ones?|[0-9]+|one|two|three|four|five|few|couple|${SIZE})(?: ones?| items?)? (?:that|which) (?:failed|did not work|didn't work)`,
);
const handled = `(?:i|we)(?:'ll| will| can) (?:fix|handle|do|check|look at|deal with|sort out|take care of|see to|redo) ${failures}`;
const harmless = any(
  `${handled}(?: (?:myself|ourselves|by hand|manually|separately))*`,
  `(?:ignore|forget(?: about)?|never mind(?: about)?|(?:i )?(?:don'?t|do not) care about|no worries about|don'?t mind|do not mind|leave|don'?t worry about) ${failures}`,
  `(?:${failures}|it|that|(?:the|those|these) (?:one|two|three|four|five|few)) (?:doesn'?t|don'?t|do not|does not) matter|${failures} (?:are|is) (?:fine|ok|okay|not important|harmless|no problem|expected)${mine}`,
);
const unstopped = any(
  `(?:${please} )?(?:don'?t|do not) (?:stop|cancel|abort|quit|halt|pause)(?: (?:it|this|that|here|now|anything))?`,
  "(?:there(?:'s| is) )?no (?:need|reason) to (?:stop|cancel|abort|wait|pause|change (?:it|anything))(?: (?:it|this|here|now))?",
  "(?:i )?(?:don'?t|do not) (?:want|need) to (?:stop|cancel|abort)(?: (?:it|this|here|now))?",
);
/** Words before an act that decide nothing, and need the pause: "great start" is no act. */
const urging = any(
  'why not|as (?:discussed|agreed|planned)|so far so good',
  "i'?m ready|ready|indeed|(?:good|nice|right) (?:list|choice|selection|label)|looking good|correct|exactly|true",
  'well|so|now|good|great|perfect|nice|cool|awesome|excellent|super|brilliant|wonderful|lovely|oh|ah|hey|hi|hello',
  `(?:hey|hi|hello|thanks|thank you|cheers) ${vocative}|(?:great|good|nice|excellent) (?:work|job|stuff)(?: so far)?|well done`,
  'got it|understood|noted|this batch',
);
const plea =
  "(?:for (?:god'?s?|gods|goodness|heaven'?s?|heavens|pete'?s?|christ'?s?|fuck'?s?) sake|for crying out loud|ffs)";
const colleague =
  '(?:everyone|everybody|(?:(?:the|my|our) )?(?:manager|boss|team|lead|supervisor|client|customer|legal|finance|support|sales|security|accountant|accounting|colleagues?|owner|director|partner|assistant|department))';
const approvedBy = any(
  `${colleague}(?: (?:is|are|seems)|'s) (?:all )?(?:fine|happy|ok|okay|good|cool)(?: with ${these})?`,
  `${colleague}(?: has| have)? (?:approved|okayed|agreed|signed off)(?: (?:it|this|that|to (?:it|this)|on (?:it|this)))?`,
  `(?:(?:i(?:'ve| have)?|we(?:'ve| have)?) )?(?:checked|discussed|cleared|agreed|confirmed)(?: (?:it|this|that))? with ${colleague}`,
  "(?:(?:there(?:'s| is) )?nothing to stop (?:you|us|this|it)|nothing (?:stands )?in (?:the|your|our) way)",
);
const FINDING = whole(finding, nothing, harmless, unstopped, approvedBy);
/** Findings that answer the question after a yes ("yes, the labels are right"). Any other one may only report. */
const ANSWERED = whole(
  `(?:yes|yep|yup|yeah|sure|ok|okay|affirmative)(?: ,)? (?:${these}${be}(?: (?:all|quite|very|now|exactly))*|(?:looks|seems|sounds)(?: all)?) (?:good|fine|right|ok|okay|correct|alright|all right|in order|as expected|perfect|what i (?:wanted|asked for|meant))${mine}`,
  `(?:yes|yep|yup)(?: ,)? (?:i have )?no (?:objections?|concerns?|complaints?)(?: from (?:me|my side))?`,
  `(?:yes|yep|yup)(?: ,)? ${unstopped}`,
  '(?:ok|okay) to (?:run|go|start|execute|proceed|continue)(?: now)?',
  `(?:yes|yep|yup|ok|okay)(?: ,)? (?:the )?same as (?:last time|before|the (?:last|first|previous) (?:batch|one|time))`,
  'this batch , (?:yes|yep|yup|ok|okay|go|go ahead|approved|confirmed)',
  `(?:(?:yes|yep|yup|ok|okay)(?: ,)? )?(?:the|this) (?:${group}|one) (?:is )?(?:all )?(?:good to go|ready to go|a go|cleared|approved|confirmed|accepted)(?: (?:by|from) (?:me|us))?`,
);
/** After a failed batch, its items would run that the person does. */
const HANDLED = new RegExp(`(?:^| )${handled}(?: |$)`);
const PLEA = new RegExp(`(?:^| )(?:(?:oh|ah) )?${plea}(?= |$)(?: ,)?`, 'g');
const REMARK = whole(verbless, agreed);
const URGING = whole(urging, please);
const READY = whole(readiness);
const COURTESY = whole(please, 'thanks(?: a lot)?|thank you(?: (?:so|very) much)?|cheers|thx|ty', vocative);
const LAST_PICTURES = new RegExp(`(?: (?:${THUMBS}|${SMILES}))+$`, 'u');
const FIRST_PICTURES = new RegExp(`^(?:(?:${THUMBS}|${SMILES}) )+`, 'u');
const PICTURES = new RegExp(`(?: ,)?(?: (?:${THUMBS}|${SMILES}))+(?: ,)?(?= )`, 'gu');
const assent = any(
  'yes|yeah|yep|ok|okay|yup|yea|ye|yeh|aye|kk|k|sure(?: thing)?|alright|all right|fine|righto|right you are|roger(?: that)?|copy that|ack|acknowledged',
  `(?:yes|yeah|yep|yup|ok|okay|sure(?: thing)?|alright|right) ${vocative}|yessir|yes ma'?am|yes please|aye aye(?: captain)?`,
  'affirmative over|affirmative|ya|yas|alrighty|obviously|mhm|uh huh|too right|100%|(?:hell|heck) (?:yes|yeah)|(?:yes |sure |yeah )?(?:of course|certainly|absolutely|definitely|totally|for sure|by all means)|you bet|(?:definitely|absolutely|certainly) (?:yes|sure)|okey(?: dokey)?|okie(?: dokie)?|oke',
  '\\+1(?: from (?:me|us|my side|our side))?',
);
const ASSENT = whole(assent);
const BEGINS_WITH_ASSENT = new RegExp(`^(?:${assent}) `);
const FILLERS = /(?:^| )(?:u+m+|u+h+|e+r+m?|like i said|you know)(?= |$)(?: ,)?/g;
/** "Thanks, next" may dismiss the question, and "great, another batch" may be a sigh. */
const DISMISSES =
  /^(?:thanks|thank you) , (?:(?:the )?(?:next|following)|another|one more)| , (?:another|one more) batch/;
/** "Yes yes yes already, go": one assent. Doubled, without "already", it may be irony. */
const IMPATIENT = /^(yes|yeah|ok|okay)(?:(?: ,)? \1){1,3} already(?= , )/;
const impatient = (text: string): string => text.replace(IMPATIENT, '$1');
const JOINED = /^(?:and|so|then|therefore|hence) /;

/** The facts of the open question that a sentence may mention. */
export interface Batch {
  failed: boolean;
  size?: number | undefined;
  /** The adapter's action, in the words of its name. */
  action?: string | undefined;
}

/** `ready`: an act, or what comes before one ("ready for this batch, go"). */
type Kind = 'act' | 'ready' | 'finding' | 'remark' | 'assent' | 'urging' | 'courtesy';

/** Whether a message has findings about the open batch and one act, and nothing else. */
export function actsOnFindings(text: string, batch: Batch): boolean {
  // A second line may be anything.
  if (text.includes('\n') || (batch.failed && HANDLED.test(text))) return false;
  const acts = actsOn(batch);
  const spoken = inWordsOf(batch, impatient(unpictured(text).replace(PLEA, '')).replace(FILLERS, '').trim());
  if (ANSWERED.test(spoken)) return true;
  const kinds: Kind[] = [];
  // "Yeah, right, go on" is irony; "right, go on" is not.
  for (const clause of spoken.replace(/^right(?: then)? , /, '').split(' , ')) {
    const ofClause = kindsOf(clause.trim(), acts, kinds.includes('finding'));
    if (!ofClause) return false;
    kinds.push(...ofClause);
  }
  const ready = kinds.indexOf('ready');
  if (ready >= 0 && !kinds.includes('act')) kinds[ready] = 'act';
  const count = (kind: Kind) => kinds.filter((other) => other === kind).length;
  // Two assents may be irony, and two acts may ask for two batches. An answer that hesitates is no plain one.
  const at = kinds.indexOf('act');
  const [before, after] = [kinds.slice(0, at), kinds.slice(at + 1)];
  const hasFindings = count('finding') + count('remark') > 0;
  if (count('act') !== 1 || before.filter((kind) => kind === 'assent').length > 1) return false;
  if (!hasFindings && (text.replace(FILLERS, '') !== text || DISMISSES.test(text))) return false;
  return after.every(
    (kind) =>
      kind === 'courtesy' ||
      // "On with it, yes."
      (kind === 'assent' && before.length + after.length === 1) ||
      kind === 'finding' ||
      kind === 'remark' ||
      (kind === 'assent' && hasFindings && count('assent') < 3),
  );
}

/** A text without its friendly pictures. Between words, they take the place of a pause. */
const unpictured = (text: string): string =>
  text.replace(LAST_PICTURES, '').replace(FIRST_PICTURES, '').replace(PICTURES, ' ,');

const wordOf = (count: number): string | number => CARDINALS[count - 1] ?? count;

/** Replaces the size of the open batch in a text. Any other number stays, and then nothing matches. */
function inWordsOf({ size }: Batch, text: string): string {
  if (size === undefined) return text;
  // "The next one" is no number.
  const word = size === 1 ? '1' : wordOf(size);
  return text.replace(new RegExp(`(^| )(?:${size}|${word})(?= |$)`, 'g'), `$1${SIZE}`);
}

/**
 * The kinds of the sentences of a clause; undefined if one is none of them.
 * @param joined Whether it may begin with "and" or "so": a finding came before it.
 */
function kindsOf(clause: string, acts: (text: string) => boolean, joined: boolean): Kind[] | undefined {
  const text = joined ? clause.replace(JOINED, '') : clause;
  if (text === '') return [];
  const kind = kindOf(text, acts);
  if (kind) return [kind];
  const words = text.split(' ');
  for (let at = words.length - 1; at > 0; at--) {
    const first = kindOf(words.slice(0, at).join(' '), acts);
    if (first !== 'finding' && first !== 'assent' && !(first === 'act' && joined)) continue;
    const rest = kindsOf(words.slice(at).join(' '), acts, joined || first === 'finding');
    if (rest) return [first, ...rest];
  }
  return undefined;
}

function kindOf(text: string, acts: (text: string) => boolean): Kind | undefined {
  if (ASSENT.test(text)) return 'assent';
  if ((FINDING.test(text) || isFound(text)) && !BEGINS_WITH_ASSENT.test(text)) return 'finding';
  if (REMARK.test(text)) return 'remark';
  if (READY.test(text)) return 'ready';
  if (COURTESY.test(text)) return 'courtesy';
  if (URGING.test(text)) return 'urging';
  // An assent before it is a sentence of its own, and counted.
  return acts(text) && !BEGINS_WITH_ASSENT.test(text) && !repeatsAWord(text) ? 'act' : undefined;
}

const compiled = new Map<string, RegExp>();

/** Returns a test for acts on the open batch, including those that name its items or its action. */
function actsOn({ failed, action }: Batch): (text: string) => boolean {
  const own = ownActs(failed, action);
  const next = failed ? TRY_AGAIN : NEXT_BATCH;
  return (text) => [own, next].some((pattern) => pattern.test(text)) || isAct(text) || isApproval(text);
}

function ownActs(failed: boolean, action: string | undefined): RegExp {
  const key = `${failed} ${action ?? ''}`;
  const cached = compiled.get(key);
  if (cached) return cached;
  const pattern = whole(sentencesThatAct({ failed, action }));
  // Few entries are needed, because an adapter has few actions.
  if (compiled.size < 100) compiled.set(key, pattern);
  return pattern;
}
