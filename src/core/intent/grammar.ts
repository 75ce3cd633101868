/**
 * The sentences that confirm, and nothing else: every pattern spans the whole message. Messages arrive in the form
 * that `normalise` (intent.ts) gives them: lower case, single spaces, ` , ` for any pause between words.
 */
export const any = (...parts: string[]): string => `(?:${parts.join('|')})`;
export const whole = (...sentences: string[]): RegExp => new RegExp(`^${any(...sentences)}$`, 'u');
export const pause = '(?: ,)?';

export const please = any('please|pls|plz');
export const thanks = any('thanks|thank you|thx|ty');
const thumb = any('👍|👌|✅');

const yes = any(
  'y|yess?|yep|yup|yeah|yea|aye|sure(?: thing)?|of course|absolutely|definitely|certainly|affirmative',
  'by all means',
);
const agreed = any(
  'k|okk?|okay|okey|alright|all right|agreed|i agree|lgtm|good to go',
  '(?:sounds|looks) (?:good|great|fine|perfect)(?: to me)?',
);
const fine = any('fine(?: (?:with|by) me)?', "that(?:'?s| is) fine");
// Praise needs the pause: "great, start" confirms and "great start" does not.
const praise = any('great|perfect|good|nice|cool|fine');

const assent = `${any(yes, agreed)}${pause} `;
const opens = (assents: string, courtesy: string) =>
  `(?:${courtesy})?${assents}(?:${courtesy}){0,2}(?:just )?`;
const courtesy = any(`${please}${pause} `, `${any(praise, thanks)} , `);
/** One assent before an act: two may be irony ("yeah, sure, do it"). "Thanks, next" is a dismissal. */
export const opening = opens(`(?:${assent})?`, any(`${please}${pause} `, `${praise} , `));
const openingWithThanks = opens(`(?:${assent})?`, courtesy);
/** "Continue" is clear by itself, so a doubled assent before it does no harm. */
const openingOfAct = opens(`(?:${assent}){0,2}`, courtesy);
export const closing = `(?: (?:now|then|right now|right away))?(?:${pause} ${any(please, thanks, '🙏')})?(?:${pause} ${thumb})?`;

export const wish = any(
  "let'?s|let us|you (?:can|may)|feel free to|i want (?:you )?to|i(?:'d| would) like (?:you )?to",
);
const urge = any(wish, 'go (?:ahead|on) and');
const thisBatch = '(?:the|this|that) batch';
const nextBatch = any('(?:(?:the|this) )?next batch', '(?:(?:the|this) )?next ones?');
export const operation = '(?:(?:the|this) (?:(?:whole|entire) )?)?(?:bulk )?operation';

export const goOnWith = any(
  'continue(?: on)?(?: with)?|proceed with|go (?:on|ahead) with|carry on with|move on with|(?:start|begin|resume)(?: with)?',
);
// "Run the operation" may ask for all of it, "run the batch" cannot.
export const runBatch = any('run|execute|process|do');
const step = any(
  `${goOnWith} ${any(thisBatch, operation)}`,
  `${runBatch} ${thisBatch}`,
  '(?:continue|proceed|go (?:on|ahead)|carry on) with (?:it|this)',
);
const continues = any('continue|proceed|resume|cont');
// Without "go": "I want to go", "you may go" and "please go" say something else.
export const goOn = any(
  continues,
  'go (?:on|ahead|right ahead|forward)|carry on|keep (?:on )?going|keep it going|start|begin|move (?:on|forward)',
  'get (?:started|going|on with it)',
);
/** Verbs for the open batch that do not name it. */
export const runIt = any(
  'continue (?:it|processing)|(?:start|begin|resume|execute|run|launch) (?:it|this)|do (?:it|so|that|this)',
);
const command = any(
  goOn,
  runIt,
  "go for it|run|execute|please do|make it so|ship it|kick it off|let'?s go",
  step,
  `${urge} ${any(goOn, runIt, step)}`,
  'i meant (?:to )?(?:continue|proceed)',
);
const act = any(continues, `continue (?:it|processing)`, step, `${urge} ${any(continues, step)}`);
// No "please" with these: "please confirm" asks for a confirmation.
const approve = '(?:i )?(?:confirm|approve|accept)';
const approval = any(
  'confirmed|approved|accepted',
  `${approve}(?: ${any('it', 'this', thisBatch)})?`,
  'you have my (?:approval|ok|go-ahead)',
);

