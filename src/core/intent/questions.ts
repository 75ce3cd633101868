import { plainWords } from './classifier';
import { isQuestion, meaningOf, type Question } from './meanings';
import { isAside } from './reasons';
import { CARDINALS } from './words';

export type { Question };

/** A wish that an operation of its own answers. */
export type Wish = 'retry' | 'take_back';
export const isWish = (question: Question): question is Wish =>
  question === 'retry' || question === 'take_back';

const things =
  '(?:items?|ones|emails?|messages?|mails?|events?|cards?|rows?|batch|next batch|open batch|list)';
const opening =
  "(?:(?:please|ok|okay|so|and|but|wait|first|hey|hi|hm+|um+|yes|no|(?:can|could|would|will) you|(?:can|could|may) i|i(?:'d| would) like to (?:know|see)|i want to (?:know|see)|before i (?:decide|continue|confirm|say yes)|do you know|tell me|just|again|bitte|also|und|aber|i can't see the list|not ready) )*";
const closing =
  '(?: (?:please|bitte|svp|por favor|per favore|first|so far|now|again|exactly|then|up|pls|thanks|already|yet|actually|in the end|in total|altogether|by now|right now|before i (?:decide|continue|confirm|answer|say yes)|before (?:we|you) (?:continue|go on)))*';
const done =
  '(?:done|do|changed|change|processed|process|finished|finish|completed|handled|touched|updated|labell?ed|archived|moved|deleted|marked|starred|trashed|applied|sent|ran|run|covered|worked|succeeded|gone through)';
const batches =
  '(?:(?:the |this |that )?(?:(?:last|previous|first|latest) )?(?:batch|one|run|operation)|batch [0-9]+)';
const figure = `(?:[0-9]+|${CARDINALS.join('|')})`;
const place = `(?:(?:number|item|nr|no) ${figure}|the (?:first|second|third|fourth|fifth|last) (?:one|item|email|card|event|row|message))`;
const they = `(?:it|that|this|they|these|those|everything|all(?: of (?:it|them|these)| (?:the )?${figure})?|any(?: of (?:it|them|these))?|some(?: of (?:it|them|these))?|${figure}(?: of (?:it|them|these))?|${place}|${batches}|the (?:first|last|other|previous) ${figure}(?: ${things})?)`;
/** The purpose or the length of more time. */
const until =
  '(?:(?:to|for|until|till|by) .{1,40}|(?:another|an|one|[0-9]+)(?: more)?(?: [0-9]+)? (?:hours?|minutes?|days?)|keep (?:it|this) open .{1,30})';
const whole = `(?:(?:it|that|this|them|these|those)(?: all)?|everything|all of (?:it|them)|(?:the|those|these) ${figure})`;

/**
 * The questions and wishes that name something of their own, such as an item; all others are read by the notions of their
 * words (meanings.ts). Each pattern spans the whole message, in the words of it in lower case.
 */
