import { FOREIGN_ACTS, FOREIGN_AGAIN, FOREIGN_NEXT, FOREIGN_YES } from './foreign';
import { any, naming, pause, SMILES, THUMBS, whole } from './words';

/**
 * The sentences that confirm, and nothing else: every pattern spans the whole message. Messages arrive in the form
 * that `normalise` (classifier.ts) gives them: lower case, single spaces, ` , ` for any pause between words.
 */
export const please = any('please|plea?se?|pl[ae]se|pls|plz');
export const thanks = any(
  '(?:and )?(?:thanks(?: a lot)?|thank you(?: (?:very|so) much)?)(?: for (?:the list|asking|checking))?|many thanks|cheers|thx|ty',
);
const thumb = any(THUMBS);
const smile = any(SMILES);
const cheer = any(thumb, smile);

const yes = any(
  'affirmative(?: ,)? over|y|yess?|ye|yeh|yh|yep|yup|yeah|yea|aye|sure(?: thing)?|of course|absolutely|definitely|certainly|affirmative',
  '(?:definitely|absolutely|certainly|totally) yes|by all means|yes (?:indeed|of course|absolutely|definitely)|yessir|roger(?: that)?|for sure|you bet|thumbs up',
  "(?:hell|heck) (?:yes|yeah)|totally|yes from (?:me|us|(?:my|our) side)|(?:that|it)(?:'?s| is) a yes(?: from me)?|(?:my|the) answer is yes|i say yes|be my guest|fire away|roll on",
);
const agreed = any(
  "k|oke|okk?|okay|okey(?: dokey)?|okie(?: dokie)?|alright|all right|agreed|i agree|lgtm|(?:(?:we|you)(?:'?re| are) )?good to go",
  "(?:(?:the|this) (?:batch|list)|these|those|they)(?:'?re| is| are| looks?) (?:all )?(?:good|fine|ok|okay|correct|right|perfect)(?: (?:to|for|with) me)?",
  '(?:(?:it|that|this) )?(?:sounds|looks) (?:good|great|fine|perfect|right|ok|okay|correct)(?: to me)?',
);
const fine = any(
  'fine(?: (?:with|by) me)?',
  "(?:that )?works for (?:me|us)|that(?:'?s| is) fine|i(?:'?m| am) (?:fine|ok|okay|happy|good) with (?:it|this|that|these|them|(?:the|this) batch)",
);
// Praise needs the pause: "great, start" confirms and "great start" does not.
const praise = any(
  '(?:very )?good|very well|great|perfect|nice|cool|fine|excellent|awesome|super|wonderful|brilliant|fantastic|lovely',
  '(?:nice|great|good|excellent) (?:work|job|stuff)(?: so far)?|well done',
);
const wellness = '(?:good|great|fine|perfect|right|ok|okay|correct|clear)';
/** An observation beside an act. By itself it may be about anything. */
const finding = any(
  `so far so good|keep it up|(?:(?:it|that|this|everything|everything here) )?(?:looks|sounds) ${wellness}(?: to me)?|all looks ${wellness}|(?:it|that|this|everything)(?:'?s| is) ${wellness}`,
  `(?:all|everything) (?:good|fine|clear|correct|ok|okay)|we(?:'?re| are) (?:all )?good|no (?:objections?|problem)|works for me|reviewed|checked|i(?:'?ve| have)? (?:checked|reviewed)(?: (?:it|them|this))?|same as (?:before|last time|the (?:last|first|previous) (?:batch|one|lot|round))`,
);
/** An observation in one word, which is irony after an assent ("yeah, right, do it"). */
const inAWord = any("right|correct|exactly|i(?:'?m| am) ready|ready");

const anAssent = any(yes, `${agreed}(?: then)?`);
const assent = `${anAssent}${pause} `;
/** One assent before an act: two may be irony ("yeah, sure, do it"). "Thanks, next" is a dismissal. */
const kindly = any(`${any(please, thumb, smile)}${pause} `, `${praise} , `);
// Spoken openings: "okay so go ahead".
const prelude =
  '(?:(?:(?:ok|okay|alright|all right|right|well)(?: ,)? )?so(?: ,)? |(?:well|right(?: then)?)(?: ,)? )?';
