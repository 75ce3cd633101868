import { goOn, please, runIt } from './grammar';
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
  '(?:(?:dear |my )?(?:mate|man|bro|buddy|pal|friend|bot|team|guys|folks|boss|chief|sir|madam|dude|batchgate|assistant)|dear|my dear)';

const consent = '(?:permission|approval|okay|ok|blessing|consent|go-ahead|clearance)';
/** The program is to do it. "We can" and "I want to" may also announce what a person does. */
const wishes = any(
  "let'?s|feel free to|i(?: do)? want you to|i(?:'d| would) like you to",
  'you (?:can|may)(?: now| just| safely)?|go (?:ahead|on|right ahead) and',
  "you(?:'re| are) (?:all )?(?:free|clear|cleared|welcome|allowed|good|okay|ok|fine|set) to",
  "(?:i'?m |i am |we're |we are )?(?:fine|happy|ok|okay|good) for you to",
  "(?:it|that)(?:'s| is) (?:all )?(?:ok|okay|fine|safe|good|alright|all right) to",
  `(?:i give you |you have |you've got )(?:my |the )?${consent} to`,
);
/** Before verbs that only go on, and so cannot be about the person's own work. */
const ownWishes =
  "(?:let us|we can|i(?: do)? want to|i(?:'d| would) like to|(?:i'?m |i am |we're |we are )(?:happy|ready|fine|ok|okay) to|(?:ok|okay|fine) to)";
const politely = `(?:(?:${please}|kindly|just|simply|now|then) )*`;
const how = any(
  'now|then|right now|right away|straight away|immediately|already|from here',
  'as (?:you )?(?:planned|proposed|discussed|agreed|suggested|described|shown|listed|they are)',
  "when(?:ever)? you(?:'re| are) ready",
);
const closing = `(?: ${how}){0,2}(?: ${any(please, 'thanks|thank you')})?`;

export const group = '(?:batch|set|group|round|bunch|chunk|pack|block)';
/** "The lot" is everything, and "this lot" is not. A bare number may be a time, or a target. */
const these = any(
  `(?:the|this|that|the current|current|this current|the open) ${group}|this lot|the whole batch`,
  `(?:the|these|those|this|all|all the|all these|all of these) ${SIZE}(?: ${things})?(?: of (?:them|these|those))?|${SIZE} ${things}|(?:these|those)(?: ${things}| here)?`,
);
const next = `(?:(?:the|this) )?next ${any(group, 'lot', `${SIZE}(?: ${things})?`)}`;
const it = '(?:it|this|that|them|the same)';
const list = '(?:the|this|your) (?:list|selection|choice)';
/** Names more than the batch, so that only verbs of going on have it as their object. */
const work =
  '(?:the|this) (?:work|job|task|process|processing|run|plan|changes?|updates?|procedure|execution)';

const goesOn =
  'continue(?: on)?|proceed|resume|carry on|go (?:on|ahead|right ahead|forward)|move (?:on|forward|ahead)|press (?:on|ahead)|crack on|push on|keep (?:going|on|at it|on going)|start|begin|get (?:going|started|on|cracking|moving)';
const runs =
  'run|do|process|execute|start|begin|launch|kick off|perform|handle|tackle|trigger|initiate|continue|resume|take care of|work through|go through with|go for|carry out|ship';
/** With a "please" or a wish, these ask for an approval. */
const approves = 'approve|confirm|accept|authori[sz]e';

const idioms = any(
  `get ${any('it|this', these, 'things')} (?:going|started|rolling|moving|under way)|get ${any('it|this', these)} (?:done|over with)`,
  "get (?:cracking|moving|rolling)|keep (?:rolling|moving|at it|it rolling|things moving|it moving|the ball rolling)|let'?s keep (?:going|rolling|moving|at it)",
  `let (?:it|this|these) (?:rip|roll|run|go ahead|proceed|continue)|let (?:her|'?er|'?em) (?:rip|roll)|roll (?:it|with (?:it|this|that))|hit it|(?:knock|bang) ${any('it', these)} out|knock out ${these}`,
  'do your (?:thing|magic|stuff)|(?:on|off|away) you go|(?:off|on|away) we go|full (?:steam|speed) ahead|bring it on|game on',
  `make it (?:happen|so)|do the needful(?: (?:for|with) ${these})?|(?:just )?do it already|on with it|${please} to (?:continue|proceed|go on|carry on)`,
  "go(?: ahead| on)? when(?:ever)? you(?:'re| are) ready",
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
  const objects = any(batch, 'it|them|these|those');
  return [
    `${ofLabels ? any(verb, 'label|tag') : verb} (?:${objects}${as}|away)`,
    `${ofLabels ? any(verb, 'label|tag') : verb} (?:this batch|these(?: ${SIZE})?(?: ${things})?)${as} (?:too|as well)`,
    `(?:${goesOn}|keep)(?: with)?(?: the)? ${doing}(?: ${any(objects, `the ${things}`)})?${as}|finish ${doing} ${batch}${as}`,
    ...(ofLabels
      ? [
          `(?:${goesOn}) with the labels?|(?:apply|add|set) (?:the|that|this) labels?(?: (?:to|on) ${objects})?`,
        ]
      : []),
  ];
}

/** Sentences that act, or come before one that does: "ready for this batch, go". */
export const readiness = `(?:i'?m |i am |we're |we are )?(?:all )?(?:ready|set) for (?:this batch|these(?: ${SIZE})?(?: ${things})?)|ready when you are`;

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
  const goesOnWith = `(?:${goesOn}|roll on|progress|ahead|on) with ${any(batch, 'this one|it|this|that|them|the same', list, work)}|(?:start|begin|get started) on (?:this batch|these(?: ${SIZE})?(?: ${things})?)|(?:(?:continue|proceed|move on|go on|on) to|on ?to) ${failed ? 'this batch' : any('this batch', next)}|go with (?:it|this|that|this batch|the list|these)`;
  const verbs = any(
    goesOnWith,
    `(?:${runs}) (?:${batch}|this one)|(?:complete|finish(?: off| up)?) ${these}|make these ${SIZE}|apply (?:the |these |this )?changes?`,
    `(?:continue|resume) ${work}`,
    idioms,
    ...actionsOf(action, batch),
  );
  return any(
    `${politely}(?:${wishes} ${politely})?${any(goOn, runIt, verbs)}${closing}`,
    `${politely}${ownWishes} ${politely}${any('continue|proceed|resume|carry on|go on|go ahead|keep going', goesOnWith)}${closing}`,
    `(?:continue|proceed|go on|go ahead|carry on|keep going) ${vocative}`,
    `(?:i (?:hereby )?)?(?:${approves}) ${any(batch, it, list)}(?: now| then)?(?: ${please})?`,
    `(?:(?:to|for|with) )?(?:all|these|those|all these|all the) ${SIZE}(?: ${things})?(?: of (?:them|these|those))?${closing}`,
    `(?:go|approval|approved|permission granted|clearance|permission given|approval given) for ${these}`,
    `(?:${runs}) (?:this batch|this one|these(?: ${SIZE})?(?: ${things})?) (?:too|as well)${closing}`,
    ...(failed ? [] : [`(?:(?:${goesOn}) with )?${next} anyway`]),
    // "I want to go" is a farewell.
    'go(?: now| already)?',
  );
}
