import { FOREIGN_ENDS, FOREIGN_NO, FOREIGN_STOP } from './foreign';
import { doing, ending, endIt, immediately, others, rest, stop, theOperation, thing } from './ends';
import { goOn, goOnWith, operation, please, runBatch, runIt, thanks, wish } from './grammar';
import { BECAUSE, HESITATION, isReason, mayBeReason, WHOLE } from './reasons';
import { any, pause, whole } from './words';

/** The sentences that refuse, read as those of grammar.ts. */
const no = any('noo?|nope|nah');
const cry = any(
  "oh|ah|hey|hi|hello|(?:i'?m )?done|wtf|lol|yo|bro|bruh|buddy|mate|hm+|oops|whoops|whoa|woah|yikes|argh|ugh|damn|dammit|shit|crap|omg|god|jesus|dude|man|guys|ups|well|on second thoughts?|that'?s (?:it|all)",
);
/** "Ok, cancel it" agrees to nothing. "Ok stop", word against word, contradicts itself and is no refusal here. */
const concession = any('ok|okay|alright|all right|right|well|yes|yep|yeah|sure|fine');

const doIt =
  '(?:label|unlabel|archive|unarchive|delete|move|trash|star|mark|unmark|remove|update|assign|shift|patch|process|change|modify|edit|alter|touch|tag|flag|insert|add|apply|set|put|do|run|execute)';
const them = any(
  `(?:any )?(?:more )?of (?:it|this|them|these|those|(?:my|our|the|these|those) ${thing})|any of (?:it|this)`,
  '(?:the )?(?:rest|others|other ones|remaining ones)|it|them|this|that|these|those|anything(?: else| more)?|any ?more|more',
  rest,
  `(?:my|the|our|these|those|any|any more|any other|more|the other)? ?${thing}`,
);
const kindly = `(?: ${any(please, thanks)})?`;
const wishes = any(
  wish,
  `(?:can|could|would|will) you(?: ${please})?`,
  "we (?:can|should|must|(?:have|need) to)|you (?:should|must|(?:have|need) to)|i (?:need|wish)(?: you)? to|i want|(?:i|we)'ll",
  "(?:i(?:'?d| would) rather|i(?:'?d| would)? prefer to|better)|(?:i|we)(?:'ve| have)? decided to|(?:it'?s )?time to",
);