const hello =
  '(?:(?:hey|hi|hello|dear)(?: (?:there|bot|batchgate|all|team|again))?|(?:good )?(?:morning|afternoon|evening))';
const elsewhere = '(?:(?:a|the|my) )?(?:meeting|call|lunch|break|lunch break|appointment|holiday|vacation)';
const absent = `(?:i )?was (?:away|busy|out|offline|afk|asleep|driving|travelling|on the phone|(?:getting|making|having|grabbing) (?:a |some |my )?(?:coffee|tea|lunch|water|breakfast|dinner)|(?:in|at|on) ${elsewhere})`;
const sorry = any(
  `(?:sorry|apologies)(?: (?:for|about) (?:the|my) (?:delay|wait|late (?:reply|answer)))?(?:(?: ,)? ${absent})?`,
  `(?:i(?:'?m| am) )?(?:just )?(?:(?:back|here)(?: (?:now|again))?|back from ${elsewhere})|${absent}`,
);
const greeting = any(`(?:${any('oh|ah', hello)}${pause} )?`);
// "Oh great, the next ten" is a sigh.
export const opening = `(?!(?:oh|ah)(?: ,)? ${praise} )${prelude}${greeting}(?:${kindly})?(?:${assent})?(?:${kindly}){0,2}(?:(?:just(?! (?:(?:the|this) )?next ones?(?: |$))|now) )?`;
export const closing = `(?: (?:now|then|right now|right away|immediately))?(?:${pause} ${any(please, thanks, smile)}){0,2}(?:${pause} ${thumb})?`;

export const wish = any(
  "let'?s|let us|(?:you|we) (?:can|may)|feel free to|(?:i|we) (?:do )?want (?:you )?to|i say|i(?:'?d| would) like (?:you )?to",
);
const urge = any(wish, 'go (?:ahead|on) and');
const thisBatch = '(?:the rest of )?(?:the|this|that) batch';
const ones = '(?:ones|items|emails|messages|mails|events|cards|rows)';
const nextBatch = '(?:(?:the|this) )?next (?:batch|ones?|lot|set|group|bunch|round|chunk)';
export const operation = '(?:(?:the|this|that) (?:(?:whole|entire) )?)?(?:bulk )?operation';

