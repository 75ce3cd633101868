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
  `(?:the|these|those|all the|all of the|your)(?: ${SIZE})?(?: ${things})|(?:the|these|those) ${SIZE}`,
  '(?:batch|list|labels)|the (?:whole|complete|entire) (?:batch|list)|everything (?:in|on) (?:it|the list|that list|this list|there)|(?:the|this|that|your) (?:list|batch|selection|preview|plan|changes?|labels?|choices?)|(?:these|those) (?:labels|changes)',
);
const be = "(?:(?:'?s|'?re| is| are| look| looks| seem| seems| sound| sounds)(?: to be)?)";
const how = '(?: (?:all|really|quite|very|perfectly|totally|absolutely|indeed|now|exactly))*';
const well = any(
  'good|great|fine|perfect|right|ok|okay|correct|clear|alright|all right|in order|harmless|legit|safe|accurate',
  'as (?:expected|it should be|they should be)|what i (?:want|wanted|expected|asked for|need|had in mind|meant)',
  `the (?:right|correct) (?:list|label|batch|stuff|${things})|good to go|mine|ours|(?:receipts|invoices|bills)`,
  '(?:the )?same as (?:(?:the )?(?:first|last|previous) (?:batch|lot|one|time)|before|last time)',
  `(?:exactly )?the ${any(things, 'list')} (?:that )?i (?:wanted|want|meant|mean|had in mind|asked for|need)`,
);
const mine =
  '(?: (?:to|for|with|by) (?:me|us)| (?:from|on|at) (?:my|our) (?:side|end|part)| here| from here| so far| until now| (?:as )?far as i can (?:see|tell))?';
const colleague =
  '(?:everyone|everybody|(?:(?:the|my|our) )?(?:manager|boss|team|lead|supervisor|client|customer|legal|finance|support|sales|security|accountant|accounting|colleagues?|owner|director|partner|assistant|department))';