const goOnAgain = any(
  goOn,
  runIt,
  'run|execute|confirm|approve',
  `${any(goOnWith, runBatch)} ${any('(?:the|this|that) batch', '(?:the )?next (?:batch|one)', operation, others, 'it|this|that|these')}`,
  '(?:do|process|run) any(?:thing)?(?: more)?|go (?:on )?any further|go further',
);
const never = "(?:don'?t|do not)";
/** Also used before verbs of asking: "no need to confirm" refuses nothing. */
const needless = "(?:(?:there(?:'?s| is) )?no need|(?:i|we) (?:don'?t|do not) (?:need|have)) to";
const notTo = any(
  "(?:i(?:'m| am) )?not going to|i (?:won'?t|will not)",
  `${never}|let'?s not|i ${any(`${never} want`, 'no longer want')}(?: you)? to`,
  needless,
  "(?:i(?:'?d| would) )?(?:rather|better) not|i(?:'d| would)? prefer not to",
);
const negated = any(
  `(?!${needless} (?:confirm|approve|change|modify|edit|alter|add|set|update|remove|fix))${notTo} ${any(goOnAgain, `${doIt} ${them}`)}(?: (?:or|and|nor) ${others})?(?: any ?more| any further| after all)*`,
  `${never} make (?:any|more|any more|any other) changes(?: to (?:my|the|our) ${thing})?|never (?:touch|change|modify|edit|delete|archive|move) ${them}|i'?m not (?:okay?|ok|fine|happy) with (?:it|this|that)`,
  `(?:(?:i|we) )?${any(`${never} (?:want|need)`, 'no longer (?:want|need)')} (?:it|this|that|them|these|those|any(?: more)?|more|any of (?:it|this|that|them|these)|${rest})(?: any ?more)?|let'?s not`,
  "(?:there(?:'?s| is) )?no need|(?:i(?:'?d| would) )?(?:rather|better) not|i(?:'d| would)? prefer not to",
  `(?:i|we) (?:${never}|no longer) want (?:it|this|that) (?:finished|done|run|processed|continued|to (?:go on|continue))`,
  `(?:i|we) (?:${never}|no longer) want (?:any more ${thing}|these|those|them) (?:to be )?(?:labell?ed|moved|starred|marked|updated|assigned|shifted|changed|modified|edited|altered|touched|tagged|flagged|processed)|(?:i|we) ${never} (?:want|need) any (?:more|further) (?:${thing}|changes|batches)(?: please)?`,
  `i ${never} (?:approve|agree|confirm|accept|consent)(?: (?:it|this|that|the batch|this batch|to (?:it|this|that)))?`,
  "(?:i'?m )?not (?:doing|going to do) (?:this|it|that)|not going (?:on|ahead)(?: with (?:it|this|that))?|not (?:approved|accepted|authori[sz]ed|going ahead)|not the rest|i (?:disagree|object)|i'?m against (?:it|this|that)|i (?:withdraw|revoke) my (?:approval|consent|confirmation)",
);
const ofTheRest = any(
  `(?:leave(?: out)?|skip|ignore|forget(?: about)?|never ?mind|drop|scrap|${never} bother with) ${rest}(?: alone| out| be| as (?:(?:it|that) )?is| as they are)?`,
  `no (?:more|further)(?: (?:batches|changes(?: to (?:my|the|our) ${thing})?|labels|${doing}|${thing}))?|(?:make|do) no(?: more| further)?(?: changes)?|no changes`,
  `(?:that(?:'?s| is| will be|'?ll be) )?(?:quite |more than |really )?(?:enough|enuf|plenty)(?: already| now)?|enough (?:of )?(?:it|this|that|labels|tags|changes|batches)|(?:that(?:'?s| is) )?enough (?:of )?(?:(?:the|this|your) )?${doing}|i(?:'?ve| have) had enough|(?:(?:that|this)(?:'?s| is) )?enough for me|enough is enough`,
  `(?:there(?:'?s| is) )?no need for ${rest}`,
  "(?:let'?s )?leave it (?:there|at that|here)|we(?:'?re| are) done here|i(?:'?m| am) done here|not any ?more|do nothing(?: more)?|nothing (?:more|else)|go no further",
  `leave (?:them|everything(?: else)?|it|${rest}|(?:my|the|our) (?:${thing}|other ${thing})) (?:alone|be|(?:as|where) (?:it is|they are|is)|un[a-z]+ed|in peace)`,
  `(?:keep your )?hands off(?: (?:my|the|our) ${thing})?`,
);
const mind = any(
  'forget (?:about )?(?:it|this|that|everything|the whole thing)',
  'never ?mind|nvm|scratch that',
);
const verdict = any(
  '(?:i )?(?:reject|decline|refuse|veto)(?: it| this)?|rejected|declined|denied|vetoed|withdraw',
  '(?:permission|approval|request) denied|no deal',
);

const plainNo = any(
  `noo?(?:${pause} no)*|nay|nope(?:${pause} nope){0,2}|nah(?:${pause} nah)?|n|(?:no|hell no|no) way|hell no`,
  '(?:absolutely|definitely|certainly|of course) not|negative|thumbs down|under no circumstances|(?:no|not a) chance|not (?:gonna|going to) happen',
  "(?:(?:that|it)(?:'?s| is) a )?no from me|(?:that|it)(?:'?s| is) a no|(?:my|the) answer is no|(?:nah|nope),? leave (?:it|them)",
);
/** Idioms that mean no. */
const idiom = `(?:yeah|yea)${pause} (?:no|nah)|(?:ok|okay|yeah)${pause} no (?:thanks|thank you)`;

