/** The questions and wishes of a person about an operation, besides continue and cancel. */
export type Question =
  'items' | 'left' | 'change' | 'undo' | 'errors' | 'status' | 'confirmations' | 'retry' | 'take_back';

const the = '(?:the |these |those |all |all the |my )?';
const things =
  '(?:items?|ones|emails?|messages?|mails?|events?|cards?|rows?|batch|next batch|open batch|list)';
const show = '(?:show(?: me)?|list|print|display|tell me|give me|what are|which are|see|let me see)';
const failed = '(?:failed|failing|broken)';
const opening = '(?:(?:please|ok|okay|so|and|but|wait|first|can you|could you|would you) )*';
const closing = '(?: (?:please|first|so far|now|again|exactly|then|up|pls|thanks))*';
const whole =
  '(?:it|that|this|everything|all|all of (?:it|that|them)|them|what (?:you|it) (?:did|have done|changed)|(?:the |that |this |my |your |those |these )?(?:(?:last|latest|previous|first|whole) )?(?:operation|changes?|batch|batches|one|ones|action|step)|batch [0-9]+)';
const going = '(?:is|are) (?:it|this|that|things|the operation|everything)';

/** One pattern a question; each spans the whole message, read as the words of it in lower case. */
const GRAMMAR: readonly [Question, string[]][] = [
  [
    'retry',
    [
      `(?:retry|redo|repeat|rerun) ${the}(?:${failed}|failures|errors)(?: ${things})?`,
      `(?:try|run|do) ${the}(?:${failed}|failures)(?: ${things})? (?:again|once more)`,
      `(?:try|run|do) again ${the}${failed}(?: ${things})?|retry what failed|try what failed again`,
    ],
  ],
  [
    'take_back',
    [
      `(?:undo|revert|reverse|roll back|rollback|take back)(?: ${whole})?`,
      `(?:i want (?:you )?to|i'd like (?:you )?to|let's|please) (?:undo|revert|reverse|roll back|take back)(?: ${whole})?`,
      `(?:roll|take|put|change|bring) ${whole} back|(?:bring|put|get) (?:them|it|everything|all of them) back(?: (?:as|where) (?:it was|they were))?`,
    ],
  ],
  [
    'errors',
    [
      `(?:${show} )?${the}(?:errors?|failures|${failed} (?:${things}))`,
      `(?:which|what)(?: ${things})? failed|what (?:went|is|was) wrong|(?:are there|were there|any|did you have) (?:any )?(?:errors|failures)`,
      'did (?:it|any|anything|any of them|something) fail|(?:what|which) (?:errors|failures)(?: were there| are there)?',
      `(?:why|how come)(?: did)? (?:it|they|some|that|this|some of them|(?:the |that |this )?(?:last |first )?(?:batch|operation|run)|batch [0-9]+) (?:fail|failed|stop|stopped|break|broke|not work|go wrong|died?)`,
      `(?:why|how come) (?:has|have|is) (?:it|they|that|this|(?:the |that |this )?(?:last )?(?:batch|operation)) (?:failed|stopped|broken)`,
      "what(?:'s| is| was| were) (?:the )?(?:reason|cause|problem|error message|matter)(?: (?:for|of|with) (?:it|that|this|the (?:failure|error|batch)))?",
      'what (?:happened|caused (?:it|that|this|the (?:failure|error)))(?: (?:to|with) (?:it|the batch|that))?',
      '(?:what|which)(?: (?:items?|ones))? (?:is|are) (?:still )?in doubt',
    ],
  ],
  [
    'confirmations',
    [
      '(?:who|which person) (?:has )?(?:confirmed|approved|accepted|decided|continued|said (?:yes|continue)|started)(?: (?:it|that|this|the batch|the last batch|them|what))?',
      `${show} (?:the )?(?:confirmations|approvals|decisions)|who (?:was|did) (?:it|that)`,
    ],
  ],
  [
    'left',
    [
      `how (?:many|much)(?: ${things}| more)? (?:are|is|remain|do we have|have you)?(?: still)? ?(?:left|remaining|to go|there|missing|done|remain|processed|open)`,
      `how (?:many|much)(?: more)?(?: ${things})?(?: remain| left| to go| are left| are there)?`,
      `(?:what|which)(?:'s| is| are)? (?:still )?(?:left|remaining|missing)|how many (?:did you do|have been (?:done|processed)|batches(?: are left| left| remain)?)`,
    ],
  ],
  [
    'undo',
    [
      '(?:can|could) (?:i|we|you|it|this|that)(?: be)? (?:undo|undone|reverse|reversed|revert|reverted|roll back|rolled back)(?: (?:it|this|that|later))?',
      'is (?:it|this|that) (?:reversible|undoable|final|permanent)|how (?:can|do) i undo (?:it|this|that)',
    ],
  ],
  [
    'change',
    [
      '(?:what|which) (?:label|folder|list|calendar|board|table|value|values|column|change|action|date|member|params|parameters)(?: (?:is it|is that|exactly|will it be|do they get|will be (?:added|set)|are you (?:using|adding)))?',
      "what(?:'s| is| are) (?:the )?(?:label|change|changes|action|operation)",
      "what (?:will|would|do|does|are|is|'ll) (?:you|it|this|that|continue|we|the (?:operation|batch))(?: going to| gonna)?(?: do| change| be changed| happen)(?: (?:to|with) (?:them|it|the items|these))?",
      "what(?:'ll| will| would|'s going to| is going to)? happens?(?: (?:if|when) i (?:continue|say yes|say continue|confirm|do))?",
      `${show} the (?:change|changes|details)`,
      'what (?:am i|are we) (?:confirming|approving)|what does this (?:operation|batch) do|what is this(?: operation| batch)?(?: about)?|describe this batch',
    ],
  ],
  [
    'items',
    [
      `which(?: ${things})?|which (?:are they|ones are they|${things} (?:are they|are these|is it|are next|are in (?:it|the batch|the next batch|this batch)))`,
      `what (?:${things}|are they|is next|comes next)|what(?:'s| is) (?:in (?:it|the batch|the next batch|this batch)|next)`,
      `${show} ${the}(?:${things}|remaining items)|${show} (?:me )?(?:them|it|what)|show me|${show} (?:me )?${the}(?:${things}) (?:of|in) (?:the|this) (?:next )?batch`,
      `${show} (?:me )?which(?: ${things})?(?: are (?:they|next))?`,
    ],
  ],
  [
    'status',
    [
      `(?:status|progress|state)(?: (?:update|report))?|(?:${show} )?(?:the )?(?:status|progress)(?: of (?:it|the operation))?`,
      `how (?:${going}|far (?:along )?(?:${going}|are (?:you|we))|'s it)(?: (?:going|doing|looking|along|got|gone))?|how's it going|how goes it`,
      `where (?:are we|do we stand|does it stand|is it)|what(?:'s| is) (?:the )?(?:status|state|progress)|how far (?:have|did) (?:you|we|it) (?:come|got|gotten|get)`,
      `(?:is|are) (?:it|you|we|the operation) (?:done|finished|ready|running|still running|over)(?: yet)?`,
    ],
  ],
];
/** A longer message is no question of these. In UTF-16 units; the patterns are only tried on shorter ones. */
const MAX_LENGTH = 200;
const PATTERNS = GRAMMAR.map(
  ([question, patterns]) =>
    [question, new RegExp(`^${opening}(?:${patterns.join('|')})${closing}$`, 'u')] as const,
);

/** @param plain The words of a message, as `plainWords` (intent.ts) gives them. */
export function readQuestion(plain: string): Question | undefined {
  if (plain.length > MAX_LENGTH) return undefined;
  return PATTERNS.find(([, pattern]) => pattern.test(plain))?.[0];
}

/** The questions about an operation that has ended. "How is it going?" may be about anything by then. */
export function asksAfterTheEnd(plain: string): boolean {
  const question = readQuestion(plain);
  return (
    question === 'errors' || question === 'retry' || question === 'confirmations' || question === 'take_back'
  );
}

const remaining = '(?:the )?(?:rest|remainder|others|remaining(?: (?:items|ones|emails|events|cards|rows))?)';
const REST = new RegExp(
  `^${opening}(?:(?:run|do|process|start|resume|finish|continue(?: with)?|go on with|try) ${remaining}|resume(?: it)?)${closing}$`,
);

/** Whether a message asks to start what an expired operation did not run. */
export const asksForTheRest = (plain: string): boolean => plain.length <= MAX_LENGTH && REST.test(plain);