const lastBatch = '(?:the )?(?:first|last|previous) (?:batch|lot)';
const finding = any(
  `(?:${these}${be}${how} |(?:is|looks|seems|sounds)${how} )${well}${mine}`,
  `${these} (?:look|looks|check|checks) (?:good|fine|ok|okay|right|correct|out)${mine}`,
  `(?:(?:i(?:'m| am)|we(?:'re| are)) )?(?:ok|okay|fine|happy|good|cool) with (?:${these}|how (?:it|this) (?:looks|is going))`,
  `(?:${these}(?: all)?|(?:every|each) ${thing}) belongs? (?:here|there|in (?:the|this) (?:batch|list))`,
  `(?:(?:i|we|${colleague})(?:'ve| have| has| just)?)? ?(?:just |now |already )?(?:checked|double[- ]checked|reviewed|verified|inspected|scanned|skimmed|looked(?: (?:at|through|over))?|(?:been|went|gone) (?:through|over)|(?:had|took|taken) a (?:quick |good |close |closer )?look(?: (?:at|through|over))?|seen)(?: ${these}| ${lastBatch})?(?: all)?(?: twice| carefully)?|${lastBatch} (?:is|are|looks?)${how} (?:good|fine|right|ok|okay|correct)|(?:i|we)(?:'ve| have| have just|'ve just)? read(?: through)? ${these}(?: all)?(?: twice| carefully)?`,
  `(?:it|this|that|everything|(?:the )?(?:first|last|previous) (?:batch|one|ones|lot|${SIZE}(?: ${things})?)) (?:(?:went|worked(?: out)?|was|were|looked|came out|turned out)${how} (?:well|fine|good|great|ok|okay|right|perfect|perfectly|smoothly|correct)|worked)|(?:it |that )?(?:looks|seems) (?:like|as if) (?:it|that|this|everything|they) (?:(?:all )?worked|went (?:well|fine))|(?:all )?(?:went|worked) (?:well|fine|ok|okay|smoothly)`,
  `(?:the )?same as (?:(?:the )?(?:first|last|previous) (?:batch|lot|one|time)|before|last time)|i trust (?:you|it)|you(?:'ve)? got it|that's settled`,
  `after (?:checking|reading|reviewing|verifying|looking (?:at|through)|going through) ${these}`,
  `(?:this batch|these|they|these ${SIZE}) can (?:run|be (?:run|executed))(?: now)?|they can all go|(?:it|this|that) works(?: for (?:me|us))?|i (?:don'?t|do not) mind|i(?:'m| am)? agree(?: with ${these})?|(?:i'?m|i am) (?:sure|certain|satisfied|happy|done checking)(?: (?:with|about) ${these})?`,
);
/** Findings without a verb, which need the pause: "all fine continue" may ask for all. */
const verbless = `(?:everything )?as (?:expected|planned|it should be)|exactly what i (?:want|wanted|expected|asked for|need|had in mind|meant)|not a problem|all (?:good|fine|clear|correct|set|in order)${mine}`;
const agreed = '(?:fine|ok|okay|good|great|perfect) (?:with|by|for) (?:me|us)|works for (?:me|us)';
const nothing = any(
  `(?:(?:i|we) )?(?:can'?t|cannot|don'?t|do not|couldn'?t) (?:see|find|spot) (?:anything (?:wrong|odd|strange|missing)|(?:any|an?) (?:mistakes?|problems?|errors?|issues?))(?: (?:here|with (?:any of )?${these}))?`,
  `(?:(?:i(?:'ve| have)?(?: got)?|i see|there(?:'s| is| are)|we have) )?(?:no|zero) (?:objections?|false positives|problems?|issues?|concerns?|complaints?|questions|remarks?|comments?|errors?|failures?|mistakes?)(?: (?:with|about|to|on|in) (?:any of )?${these}| found| here)?(?: so far| until now)?(?: from (?:me|us|my side))?`,
  `(?:(?:there(?:'s| is)|i(?:'ve)? (?:have|see|found)) )?nothing (?:to (?:change|add|fix|exclude|remove|correct|skip|leave out|object to|complain about)|looks (?:off|wrong|odd|strange)|wrong|missing|odd|strange|unusual|unexpected|suspicious|weird|off|amiss|surprising)(?: here| (?:with|about|in) ${these})?`,
  `no (?:changes? |corrections? |edits? )(?:(?:are )?(?:needed|necessary|required)|from (?:me|my side))|no (?:corrections?|edits?|exclusions?)|not a single (?:wrong one|mistake|objection|error|one (?:to (?:remove|exclude|skip)|wrong))(?: in there| here)?`,
  "(?:(?:i(?:'ve| have)?(?: got)?) )?nothing against (?:it|this|that|these|them)",
);
const failures = any(
  '(?:(?:the|those|these|that|any)(?: (?:one|two|three|four|five|few|couple(?: of)?))? |(?:one|two|three|four|five|a few|a couple of|some) )?(?:errors?|failures?|failed ones?|failed items?)',
  `(?:the|those) (?:ones?|[0-9]+|one|two|three|four|five|few|couple|${SIZE})(?: ones?| items?)? (?:that|which) (?:failed|did not work|didn't work)`,
);
const handled = `(?:i|we)(?:'ll| will| can) (?:fix|handle|do|check|look at|deal with|sort out|take care of|see to|redo) ${failures}`;
const harmless = any(
  `${handled}(?: (?:myself|ourselves|by hand|manually|separately))*`,
  `(?:ignore|forget(?: about)?|never mind(?: about)?|(?:i )?(?:don'?t|do not) care about|no worries about|don'?t mind|do not mind|leave|don'?t worry about) ${failures}`,
  `${failures} (?:doesn'?t|don'?t|do not|does not) matter|${failures} (?:are|is) (?:fine|ok|okay|not important|harmless|no problem|expected)${mine}`,
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
  `well|so|now|thanks|thank you|oh|ah|hey|hi|hello|(?:hey|hi|hello|thanks|thank you) ${vocative}`,
  'got it|understood|noted|this batch',
);
const praise = any(
  'good|great|perfect|nice|cool|awesome|excellent|super|brilliant|wonderful|lovely',
  '(?:great|good|nice|excellent) (?:work|job|stuff)(?: so far)?|well done',
);
const plea =
  "(?:for (?:god'?s?|gods|goodness|heaven'?s?|heavens|pete'?s?|christ'?s?|fuck'?s?) sake|for crying out loud|ffs)";
