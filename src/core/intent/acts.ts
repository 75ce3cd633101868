import { goOn, please, runIt, wish } from './grammar';
import { any } from './words';

/**
 * Sentences that ask to run the open batch, put together from their parts: a wish, a verb, the batch, and how. Each part
 * is a closed list, so that a word of another subject, a limit or a condition leaves no sentence.
 */

/** Represents the number of items of the open batch, which is the only number that a sentence may contain. */
export const SIZE = '#';
export const things = '(?:ones|items|emails|messages|mails|events|cards|rows|things|entries)';
/** How people address a program or a colleague. */
export const vocative =
  '(?:(?:dear )?(?:mate|man|bro|buddy|pal|my friend|friend|bot|team|guys|folks|boss|chief|sir|madam|dude|batchgate|assistant)|dear|love|my dear)';

const consent = '(?:permission|approval|okay|ok|blessing|consent|go-ahead|clearance)';
const wishes = any(
  wish,
  'you (?:can|may)(?: now| just| safely)?',
  "(?:you(?:'re| are) )?(?:all )?(?:free|clear|cleared|welcome|allowed|good|okay|ok|fine|set) to",
  "(?:i'?m |i am |we're |we are )?(?:(?:fine|happy|ok|okay|good) for you|happy|ready|safe) to",
  "(?:it|that)(?:'s| is) (?:all )?(?:ok|okay|fine|safe|good|alright|all right) to",
  'go (?:ahead|on|right ahead) and|can|may',
  `(?:i give you |you have |you've got )(?:my |the )?${consent} to`,
);
const politely = `(?:(?:${please}|kindly|just|simply|now|then) )*`;
const how = any(
  'now|then|right now|right away|straight away|immediately|as well|too|already|for me|for us|from here',
  'as (?:you )?(?:planned|proposed|discussed|agreed|usual|suggested|described|shown|listed|they are|it is)',
  "when(?:ever)? you(?:'re| are) ready",
);
const closing = `(?: ${how}){0,2}(?: ${any(please, vocative, 'thanks|thank you')})?`;

export const group = '(?:batch|set|group|round|bunch|chunk|pack|block|step|part|tranche)';
const sized = `(?:(?:the|these|those|this|all|all the|all these|all of these) )?${SIZE}(?: ${things})?(?: of (?:them|these|those))?`;
/** "The lot" is everything, and "this lot" is not. */
const these = any(
  `(?:the|this|that|the current|this current|the open) ${group}|this (?:lot|one)|the whole batch`,
  `${sized}|(?:these|those)(?: ${things}| here| guys)?`,
);
/** Sentences that act, or come before one that does: "ready for this batch, go". */
export const readiness = `(?:i'?m |i am |we're |we are )?(?:all )?(?:ready|set) for (?:it|${these})`;
const next = `(?:(?:the|this) )?(?:next|following|upcoming) ${any(group, things, 'lot|one|few|load', `${SIZE}(?: ${things})?`)}`;
const it = '(?:it|this|that|them|the same)';
const list = '(?:the|this|your) (?:list|selection|choice|plan|preview)';
/** Names more than the batch, so that only verbs of going on have it as their object. */
const work =
  '(?:(?:the|this|our) )?(?:work|job|task|process|processing|run|changes?|updates?|procedure|execution)';

const goesOn =
  'continue(?: on)?|proceed|resume|carry on|go (?:on|ahead|right ahead|forward)|move (?:on|forward|ahead)|press (?:on|ahead)|crack on|push on|keep (?:going|on|at it|on going)|start|begin|get (?:going|started|on|cracking|moving)';
const withIt = any(
  `(?:${goesOn}|go|roll|roll on) with`,
  'start on|begin on|get (?:started|going|working) on|progress with|keep working on|work on',
  '(?:continue|proceed|move on|move|go on|go|on|ahead) to|on ?to|(?:ahead|on) with',
);
const runs =
  'run|do|process|execute|start|begin|launch|kick off|perform|handle|tackle|trigger|initiate|continue|resume|take care of|work through|go through with|go for|carry out|ship';
const approves = 'approve|confirm|accept|authori[sz]e|apply';
/** Verbs that ask for all of it, unless the batch is named. */
const completes = 'complete|finish(?: off| up)?|take|make';