const GRAMMAR: readonly [Question, string[]][] = [
  [
    'take_back',
    [
      `(?:take|roll|put|change|bring|get|move|turn) ${whole} back(?: (?:to )?(?:as|where|how|the way) (?:it was|they were|it had been)(?: before)?)?`,
    ],
  ],
  [
    'extend',
    [
      '(?:extend|prolong|postpone|push back) (?:it|this|that|(?:the|my) (?:deadline|time|question|expiry))(?: (?:by|for|until|to) .{1,40})?',
      `more time|don't let it expire(?: ${until}| i need .{1,30})?|(?:i|we) (?:need|want)(?: a (?:bit|little))? more time(?: ${until})?|(?:i'd like|give me|can i have|could i have|may i have)(?: a (?:bit|little)| some)? (?:more time|(?:[0-9]+|an|one|two|a few|ten|another) more (?:minutes?|hours?)|another (?:[0-9]+ )?(?:minutes?|hour|hours)|(?:until|till) .{1,40} to (?:answer|decide))(?: ${until})?`,
      `keep (?:it|this|that|the question|the operation) open(?: (?:longer|${until}))?|(?:until when|when) (?:do|can|must) i (?:have to )?(?:decide|answer)|(?:when|until when) (?:does|will) (?:it|this|that|the operation|the question) (?:expire|end|run out)|how (?:long|much time) do i have(?: left)?(?: to (?:decide|answer))?`,
    ],
  ],
  [
    'errors',
    [
      `(?:why|how come) (?:did|do|does|was|were|are|is|didn't|did not|weren't|wasn't|couldn't|could not)(?: not)? ${they} (?:not .{1,60}|fail(?:ed)?(?: .{1,40})?|stop(?:ped)?|break|broken|go wrong|work|worked|succeed|get (?:stuck|skipped|an error|errors)|skipped|left out|in doubt)`,
      `(?:why|how come)(?: (?:has|have|is|did))? ${they} (?:fail(?:ed)?|stop(?:ped)?|br(?:eak|oke|oken)|not work|go wrong|die|died)`,
      `(?:did|were|was) ${they} (?:all )?(?:fail|go wrong|break|ok|okay|fine)(?: (?:and|or) (?:did )?(?:only |just )?(?:some|a few|part)(?: of (?:it|them))?(?: fail)?)`,
      `did (?:it|any|anything|any of them|something) (?:fail|go wrong|break)(?: (?:in|with) ${batches})?`,
      "what(?:'s| is| was| were) (?:the )?(?:reason|cause|error message|matter)(?: (?:for|of|with) (?:it|that|this|the (?:failure|error|batch)))?",
      `what(?:'?s| is| was) (?:the |that )?(?:error|failure|issue|problem)(?: .{1,60})?|what (?:went|is|was) wrong (?:with|in|there)(?: .{1,60})?|what errors? (?:did|do|does) .{1,40}|what(?:'s| is) (?:up|wrong) with ${they}`,
      '(?:warum|wieso|weshalb|pourquoi|por qué|por que|perché|waarom) .{1,60} (?:geklappt|fehlgeschlagen|gescheitert|funktioniert|schiefgegangen|échoué|marché|fonctionné|planté|falló|fallaron|fallado|funcionó|fallito|falliti|funzionato|falhou|falharam|mislukt|gelukt)',
    ],
  ],
  [
    'change',
    [
      '(?:what|which) (?:label|folder|list|calendar|board|table|value|values|column|change|action|date|member|params|parameters)(?: (?:is it|is that|exactly|will it be|(?:do|will) (?:they|these|those|it) get|will be (?:added|set)|are you (?:using|adding)))?',
      "what exactly (?:are|will|would) you .{1,30}|what(?: exactly)? (?:will|would|is going to) be (?:done|changed|updated)|what(?:'s| is) (?:the )?(?:change|label called)|(?:show me|describe) (?:the change|this batch)",
    ],
  ],
  [
    'items',
    [
      `(?:what|who)(?:'?s| is| was) ${place}|(?:is|are) .{1,60} (?:in|part of|among|one of) (?:it|this|this one|these|there|them|(?:this|the|the next|that) (?:batch|list))`,
      `who (?:is|are) (?:${place}|they|these|those) from|who (?:sent|wrote) (?:it|they|them|these|those|${place})|(?:are|is) there (?:any|anything|one) (?:from|by|about) .{1,40}`,
      `what (?:comes|is|will come) (?:after|in) (?:this|it|${batches})|(?:remind me )?(?:what|which) ${things} (?:we're talking about|are we talking about|(?:would|will) (?:you|be) ${done}(?: next| now)?)|what would (?:you|be) ${done}(?: next| now)?`,
    ],
  ],
  [
    'status',
    [
      `(?:did|has|have|was|were|is|are) ${they} (?:(?:all )?(?:get|got|gotten) (?:the|its|their|a) labels?|work|works|worked|go (?:through|well|ok|fine|right)|gone (?:through|well)|succeed|succeeded|run|ran|finish|finished|complete|completed|done|ok|okay|successful|labell?ed|archived|moved|changed|processed)(?: (?:out|ok|well))?`,
      `how (?:long|much longer) (?:will|does|is) ${they}(?: going to)? (?:take|last|need)|what(?:'s| is| are) (?:you|it|this) doing|what (?:did|have) you (?:do|done) (?:in|with) ${batches}|where did (?:we|you) stop|(?:which|what) batch (?:are we on|is (?:this|it))|(?:am i|are we) (?:on|at|in) batch .{1,20}`,
      `what(?:'s| has)? happened (?:to|with) ${they}|(?:what(?:'s| has)? happened (?:to|with) .{1,40} )?(?:is|was|has|did) .{1,40} (?:been )?(?:(?:get|got) (?:the|its|a) label|labell?ed|archived|processed)(?: (?:yet|already|now))?`,
    ],
  ],
];
/** A message with more sentences is about something else too. */
const MAX_SENTENCES = 3;
/** The maximum length of a question in UTF-16 units. The patterns are not tried on longer messages. */
const MAX_LENGTH = 200;
const PATTERNS = GRAMMAR.map(
  ([question, patterns]) =>
    [question, new RegExp(`^${opening}(?:${patterns.join('|')})${closing}$`, 'u')] as const,
);