export const goOnWith = any(
  'continue(?: on)?(?: with)?|proceed with|go (?:(?:on|ahead) )?with|carry on with|move on with|(?:start|begin|resume)(?: with)?',
);
// "Run the operation" may ask for all of it, "run the batch" cannot.
export const runBatch = any('run|execute|process|do');
/** Verbs for a batch that is named. */
export const goTo = any(
  goOnWith,
  `${runBatch}|start|launch|kick off|trigger|onto|(?:continue|proceed|move on|move|go on|go|on) to`,
);
const step = any(
  `${goOnWith} ${any(thisBatch, operation)}`,
  `${runBatch} ${thisBatch}`,
  '(?:continue|proceed|go (?:on|ahead)|carry on) with (?:it|this)',
);
// "Procede" is the word of three other languages, and a common misspelling.
const continues = any('continue|proceed|procede|resume|cont');
// Without "go": "I want to go", "you may go" and "please go" say something else.
export const goOn = any(
  continues,
  'go (?:on|ahead|right ahead|forward)|keep (?:it|things) moving|carry on|keep (?:on(?: going)?|going)|keep it going|start|begin|move (?:on|forward)|moving on|on we go',
  'get (?:started|going|on with it)|(?:crack|press|push) on|press ahead|onwards?(?: and upwards?)?|(?:keep|get) (?:this|it|things) (?:going|rolling|moving)',
  '(?:kindly|do) (?:continue|proceed|carry on|go ahead)',
);
/** Verbs for the open batch that do not name it. */
export const runIt = any(
  '(?:continue|keep(?: on)?|start|begin|resume) processing|(?:continue|start|begin|resume|execute|run|launch|process) (?:it|this)|do (?:it|so|that|this)',
);
const command = any(
  goOn,
  runIt,
  "go for it|run|execute|please do|make it so|ship it|kick it off|let'?s (?:go|roll|do (?:it|this))|keep (?:it|them) coming|off you go|fire away|be my guest|roll on|have at it|knock yourself out|you may (?:proceed|continue|begin|start)",
  step,
  `${any(urge, 'i give you permission to|you have my (?:permission|approval|okay|ok|blessing|consent) to')} ${any(goOn, runIt, step)}`,
  `(?:it|that)(?:'?s| is) (?:all )?(?:ok|okay|fine|safe|good|alright|all right) to ${any(goOn, runIt, step)}`,
  'i meant (?:to )?(?:continue|proceed)',
);
const asPlanned = '(?: as (?:you )?(?:planned|proposed|suggested|described|shown))?';
const act = any(
  `${continues}${asPlanned}|do${asPlanned.slice(0, -1)}`,
  `continue (?:it|processing)`,
  step,
  `${urge} ${any(continues, step)}`,
  `we can ${any(continues, 'go (?:on|ahead)|carry on|move on')}`,
  `(?:(?:i'?m|you(?:'re| are)) )?(?:(?:happy|fine) for you|happy|good|free|clear) to ${any(continues, 'go (?:on|ahead)')}|(?:confirm|approve) and (?:continue|proceed)`,
);
// No "please" with these: "please confirm" asks for a confirmation.
const approve = '(?:i (?:hereby )?)?(?:confirm|approve|accept|authori[sz]e)';
const approval = any(
  "all systems go|(?:(?:that|it)(?:'?s| is) )?(?:ok|okay) (?:to (?:go|proceed|continue)|with (?:me|us))",
  'confirmed(?: by (?:me|us))?|(?:reviewed and |checked and |batch )?approved(?: by (?:me|us))?|accepted|authori[sz]ed|permission granted',
  `${approve}|${approve}(?: of)? ${any('it', 'this', 'that', 'these', thisBatch)}(?: ${please})?`,
  "(?:it(?:'?s| is) a go|green light)|(?:i give(?: you)?|you(?:'ve got| have(?: got)?| got)) (?:my (?:approval|okay|ok|go-ahead|permission|blessing)|the green light)(?: (?:for|on) (?:it|this|that|these|this batch))?|green light from (?:me|us|(?:my|our) (?:side|end))|permission to (?:continue|proceed) granted|(?:it|this)(?:'s| is) approved|(?:i'?m )?(?:confirming|approving)(?: (?:it|this|these|this batch))?",
);

const ACT = new RegExp(
  `^${prelude}${greeting}(?:${any(please, thumb)} )?((?:${assent}){0,2})(?:${any(please, thumb, thanks, smile)}${pause} )?(?:(?:just|simply) )?(?:(${act})|${command})${closing}$`,
  'u',
);
const ONE_ASSENT = whole(assent);
const AN_ASSENT = whole(anAssent);
/** Clauses before an act that have no other meaning. The first group is an assent in one of them. */
const COURTESY = new RegExp(
  `^(?:(?:(${anAssent}) )?${any(praise, thanks, sorry)}|${any(please, thumb)}|oh|ah|${hello}|got it|understood|noted)$`,
  'u',
);
const APPROVED = whole(`(?:${assent})?${any(approval, fine)}`);
const FOUND = whole(`(?:${assent})?${finding}`);
const FOUND_IN_A_WORD = whole(inAWord);

/** An act, or a plain assent in one clause. */
const PLAIN = whole(
  // One assent and no more: a doubled one may be irony. "Ok thanks" ends a conversation as often as it confirms.
  `(?:${praise} , )?${yes}(?:${pause} ${please})?(?:${pause} ${thanks})?(?:${pause} ${cheer})?`,
  `${any(agreed, fine)}(?:${pause} ${please})?(?:${pause} ${cheer})?`,
  `(?:that )?works for (?:me|us)${pause} ${thanks}`,
  `(?:${assent})?${approval}(?:${pause} ${thanks})?(?:${pause} ${thumb})?`,
  'granted',
  `yes${pause} i(?: agree|'?m sure)|${yes}${pause} all (?:good|fine|correct|right|ok|okay)`,
  `(?:${assent}|${cheer} )?go(?: now)?(?:${pause} ${cheer})?`,
  `yes${pause} ${any('i did', 'i do', 'you (?:can|may)')}`,
  `(?:${praise}${pause} )?${thumb}(?:${pause} ${thanks})?`,
  FOREIGN_YES,
);

/** Whether a text is an act by itself, without an assent before it. */
export const isAct = (text: string): boolean => ACT.exec(text)?.[1] === '';

