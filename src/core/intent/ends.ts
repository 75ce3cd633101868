import { operation } from './grammar';
import { any } from './words';

/**
 * Sentences that end the operation, put together from their parts: a verb, the operation or what remains of it, and how.
 * Each part is a closed list, so that a word of another subject leaves no sentence.
 */

export const thing =
  '(?:emails?|mails?|messages?|events?|cards?|rows?|items?|things?|stuff|letters?|files?|records?|tasks?|appointments?|mailbox|inbox|calendar|board|account|data|database|table|meetings?|spreadsheet|threads?|labels|tags)';
export const doing =
  '(?:labell?ing|unlabell?ing|(?:un)?archiving|deleting|moving|trashing|starring|marking|unmarking|removing|adding|applying|updating|assigning|shifting|patching|processing|changing|modifying|editing|altering|touching|tagging|flagging|inserting|messing (?:around )?with|playing with)';
/** A small number may be a part of what is left. */
const count = '(?:[0-9]{2,}|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)';
const item =
  '(?:emails?|mails?|messages?|events?|cards?|rows?|items?|records?|letters?|files?|things?|changes|labels)';
/** What is left of the operation. */
export const rest = any(
  `(?:all )?(?:the )?(?:rest|remainder|remaining(?: ${count})?|others)(?: of (?:it|this|that|them|these|those|my ${item}|the (?:emails|mails|messages|events|cards|rows|items|batch|batches)))?|everything else`,
  `(?:all )?(?:the )?remaining (?:${count} )?(?:ones|batches|${item})|the other (?:${count}(?: ${item})?|ones)|(?:what|whatever|anything)(?:(?: is|'?s) left| remains)`,
);
export const others = any(
  rest,
  `(?:any(?: of the)? |the )?(?:other|further|more|later) (?:ones|batches|runs|${item})`,
);
export const stop = any('cancel|stopp?|abort|halt|quit|terminate');
const here = '(?:(?:right )?(?:here|there)|at this point)';
/** How an end is meant. */
const forGood = any(
  'now|right now|right away|immediately|at once|asap|straight away|already|after all|this (?:instant|minute|second)',
  'for good|altogether|completely|complete|entirely|permanently|totally|fully|definitively|(?:once and )?for all|for ever|forever|with immediate effect|effective immediately',
);
export const immediately = `(?: ${any(forGood, here)}){0,2}`;

const whole = '(?: (?:whole|entire|complete|full|damn|bloody|stupid|silly|current|running|bulk|batch))*';
const noun = any(
  'operation|job|task|run|thing|request|procedure|exercise|idea|effort|action|update|workflow|mission|change',
  `(?:bulk |batch )?(?:operation|job|action|run)|${doing}(?: (?:task|job|run|process|operation))?`,
);
// "The process" may be one of a computer.
export const theOperation = any(
  operation,
  `(?:the|this|that)${whole} ${noun}|(?:my|our)${whole} (?:operation|request|thing)|(?:this|the whole|the entire|this whole|the bulk) process`,
);
/** All of it, in words that a list of items does not have. */
const everything =
  'everything|it all|this all|all (?:of )?(?:it|this|that)|the (?:whole )?lot|the whole shebang';
const it = any('it|this|that', everything);

/** Verbs that may be about anything by themselves. */
export const endIt = any(
  stop,
  'end|kill|drop|scrap|abandon|withdraw|discard|ditch|discontinue|cease|get rid of|break off|pull out of|call off|shut down|give up(?: on)?',
);
/** Verbs that may be about the items, unless the operation is named. */
const endOperation =
  '(?:axe|bin|nuke|scratch|close down|can|annul|void|revoke|wind up|wind down|throw away|turn off|switch off|put an end to|put a stop to|bring an end to|make an end to|back out of|opt out of)';

/** Sentences that end the operation by themselves. */
export const ending = any(
  `${endIt} ${any(it, theOperation, rest)}`,
  `${endOperation} ${any(theOperation, 'the (?:whole )?lot', 'the whole shebang')}|(?:bin|axe|nuke|scratch) (?:it all|all of it|everything)`,
  `(?:${endIt}) (?:it|this|this batch|these|those) and (?:(?:all )?(?:of )?${rest}|${others}|everything (?:else|after (?:it|that)))`,
  `call ${any(it, theOperation)} off|(?:shut|close) ${any(it, theOperation)} down|wind ${any(it, theOperation)} (?:up|down)|give ${any('it|this', theOperation)} up|(?:turn|switch) ${theOperation} off|throw ${theOperation} away`,
  `${stop} ${here}|${stop} (?:this|that) (?:crap|nonsense|madness|mess|thing)|end (?:(?:it|this|things) )?(?:here|there|now)|stop (?:making|all) (?:the )?changes`,
  `(?:end|close) ${theOperation} ${here}|stop and cancel(?: ${any('it|this|that|everything', rest, operation)})?|${stop} (?:everything|all) (?:that(?:'s| is) )?left`,
  `no more of (?:it|this|that|them|these|those)|i want out|get me out(?: of (?:here|this|it))?|(?:i )?withdraw my request`,
  'cut it out|knock it off|pull the plug(?: on (?:it|this|that|the (?:whole )?(?:operation|job|thing|run)))?|call it quits|(?:put|make) an end to (?:it|this|that)|bring (?:it|this) to an end|abandon ship|call it a day',
  `${any(stop, 'end|kill|abandon|discard|get rid of|drop|scrap')} ${any(others, 'all(?: of (?:it|this|them))?', 'mission|the mission')}`,
  `(?:end|leave|let(?:'?s| us) (?:end|leave|stop|finish)) (?:it|this|things) (?:there|here|at (?:that|this))|(?:put a stop|bring an end) to ${any(theOperation, it)}|back out(?: of (?:it|this|that))?|i(?:'?m| am) (?:out|done with ${any('it|this|that', theOperation)}|pulling out)|count me out|we(?:'?re| are) (?:stopping|ending (?:it|this)|done with (?:it|this|that))`,
  `(?:stop|quit|cease) (?:processing|(?:(?:with )?(?:the|this|that|all) )?${doing}|doing|working(?: on)?)(?: (?:it|this|that|these|those|them|everything|(?:(?:my|the|our|these|any(?: more)?|more) )?${thing}))?|make (?:it|this|that) (?:stop|end)`,
  `${any('it|this|that', theOperation)} (?:must|should|has to|needs to|is to|ought to) (?:stop|end|be (?:stopped|cancell?ed|ended|terminated|aborted|closed))|stop what you(?:'?re| are) doing`,
  `i(?:'m| am) (?:hereby )?(?:cancell?ing|stopping|aborting|ending|terminating|closing)(?: ${any(it, theOperation)})?`,
  `i want (?:it|this|that|everything|${theOperation})(?: all)? (?:to (?:stop|end)|stopped|cancell?ed|ended|over)|bail(?: out)?|(?:discontinue|cease)(?: ${it})?`,
  `consider ${any('it|this|that', theOperation)} (?:cancell?ed|over|ended)`,
);
