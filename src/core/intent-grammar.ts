/**
 * The sentences that confirm or refuse, and nothing else: every pattern spans the whole message. Messages arrive in
 * the form that `normalise` (intent.ts) gives them: lower case, single spaces, ` , ` for any pause between words.
 */
const any = (...parts: string[]): string => `(?:${parts.join('|')})`;
const whole = (...sentences: string[]): RegExp => new RegExp(`^${any(...sentences)}$`, 'u');
const pause = '(?: ,)?';

const please = any('please|pls|plz');
const thanks = any('thanks|thank you|thx|ty');
const thumb = any('👍|👌|✅');

const yes = any(
  'y|yess?|yep|yup|yeah|yea|aye|sure(?: thing)?|of course|absolutely|definitely|certainly|affirmative',
  'by all means',
);
const agreed = any(
  'okk?|okay|okey|alright|all right|agreed|i agree|lgtm|good to go',
  '(?:sounds|looks) good(?: to me)?',
);
const fine = any('fine(?: (?:with|by) me)?', "that(?:'?s| is) fine");
// Praise needs the pause: "great, start" confirms and "great start" does not.
const praise = any('great|perfect|good|nice|cool|fine');

const assent = `${any(yes, agreed)}${pause} `;
const opening = `(?:${assent}|${please}${pause} |${praise} , ){0,3}`;
const openingWithThanks = `(?:${assent}|${please}${pause} |${any(praise, thanks)} , ){0,3}`;
const closing = `(?: (?:now|then))?(?:${pause} ${any(please, thanks, '🙏')})?(?:${pause} ${thumb})?`;

const wish = any(
  "let'?s|let us|you (?:can|may)|feel free to|i want (?:you )?to|i(?:'d| would) like (?:you )?to",
);
const thisBatch = '(?:the|this) batch';
const nextBatch = '(?:(?:the|this) )?next batch';
const operation = '(?:(?:the|this) (?:(?:whole|entire) )?)?(?:bulk )?operation';

const goOnWith = any(
  'continue(?: on)?(?: with)?|proceed with|go (?:on|ahead) with|carry on with|(?:start|begin|resume)(?: with)?',
);
// "Run the operation" may ask for all of it, "run the batch" cannot.
const runBatch = any('run|execute|process|do');
const step = any(`${goOnWith} ${any(thisBatch, operation)}`, `${runBatch} ${thisBatch}`);
// Without "go": "I want to go", "you may go" and "please go" say something else.
const goOn = any('continue|proceed|go (?:on|ahead|right ahead)|carry on|keep going|start|begin|resume');
const command = any(
  goOn,
  'go for it|continue (?:it|processing)|(?:start|begin|resume|execute|run) it|run|execute',
  "do (?:it|so)|please do|make it so|ship it|let'?s go|let'?s do (?:it|this)",
  step,
  `${wish} ${any(goOn, step)}`,
  'i meant (?:to )?(?:continue|proceed)',
);
// No "please" with these: "please confirm" asks for a confirmation.
const approve = '(?:i )?(?:confirm|approve)';
const approval = any('confirmed', 'approved', `${approve}(?: ${any('it', thisBatch)})?`);

/** A word that means something else in another of these languages ("si", "vale", "para", "ya") is not here. */
const foreignYes = any(
  `ja|ja${pause} bitte|(?:(?:ja|bitte)${pause} )?weiter|weiter${pause} bitte|mach weiter|weitermachen`,
  `(?:bitte )?fortfahren|oui|oui${pause} s'il (?:vous|te) plaît|continuer|continuez|ja${pause} graag|doorgaan`,
  `ga (?:door|verder)|sí|sí${pause} por favor|adelante|continuar|continúa|continúe|continua`,
  `sì|sì${pause} grazie|continuare|procedi|avanti|sim|sim${pause} por favor|prosseguir`,
);
const foreignNo = any(
  `nein|nein${pause} danke|(?:bitte )?abbrechen|abbruch|stopp|non|non${pause} merci|annuler|annulez`,
  `arrêter|arrêtez|arrête|nee|nee${pause} bedankt|annuleren|afbreken`,
  `no${pause} (?:gracias|grazie)|cancelar|cancela|detener|annulla|fermati|(?:não|nao)(?:${pause} obrigad[oa])?`,
);

/** Confirms the open question, whichever it is. */
export const GO_ON = whole(
  `${openingWithThanks}${any(command, yes)}${closing}`,
  // "Ok thanks" ends a conversation as often as it confirms, so these take no thanks.
  `(?:${assent}){0,2}${any(agreed, fine)}(?:${pause} ${please})?(?:${pause} ${thumb})?`,
  `(?:${assent}){0,2}${approval}(?:${pause} ${thanks})?(?:${pause} ${thumb})?`,
  `(?:${assent}){0,2}go(?:${pause} ${thumb})?`,
  `yes${pause} ${any('i did', 'you (?:can|may)')}`,
  thumb,
  foreignYes,
);

/** Confirms the batch that follows, which after a failure is not the one that the question is about. */
export const NEXT_BATCH = whole(
  `${opening}${any(
    `next|${nextBatch}|(?:one more|another) batch`,
    `(?:${wish} )?${any(goOnWith, runBatch, '(?:continue|proceed|move on|go on|go|on) to', 'onto')} ${nextBatch}`,
  )}${closing}`,
  `(?:${assent}){0,2}${approve} ${nextBatch}(?:${pause} ${thanks})?`,
  'siguiente|volgende',
);

/** Confirms a failed batch; elsewhere it may mean the failed items, or the batch before. */
export const TRY_AGAIN = whole(
  `${opening}(?:${wish} )?${any(
    'retry(?: it)?|try (?:it )?again|try (?:it )?once more|(?:run|do) it again|once more|again',
    'retry (?:the|this|that) (?:failed )?batch|(?:try|run) (?:the|this|that) (?:failed )?batch again',
  )}${closing}`,
);

const no = any('noo?|nope|nah');
// "No, stop" refuses; "no stop" may be a negation, so the pause is needed.
const refusing = `(?:${no}(?: ${thanks})? , |${please}${pause} |actually${pause} ){0,3}`;
const stop = any('cancel|stop|abort|halt|quit|terminate');
const stopIt = any(
  stop,
  `stop(?:${pause} stop)+|stop (?:that|this|here|there|processing)`,
  'cancel (?:that|this)|(?:stop|abort) everything|(?:cancel|stop|abort|halt|terminate|end|kill) it',
  `${any(stop, 'end|kill')} ${operation}`,
);
const immediately = '(?: (?:now|right now|immediately))?';
const thanksOrPlease = `(?:${pause} ${any(please, thanks)})?`;
const mildly = `(?:${any(please, 'actually|just')}${pause} )?`;

/** Refuses, and so ends the operation. */
export const REFUSE = whole(
  `${refusing}(?:just )?(?:${wish} |i meant (?:to )?)?${stopIt}${immediately}${thanksOrPlease}(?:${pause} (?:👎|🛑))?`,
  `${refusing}${any(
    "call it off|forget (?:about )?it|never ?mind|nvm|(?:that(?:'?s| is) )?enough|no more(?: batches)?",
    'reject(?:ed)?(?: it)?',
  )}${thanksOrPlease}`,
  `${mildly}${any(
    `noo?(?:${pause} no)*|nope|nah|n|no way|(?:absolutely|definitely|certainly|of course) not`,
  )}(?:${pause} ${thanks})?(?:${pause} 👎)?`,
  `(?:${no} , )?${mildly}(?:don'?t|do not)`,
  '👎|🛑',
  foreignNo,
);