/** "Keep it up", "it looks fine": with a verb, unlike "all good". */
export const isFound = (text: string): boolean =>
  FOUND.test(text) && !/^(?:all|no|reviewed|checked|so far) ?/.test(text);

/** Whether a text is an approval, and nothing else. */
export const isApproval = (text: string): boolean => APPROVED.test(text) && !AN_ASSENT.test(text);

/** Whether a message confirms any open question. */
export function goesOn(text: string): boolean {
  return PLAIN.test(text) || actsAfterCourtesies(text);
}

/**
 * "Continue" is clear by itself, so a doubled assent before it does no harm. Before another act it may be irony, and so
 * may any assent before a finding ("yeah, right, do it").
 */
function actsAfterCourtesies(text: string): boolean {
  const clauses = text.split(' , ');
  // "Continue, it looks good."
  while (clauses.length > 1 && FOUND.test(clauses.at(-1) ?? '')) clauses.pop();
  let assents = 0;
  let checks = 0;
  for (; clauses.length > 0; clauses.shift()) {
    const [clause = ''] = clauses;
    const match = ACT.exec(clauses.join(' , '));
    if (match) {
      const own = match[1] ?? '';
      const all = assents + (own === '' ? 0 : ONE_ASSENT.test(own) ? 1 : 2);
      return checks > 0 ? all === 0 : all <= (match[2] === undefined ? 1 : 2);
    }
    const courtesy = COURTESY.exec(clause);
    if (courtesy?.[1] !== undefined || AN_ASSENT.test(clause)) assents += 1;
    else if (FOUND_IN_A_WORD.test(clause)) checks += 1;
    else if (![FOUND, APPROVED].some((pattern) => pattern.test(clause)) && !courtesy) return false;
  }
  return false;
}

/** Confirms the batch that follows, which after a failure is not the one that the question is about. */
export const NEXT_BATCH = naming(
  /next|remaining|batch|nächst|suivant|prochain|siguiente|próxim|prossim|volgende|下一批/u,
  whole(
    `${opening}${any(
      `next|${nextBatch}|on ?to the next`,
      `(?:bring on|go for|hit me with|(?:i'?m )?ready for) ${nextBatch}`,
      // One batch of them, and then the next question.
      `(?:${wish} )?${any(goOnWith, '(?:keep (?:on )?going|carry on|go on) with')} (?:the )?remaining ${ones}`,
      `(?:${urge} )?${any(goTo, 'keep (?:on )?going (?:with|to)')} ${nextBatch}`,
    )}${closing}`,
    // After praise it may be a sigh.
    `(?:${assent})?(?:${please} )?(?:one more|another) batch${closing}`,
    // "Thanks, next" is a dismissal.
    `${thanks}${pause} (?:${please} )?(?:(?:(?:you|we) (?:can|may) )?${goOnWith} )?(?:the )?next batch${closing}`,
    `(?:${assent})?${approval}${pause} (?:${any(goOnWith, `${runBatch}|start`)} )?${nextBatch}${closing}`,
    `(?:${assent})?${approve} ${nextBatch}(?:${pause} ${thanks})?`,
    FOREIGN_NEXT,
  ),
);

/** Confirms a failed batch; elsewhere it may mean the failed items, or the batch before. */
export const TRY_AGAIN = whole(
  `${opening}(?:${urge} )?${any(
    'retry(?: it)?|try (?:it )?again|try (?:it )?once more|(?:run|do) it again|once more|one more time|again',
    'retry (?:the|this|that) (?:failed )?batch|(?:try|run) (?:the|this|that) (?:failed )?batch again',
    'give (?:it|that|this) another (?:try|go|shot)|(?:try|run) (?:that|this) (?:again|once more)|have another (?:try|go)',
  )}${closing}`,
  FOREIGN_AGAIN,
);

/**
 * A confirmation that names the act by itself. Any other one ("ok", "go ahead", 👍) may answer the latest
 * subject.
 */
export const NAMES_ACT = new RegExp(
  `(?:^| )${any(
    'continue|proceed|resume|batch|operation|retry|(?:try|run|do) (?:it )?again|(?:next|first|last) [0-9]+|remaining|rest',
    FOREIGN_ACTS,
  )}(?: |$)`,
  'u',
);