const modestly = `(?:${wishes} |i meant (?:to )?)?`;
const LEAD = new RegExp(
  `^${any(`${no}(?: ${thanks})?`, `${thanks}${pause} but`, cry, please, `${please} to|kindly|(?:and )?(?:i(?:'m| am) )?(?:really |so )?sorry|excuse me|i(?:'m| am) afraid`, '(?:okay|ok|alright|yeah|well) (?:so|u+m+|u+h+)', 'actually|just|so|then|now|but|and', mind)} `,
  'u',
);
const MAX_LEADS = 4;
const A_STOP = whole(
  `${modestly}${any(stop, 'end|exit')}${immediately}${kindly}`,
  ...['stop', 'cancel', 'abort', 'halt', 'quit'].map((word) => `${word}(?: ${word})+`),
);
/** With an object, a wish or a "please" the refusal is a sentence, which an assent in front of it only introduces. */
const AN_END = whole(
  `${any(`(?:go ahead and )?${modestly}${any(ending, mind)}${immediately}`, negated, ofTheRest)}${kindly}`,
  `(?:${please} |${wishes} )${stop}${immediately}${kindly}`,
);
const A_NO = whole(
  `${any(verdict, plainNo)}${kindly}`,
  never,
  `${no} (?:i ${never}|not (?:this|that|these|those|like (?:this|that))|(?:that|this|it)(?:'s| is) not right)`,
);
const CONCEDES = new RegExp(`^${concession}(?: |$)`, 'u');
/** A clause that gives a reason, or adds nothing. */
const FILLER = whole(
  "i(?:'m| am) serious|seriously|i mean it|for good|period|full stop",
  `${cry}(?: ${cry})?`,
  please,
  `${thanks}(?: (?:anyway|though|all the same|regardless|nonetheless))?`,
  `(?:ok|okay|alright) ${thanks}|operation|hard no`,
  "actually|just|(?:i(?:'m| am) )?(?:really |so )?sorry|excuse me|(?:we|i)(?:'?re|'?m| are| am) (?:done|finished|through)(?: here| with (?:it|this|that))?",
  // At bad news, "oh no" refuses nothing.
  `(?:oh|ah|omg|god|argh|ugh|damn|shit|crap|whoa|woah|yikes|man)${pause} noo?(?:${pause} no)*`,
);
const CRY = new RegExp(`^${any(cry, no, '(?:so |really |i am |i.m )?sorry')} `, 'u');

/** A reason, also behind cries: "oh no that's all wrong". */
function givesReason(clause: string): boolean {
  if (isReason(clause)) return true;
  const rest = clause.replace(CRY, '');
  return rest !== clause && givesReason(rest);
}

/** By itself, "cancel" may be about a meeting, and "stop" about music. */
const UNMISTAKABLE = new RegExp(
  `^(?:${please} |just |let'?s )?(?:abort|call it off|give up|call it quits|pull the plug|end (?:it|this) (?:all )?now|abandon ship)${kindly}$`,
);
/** Words that ask for a pause as often as for the end, unless a reason follows. The person can then answer "cancel". */
const WAITS = whole('wait(?: no)?|no wait|(?:hold|hang) on|hold it');
const CANCELS = /(?:^| )(?:cancel|abort)(?: |$)/;
/** Clauses that count only after a refusal: by themselves they may mean a part of the batch. */
const LEAVES = whole(
  `close (?:(?:it|this) down|(?:it|this|the operation|the job|this operation|this job)(?: down)?)|(?:leave (?:it|them)|(?:not today and )?(?:not )?ever(?: again)?)|i ${never}|not (?:this|that|these|those|like (?:this|that)|right)|(?:that|this|it)(?:'s| is) not right`,
);
/** Clauses that only confirm an end. */
const REPEATS_END = whole(
  `(?:not now,? )?(?:and |or )?not (?:now (?:and |or )?(?:not )?(?:later|ever)|later)|(?:and )?(?:please )?(?:${never}|never)(?: ever)? (?:resume|restart|start|continue|come back|ask|do|touch|run)(?: (?:it|this|that|me|anything|to it|to this))?(?: (?:again|later|ever))*`,
);
/** After an end, these take it back. */
const RETRACTS =
  /^(?:(?:oh|ah|damn|no) )*(?:i take (?:it|that) back|i (?:did not|didn'?t) mean (?:it|that)|scratch that|never ?mind|forget (?:it|that)|oops|(?:oh|damn) no|of course not)$/;
/** "Don't, cancel it" may deny the end. */
const DENIES =
  /(?:^| )(?:don'?t|do not|rather not|better not|let'?s not|no need|refuse|circumstances|against it|disagree)$/;
/** After an assent, only the whole operation in so many words: "yes, stop there" and "yes, cancel the rest" agree first. */
const AGREES = /^(?:yes|yep|yeah|sure|fine)(?: |$)/;
const ENDS_ALL = whole(
  `(?:${please} |just |let'?s )?(?:${endIt}) ${any('it|this|that|everything|the whole thing|it all|all of it', theOperation)}${immediately}${kindly}`,
  `(?:${please} |just |let'?s )?call it off${kindly}|${mind}|${please} ${stop}${kindly}|${never} (?:do (?:it|this|that)|continue|go on|proceed)`,
);
/** "No, that's all" answers another question. */
const CLOSES =
  /^(?:(?:no|nope|nah) , )?(?:that'?s (?:it|all)|nothing else|no (?:further )?changes|(?:it|that)'?s good enough|this will do)(?:(?: ,)? (?:thanks|thank you))?$/;
const IDIOM = whole(idiom);
const FOREIGN = whole(FOREIGN_NO, FOREIGN_STOP);
const FACES =
  /^(?:(?:🛑|❌|⛔|🚫|👎|✋|🙅|😡|😤|😅|😭|😱|🙏|🙂) ?)+|(?: ?(?:, )?(?:🛑|❌|⛔|🚫|👎|✋|🙅|😡|😤|😅|😭|😱|🙏|🙂))+$/gu;
const SPOKEN = new RegExp(`^(?:(?:${any(concession, no)}|so|u+m+|u+h+|and|but) )+`);
/** "I don't want" goes on: "to stop". */
const EXPECTS_MORE = /(?:^| )(?:want|need|wanted|to|not|never|don't|wish)$/;
const COMMANDS_END = new RegExp(`^(?:(?:so|and|just|please) )*${endIt} `);
const THUMBS_DOWN = /^(?:👎|🛑)(?: (?:👎|🛑)){0,3}$/u;
const ENDS_IN_DONT = new RegExp(`${never}$`);
const MAX_CLAUSES = 5;

/**
 * Whether a message refuses, and so ends the operation: each of its clauses refuses, gives a reason, or has no other
 * meaning.
 */
export function refuses(text: string): boolean {
  const plain = text.replace(HESITATION, '');
  if (CLOSES.test(plain)) return false;
  if (THUMBS_DOWN.test(plain) || IDIOM.test(plain) || FOREIGN.test(plain)) return true;
  if (refusesIn(plain) || refusesIn(plain.replace(/ (?:and|so) /g, ' , '), false)) return true;
  return isFollowedByReason(plain) || isLedByReason(plain);
}

/** A reason before a refusal without a pause: "so no I don't want this any more just cancel the whole operation". */
function isLedByReason(plain: string): boolean {
  const words = plain.split(' ');
  return words.slice(0, MAX_WORDS_BEFORE_REASON).some((word, at) => {
    if (at === 0 || word === ',') return false;
    const after = words.slice(at).join(' ');
    if (!COMMANDS_END.test(after)) return false;
    const before = words.slice(0, at).join(' ').replace(SPOKEN, '');
    return (
      isReason(before) && !EXPECTS_MORE.test(before) && refusesIn(after.replace(/^(?:so|and|just) /, ''))
    );
  });
}

/** "Cancel it is wrong", unlike "cancel it's wrong". */
const NAMES_WHAT_ENDS =
  /^(?:it|this|that|everything|these|those) (?:is|are|was|were|makes|takes|seems|looks) /;

/** No refusal is longer. Each further word would cost a look at all words after it. */
const MAX_WORDS_BEFORE_REASON = 40;

/** A reason behind a refusal without a pause: "stop that's the wrong label", "cancel because Bob moved everything". */
function isFollowedByReason(plain: string): boolean {
  const words = plain.split(' ');
  return words.slice(0, MAX_WORDS_BEFORE_REASON).some((word, at) => {
    if (at === 0 || word === '') return false;
    const after = words.slice(BECAUSE.has(word) ? at + 1 : at).join(' ');
    if (!BECAUSE.has(word) && (!isReason(after) || (words[0] !== 'no' && NAMES_WHAT_ENDS.test(after))))
      return false;
    const before = words.slice(0, at).join(' ');
    return (
      !/^to |(?:^| )nothing$/.test(before) &&
      refusesIn(before) &&
      NAMES_END.test(before) &&
      refusesIn(`${before} , ${after}`)
    );
  });
}

/** @param aside Whether a clause of any other words may give the reason. */
function refusesIn(text: string, aside = true): boolean {
  const words = text.replace(FACES, '').replace(/^, /, '');
  // A picture behind "don't" may be what is not to be used.
  if (words !== text && ENDS_IN_DONT.test(words)) return false;
  const clauses = words.split(' , ');
  if (clauses.length > MAX_CLAUSES) return false;
  let refusal: 'end' | 'no' | undefined;
  let conceded = false;
  let waited = false;
  let paused = false;
  let reasoned = false;
  let unknown = false;
  let after = false;
  const agreed = AGREES.test(words);
  const ends: string[] = [];
  for (const [at, whole] of clauses.entries()) {
    // "Ok that's enough for today, stop it": a reason may be conceded too.
    const body = at === 0 ? whole.replace(CONCEDES, '') : whole;
    const reason = givesReason(body);
    reasoned ||= reason;
    if (ends.length > 0 && RETRACTS.test(whole)) return false;
    if ((FILLER.test(body) || reason) && !isSaid(whole, AN_END)) continue;
    if (at === 0 && IDIOM.test(whole)) {
      refusal = 'no';
      continue;
    }
    const introduced = at === 0 && CONCEDES.test(whole) && !isRefusal(whole);
    const clause = introduced ? whole.replace(CONCEDES, '') : whole;
    conceded ||= introduced;
    if (clause === '') continue;
    if (refusal && (isSaid(clause, AN_END) || isSaid(clause, A_STOP)) && DENIES.test(clauses[at - 1] ?? ''))
      return false;
    if (!refusal && isSaid(clause, WAITS)) waited = true;
    else if (
      isSaid(clause, agreed ? ENDS_ALL : AN_END) ||
      (!conceded && FOREIGN.test(clause)) ||
      (!conceded && isSaid(clause, A_STOP))
    ) {
      paused ||= waited && !CANCELS.test(clause);
      refusal = 'end';
      ends.push(clause);
    } else if (refusal !== 'end' && !conceded && isSaid(clause, A_NO)) refusal = 'no';
    else if (!(refusal && LEAVES.test(clause)) && !(refusal === 'end' && REPEATS_END.test(clause))) {
      if (!aside || !mayBeReason(clause)) return false;
      unknown = true;
      after ||= ends.length > 0;
    }
  }
  if (paused && !reasoned) return false;
  // "The meeting is wrong, cancel it" may be about the meeting.
  if ((unknown || conceded) && /(?:^[a-z]+|,) (?:and )?then /.test(words)) return false;
  if (unknown)
    return ends.length > 1 || ends.some((end) => WHOLE.test(end) || (!after && UNMISTAKABLE.test(end)));
  return refusal !== undefined;
}

/** "Well" and "right" begin refusals too. */
const isRefusal = (clause: string) => [AN_END, A_STOP, A_NO].some((pattern) => isSaid(clause, pattern));

/** The clause itself, or the clause after words that do not contradict it. */
function isSaid(clause: string, pattern: RegExp): boolean {
  let rest = clause;
  for (let leads = 0; leads <= MAX_LEADS; leads++) {
    if (pattern.test(rest)) return true;
    const shorter = rest.replace(LEAD, '');
    if (shorter === rest) return false;
    rest = shorter;
  }
  return false;
}

/**
 * A refusal that names the end by itself. Any other one ("no", "never mind", "don't") may answer the latest question.
 */
export const NAMES_END = new RegExp(
  `(?:^| )${any(
    'cancel|stop|abort|halt|quit|terminate|end|kill|drop|scrap|off|enough|plenty|more|rest|remainder|remaining|others|done',
    'abandon|discard|withdraw|down|plug|finish|else|alone|further|nothing|anything|exit|discontinue|cease|ditch',
    'axe|bin|nuke|scratch|close|void|annul|revoke|over|out|operation|ending|cancell?ing|stopping|aborting',
    'there|here|reject|rejected|decline|declined|denied|refuse|veto|vetoed|🛑',
    FOREIGN_ENDS,
  )}(?: |$)`,
  'u',
);