const idioms = any(
  `get ${any(it, these, 'things')} (?:going|started|rolling|moving|under way)|get ${any('it|this', these)} (?:done|over with)`,
  "get (?:cracking|moving|rolling|on it|to it)|keep (?:rolling|moving|at it|it rolling|things moving|it moving|the ball rolling)|let'?s keep (?:going|rolling|moving|at it)",
  `let (?:it|her|'?er|this|these|those|them|'?em) (?:rip|roll|run|go ahead|proceed|continue|through)|roll (?:it|with (?:it|this|that))|hit it|(?:knock|bang) ${any('it', these, 'them')} out|knock out ${these}`,
  'do your (?:thing|magic|stuff)|(?:on|off|away) you go|(?:off|on|away|here) we go|full (?:steam|speed) ahead|bring it on|game on',
  `make it (?:happen|so)|do the needful(?: (?:for|with) ${these})?|(?:just )?do it already|on with it|${please} to (?:continue|proceed|go on|carry on)`,
  "go(?: ahead| on)? when(?:ever)? you(?:'re| are) ready|ready when you are",
  '(?:continue|proceed|go on|go ahead|carry on|keep going) (?:despite|regardless of) (?:the|those|these) (?:errors|failures|failed ones)',
);

const WORDS_OF_ACTION = /^[a-z]+(?:_[a-z]+)?$/;

/** "Archive them", "keep archiving" for an archiving operation: its own action on the open batch. */
function actionsOf(action: string | undefined, batch: string): string[] {
  if (action === undefined || !WORDS_OF_ACTION.test(action)) return [];
  const [verb = '', rest] = action.split('_');
  const ofLabels = action === 'label' || action === 'add_label';
  const as = rest === undefined ? '' : `(?: as)? ${rest}`;
  // "Labeling" and "labelling".
  const doing = any(
    `${verb.replace(/e$/, '')}${verb.at(-1) ?? ''}?ing`,
    ...(ofLabels ? ['tagging|labell?ing'] : []),
  );
  const objects = any(batch, it, `the ${things}`);
  return [
    `${ofLabels ? any(verb, 'label|tag') : verb} (?:${objects}${as}|away)`,
    `(?:${goesOn}|keep)(?: with)?(?: the)? ${doing}(?: ${objects})?${as}|finish ${doing} ${batch}${as}`,
    ...(ofLabels
      ? [
          `(?:${goesOn}) with the labels?|(?:apply|add|set) (?:the|that|this) labels?(?: (?:to|on) ${objects})?`,
        ]
      : []),
  ];
}

/**
 * @param batch.failed Whether the open batch failed: the next one is then not the one that the question is about.
 * @param batch.action The adapter's action, in the words of its name.
 */
export function sentencesThatAct({
  failed,
  action,
}: {
  failed: boolean;
  action?: string | undefined;
}): string {
  const batch = failed ? these : any(these, next);
  const verbs = any(
    goOn,
    runIt,
    `${withIt} ${any(batch, it, list, work, `the ${things}`)}`,
    `(?:${runs}) ${any(batch, `the ${things}`)}|(?:${approves}) ${any(batch, it, list)}|(?:${completes}) ${these}|apply (?:the |these |this )?changes?`,
    `(?:continue|resume|start|begin) ${work}`,
    idioms,
    ...actionsOf(action, batch),
  );
  return any(
    `${politely}(?:${wishes} ${politely})?${verbs}${closing}`,
    `(?:(?:to|for|with) )?(?:all|these|those|all these|all the) ${SIZE}(?: ${things})?(?: of (?:them|these|those))?${closing}`,
    `(?:go|approval|approved|granted|permission granted|clearance) for ${batch}`,
    `${batch} please`,
    ...(failed ? [] : [`(?:(?:${goesOn}) with )?${next} anyway`]),
    `i (?:approve|confirm|accept|authori[sz]e) ${any(batch, it, list)}`,
    '(?:ok|okay|good|clear|cleared|safe|fine) to (?:run|go|start|execute|proceed|continue)',
    // "I want to go" is a farewell.
    'go(?: now| already)?',
  );
}