const approvedBy = any(
  `${colleague}(?: (?:is|are)|'s) (?:all )?(?:fine|happy|ok|okay|good|cool) with ${these}|${colleague} (?:is|are) happy`,
  `${colleague}(?: has| have)? (?:approved|okayed|agreed|signed off)(?: (?:it|this|that|to (?:it|this)|on (?:it|this)))?`,
  `(?:(?:i(?:'ve| have)?|we(?:'ve| have)?) )?(?:checked|discussed|cleared|agreed|confirmed)(?: (?:it|this|that))? with ${colleague}`,
  "(?:(?:there(?:'s| is) )?nothing to stop (?:you|us|this|it)|nothing (?:stands )?in (?:the|your|our) way)",
);
const FINDING = whole(finding, nothing, harmless, unstopped, approvedBy);
/** Findings that answer the question after a yes ("yes, the labels are right"). Any other one may only report. */
const ALL_OF_IT = any(
  `it|this|that|these|they|everything|all|all of (?:it|them|these)|(?:these|the|all) ${SIZE}|these ${things}`,
  '(?:the |this )?(?:batch|list|labels?)|the (?:whole|complete|entire) (?:batch|list)',
);
const rightly =
  '(?:good|fine|right|ok|okay|correct|alright|all right|in order|as expected|perfect|what i (?:wanted|asked for|meant))';