/** @param plain The words of a message, as `plainWords` (classifier.ts) returns them. */
export function readQuestion(plain: string): Question | undefined {
  if (plain.length > MAX_LENGTH) return undefined;
  const question = PATTERNS.find(([, pattern]) => pattern.test(plain))?.[0];
  if (question) return question;
  const meaning = meaningOf(plain);
  return meaning !== undefined && isQuestion(meaning) ? meaning : undefined;
}

/** The questions of a message, none twice; none if one of its sentences is not one of these. */
export function readQuestions(text: string): Question[] {
  const question = readQuestion(plainWords(text));
  if (question) return [question];
  const sentences = text.split(/(?<=[.?!])\s+/, MAX_SENTENCES + 1);
  const questions = sentences.flatMap((sentence) => readQuestion(plainWords(sentence)) ?? []);
  const all = sentences.length <= MAX_SENTENCES && questions.length === sentences.length;
  if (all) return [...new Set(questions)];
  const main = readQuestion(mainWords(text));
  return main ? [main] : [];
}

const CLAUSES = /(?<=[.?!,;])\s+|\s[-–—]\s/;
const MAX_CLAUSES = 5;

/** A message's words without clauses that only give a reason or a circumstance; empty if it has no such clauses. */
export function mainWords(text: string): string {
  const clauses = text.split(CLAUSES, MAX_CLAUSES + 1).map(plainWords);
  const main = clauses.filter((clause) => !isAside(clause));
  return clauses.length <= MAX_CLAUSES && main.length < clauses.length ? main.join(' ') : '';
}

/** "Did everything go through?", "how many were changed?" */
const LOOKS_BACK =
  /(?:^| )(?:did|was|were|have|has|been) (?:.* )?(?:everything|all|operation|batch|changed|processed|labell?ed|archived|moved|deleted|marked|label|labels)(?: |$)|go through|made it|outcome|results?$|^how(?:'d| did) (?:it|that|this|everything) (?:go|end|turn)|ausgegangen|geklappt|ergebnis|donné|tout est|résultat|terminó|acabó|salió|resultado|andat[ao] |risultato|terminou|acabou|tudo certo|resultaat|afgelopen|gelukt/;

/** Whether a message asks about an operation that has ended. "How is it going?" may be about anything by then. */
export function asksAfterTheEnd(text: string): boolean {
  const plain = plainWords(text);
  const question = readQuestions(text)[0];
  return (
    (question === 'status' && LOOKS_BACK.test(plain)) ||
    question === 'errors' ||
    question === 'retry' ||
    question === 'confirmations' ||
    question === 'take_back'
  );
}

const remaining = '(?:the )?(?:rest|remainder|others|remaining(?: (?:items|ones|emails|events|cards|rows))?)';
const REST = new RegExp(
  `^${opening}(?:(?:run|do|process|start|resume|finish|continue(?: with)?|go on with|try) ${remaining}|resume(?: it)?)${closing}$`,
);

/** Whether a message asks to run the rest of an expired operation. */
export const asksForTheRest = (plain: string): boolean => plain.length <= MAX_LENGTH && REST.test(plain);