const polite = (...words: string[]): string => `(?:${pause} ${any(...words)})?`;
const after = (...words: string[]): string => `(?:${any(...words)}${pause} )?`;
/** A word that means something else in another of these languages ("si", "vale", "para", "ya") is not here. */
const foreign = any(
  `ja${polite('bitte', 'graag')}|oui${polite("s'il (?:vous|te) plaît")}|sí${polite('por favor')}`,
  `sì${polite('grazie', 'per favore')}|sim${polite('por favor')}`,
  `${after('ja', 'ok')}(?:bitte )?(?:weiter|mach weiter|weitermachen|fortfahren|fahre? fort)${polite('bitte')}`,
  `bitte${pause} weiter`,
  `${after('oui', 'ok')}(?:continuer|continuez|allez-y|vas-y)${polite("s'il (?:vous|te) plaît")}`,
  `${after('sí', 'ok')}(?:adelante|continuar|continúa|continúe|continua)${polite('por favor')}`,
  `${after('sì', 'ok')}(?:continuare|continua|procedi|avanti)${polite('grazie', 'per favore')}`,
  `${after('sim', 'ok')}(?:continuar|continue|prosseguir|prossiga)${polite('por favor')}`,
  `${after('ja', 'ok')}(?:doorgaan|ga door|ga verder)${polite('graag', 'alsjeblieft', 'alstublieft')}`,
);

/** Confirms the open question, whichever it is. */
export const GO_ON = whole(
  `${openingOfAct}${act}${closing}`,
  `${openingWithThanks}${command}${closing}`,
  // One assent and no more: a doubled one may be irony. "Ok thanks" ends a conversation as often as it confirms.
  `(?:${praise} , )?${yes}(?:${pause} ${any(please, thanks)})?(?:${pause} ${thumb})?`,
  `${any(agreed, fine)}(?:${pause} ${please})?(?:${pause} ${thumb})?`,
  `(?:${assent})?${approval}(?:${pause} ${thanks})?(?:${pause} ${thumb})?`,
  `(?:${assent})?go(?: now)?(?:${pause} ${thumb})?`,
  `yes${pause} ${any('i did', 'i do', 'you (?:can|may)')}`,
  thumb,
  foreign,
);

/** Confirms the batch that follows, which after a failure is not the one that the question is about. */
export const NEXT_BATCH = whole(
  `${opening}${any(
    `next|${nextBatch}|(?:one more|another) batch`,
    `(?:${wish} )?${any(goOnWith, `${runBatch}|start`, '(?:continue|proceed|move on|go on|go|on) to', 'onto')} ${nextBatch}`,
  )}${closing}`,
  `(?:${assent})?${approve} ${nextBatch}(?:${pause} ${thanks})?`,
  'siguiente|volgende',
);

/** Confirms a failed batch; elsewhere it may mean the failed items, or the batch before. */
export const TRY_AGAIN = whole(
  `${opening}(?:${urge} )?${any(
    'retry(?: it)?|try (?:it )?again|try (?:it )?once more|(?:run|do) it again|once more|one more time|again',
    'retry (?:the|this|that) (?:failed )?batch|(?:try|run) (?:the|this|that) (?:failed )?batch again',
    'give it another (?:try|go)',
  )}${closing}`,
);

/**
 * A confirmation that names the act by itself. Any other one ("ok", "go ahead", 👍) may answer whatever was spoken of
 * last.
 */
export const NAMES_ACT = new RegExp(
  `(?:^| )${any(
    'continue|proceed|resume|batch|operation|retry|(?:try|run|do) (?:it )?again|(?:next|first|last) [0-9]+|remaining|rest',
    'weiter|weitermachen|fortfahren|fort|continuer|continuez|continuar|continúa|continúe|continua|continuare|procedi',
    'prosseguir|prossiga|doorgaan|ga door|ga verder',
  )}(?: |$)`,
  'u',
);