const ANSWERED = whole(
  `(?:yes|yep|yup|yeah|affirmative)(?: ,)? ${ALL_OF_IT}${be}(?: (?:all|quite|very|now))* ${rightly}${mine}`,
  `(?:yes|yep|yup|yeah|ok|okay|affirmative)(?: ,)? (?:it |that |this |all )?(?:looks|sounds)(?: all)? ${rightly}${mine}`,
  `(?:yes|yep|yup)(?: ,)? (?:i have )?no (?:objections?|concerns?|complaints?)(?: from (?:me|my side))?`,
  `(?:yes|yep|yup)(?: ,)? (?:don'?t|do not) stop(?: now| here)?`,
  `(?:yes|yep|yup)(?: ,)? (?:the )?same as (?:last time|before|the (?:last|first|previous) (?:batch|one|time))`,
  '(?:yes|yep|yup)(?: ,)? (?:for |to )?this batch(?: too| as well| please)?',
  '(?:ok|okay) to (?:run|go|start|execute|proceed|continue)(?: now)?',
  'this batch , (?:yes|yep|yup|ok|okay|go|go ahead|approved|confirmed)',
  `(?:(?:yes|yep|yup|ok|okay)(?: ,)? )?(?:the|this) ${group} (?:is )?(?:all )?(?:good to go|ready to go|a go|cleared|approved|confirmed|accepted)(?: by (?:me|us))?`,
);
/** After a failed batch, its items would run that the person does. */
const HANDLED = new RegExp(`(?:^| )${handled}(?: |$)`);
const PLEA = new RegExp(`(?:^| )(?:(?:oh|ah) )?${plea}(?= |$)(?: ,)?`);
const REMARK = whole(verbless, agreed);
const URGING = whole(urging, please);
const PRAISE = whole(praise);
const READY = whole(readiness);
const COURTESY = whole(please, 'thanks(?: a lot)?|thank you(?: (?:so|very) much)?|cheers|thx|ty', vocative);
const LAST_PICTURES = new RegExp(`(?: (?:${THUMBS}|${SMILES}))+$`, 'u');
const FIRST_PICTURES = new RegExp(`^(?:(?:${THUMBS}|${SMILES}) )+`, 'u');
const PICTURES = new RegExp(`(?: ,)?(?: (?:${THUMBS}|${SMILES}))+(?: ,)?(?= )`, 'gu');
const assent = any(
  'yes|yeah|yep|ok|okay|yup|yea|ye|yeh|aye|kk|k|sure(?: thing)?|alright|all right|fine|righto|right you are|roger(?: that)?|copy that|ack|acknowledged',
  `(?:yes|yeah|yep|yup|ok|okay|sure(?: thing)?|alright|right) ${vocative}|yessir|yes ma'?am|yes please|aye aye(?: captain)?`,
  'affirmative over|affirmative|ya|alrighty|100%|(?:hell|heck) (?:yes|yeah)|(?:yes |sure |yeah )?(?:of course|certainly|absolutely|definitely|totally|for sure|by all means)|you bet|(?:definitely|absolutely|certainly) (?:yes|sure)|okey(?: dokey)?|okie(?: dokie)?|oke',
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
/** "Oh, sure, go on", besides what guards.ts has. */
const MOCKS = new RegExp(`^(?:oh|ah)(?: ,)? (?:well done|${assent})(?: |$)|(?:^| )just fine(?: |$)`);
const FAREWELL =
  /^(?:(?:on|off|away) (?:you|we) go|go(?: now| already)?|.*(?:get going|move on|moving on|move along))(?: now)?$/;
const GOES_ON_WITH_IT =
  /^(?:continue|proceed|go|start|begin|run|do|process|execute|carry on|keep going|label|tag)(?: (?!next).*)?$/;
const SENDS_OFF: ReadonlySet<Kind> = new Set(['praise', 'courtesy']);
const OF_THIS_BATCH = /(?:^| )(?:this batch|these|those|they|this one|it|here|everything|#)(?: |$|')/;
/** What was, in findings that a "confirmed" may only confirm. */
const REPORT =
  /(?:^| )(?:worked|went|was|were|looked|came|turned|so far|until now|no|errors?|failures?|first|last|previous)(?: |$)/;
const APPROVED_BY = whole(approvedBy);
/** Not "then": "no errors, then continue" is a condition. */
const JOINED = /^(?:and|so) /;

/** The facts of the open question that a sentence may mention. */
export interface Batch {
  failed: boolean;
  size?: number | undefined;
  /** The adapter's action, in the words of its name. */
  action?: string | undefined;
}

/** `ready`: an act, or what comes before one ("ready for this batch, go"). */
type Kind = 'act' | 'ready' | 'finding' | 'remark' | 'assent' | 'urging' | 'praise' | 'courtesy';

/** A sentence of a message. */
interface Part {
  kind: Kind;
  text: string;
}

/** Whether a message has findings about the open batch and one act, and nothing else. */
export function actsOnFindings(text: string, batch: Batch): boolean {
  // A second line may be anything, and the sign for the size is no word.
  if (/[\n#]/.test(text) || (batch.failed && HANDLED.test(text))) return false;
  const words = inWordsOf(batch, unpictured(text));
  if (ANSWERED.test(words)) return true;
  const spoken = impatient(words.replace(PLEA, '')).replace(FILLERS, '').trim();
  const parts = partsOf(spoken, batch);
  if (!parts || MOCKS.test(spoken)) return false;
  const hasFindings = parts.some(({ kind }) => kind === 'finding' || kind === 'remark');
  // An answer that hesitates is no plain one.
  if (!hasFindings && (text.replace(FILLERS, '') !== text || DISMISSES.test(text))) return false;
  if (PLEA.test(text) && parts.some(({ kind }) => kind === 'praise')) return false;
  return isOneAct(parts, hasFindings) && !isAboutAnother(parts);
}

/** The sentences of a message; undefined if one of them is unknown. */
function partsOf(spoken: string, batch: Batch): Part[] | undefined {
  const acts = actsOn(batch);
  // "Yeah, right, go on" is irony; "right, go on" is an assent.
  const [, right, rest = ''] = /^(right(?: then)? , )?(.*)$/.exec(spoken) ?? [];
  const parts: Part[] = right === undefined ? [] : [{ kind: 'assent', text: right }];
  for (const clause of rest.split(' , ')) {
    const found = parts.some(({ kind }) => kind === 'finding');
    const ofClause = sentencesOf(clause.trim(), acts, found);
    if (!ofClause) return undefined;
    parts.push(...ofClause);
  }
  // "Approved, start it."
  const [first, second, third] = parts.filter(({ kind }) => kind === 'act');
  if (first && second && !third && isApproval(first.text) && GOES_ON_WITH_IT.test(second.text))
    first.kind = 'assent';
  const ready = parts.find(({ kind }) => kind === 'ready');
  if (ready && !parts.some(({ kind }) => kind === 'act')) ready.kind = 'act';
  return parts;
}

/** Two assents may be irony, and two acts may ask for two batches. */
function isOneAct(parts: readonly Part[], hasFindings: boolean): boolean {
  const count = (kind: Kind, among = parts) => among.filter((part) => part.kind === kind).length;
  const at = parts.findIndex(({ kind }) => kind === 'act');
  const [before, after] = [parts.slice(0, at), parts.slice(at + 1)];
  if (count('act') !== 1 || count('assent', before) > 1 || count('praise') > 1) return false;
  const assent = before.findIndex(({ kind }) => kind === 'assent');
  if (assent >= 0 && before.slice(assent).some(({ kind }) => kind === 'praise')) return false;
  // "Well done, off you go" is a farewell.
  if (
    FAREWELL.test(parts[at]?.text ?? '') &&
    parts.some(({ kind, text }) => SENDS_OFF.has(kind) || /settled|done|^thank/.test(text))
  )
    return false;
  return after.every(
    ({ kind, text }) =>
      ['courtesy', 'finding', 'remark'].includes(kind) ||
      (kind === 'assent' && hasFindings && count('assent') < 3) ||
      // "On with it, yes."
      (/^(?:yes|yep|yup)$/.test(text) && parts.length === 2),
  );
}

/** Whether an act is about another batch than the findings, or confirms what was found. */
function isAboutAnother(parts: readonly Part[]): boolean {
  const act = parts.find(({ kind }) => kind === 'act')?.text ?? '';
  const findings = parts.filter(({ kind }) => kind === 'finding').map(({ text }) => text);
  if (
    /(?:^| )next(?: |$)/.test(act) &&
    findings.some((text) => OF_THIS_BATCH.test(text) && !/errors?|failures?|failed/.test(text))
  )
    return true;
  if (isApproval(act) && findings.some((text) => REPORT.test(text) || APPROVED_BY.test(text))) return true;
  return findings.some((text) => /^after /.test(text)) && !/^i /.test(act);
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
 * The sentences of a clause; undefined if one is of no kind.
 * @param joined Whether it may begin with "and" or "so": a finding came before it.
 */
function sentencesOf(clause: string, acts: (text: string) => boolean, joined: boolean): Part[] | undefined {
  const text = joined ? clause.replace(JOINED, '') : clause;
  if (text === '') return [];
  const kind = kindOf(text, acts);
  if (kind) return [{ kind, text }];
  const words = text.split(' ');
  for (let at = words.length - 1; at > 0; at--) {
    const first = words.slice(0, at).join(' ');
    const ofFirst = kindOf(first, acts);
    if (ofFirst !== 'finding' && ofFirst !== 'assent' && !(ofFirst === 'act' && joined)) continue;
    const rest = sentencesOf(words.slice(at).join(' '), acts, joined || ofFirst === 'finding');
    if (rest) return [{ kind: ofFirst, text: first }, ...rest];
  }
  return undefined;
}

function kindOf(text: string, acts: (text: string) => boolean): Kind | undefined {
  if (ASSENT.test(text)) return 'assent';
  if ((FINDING.test(text) || isFound(text)) && !BEGINS_WITH_ASSENT.test(text)) return 'finding';
  if (REMARK.test(text)) return 'remark';
  if (READY.test(text)) return 'ready';
  if (COURTESY.test(text)) return 'courtesy';
  if (PRAISE.test(text)) return 'praise';
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
