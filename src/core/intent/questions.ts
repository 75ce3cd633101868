import { plainWords } from './classifier';
import { CARDINALS } from './words';

/** The questions and wishes of a person about an operation, besides continue and cancel. */
export type Question =
  | ('items' | 'left' | 'change' | 'undo' | 'errors' | 'status' | 'confirmations')
  | ('retry' | 'take_back' | 'extend');

/** Answered by an operation of its own. */
export type Wish = 'retry' | 'take_back';
export const isWish = (question: Question): question is Wish =>
  question === 'retry' || question === 'take_back';

const the = '(?:the |these |those |all |all the |my )?';
const things =
  '(?:items?|ones|emails?|messages?|mails?|events?|cards?|rows?|batch|next batch|open batch|list)';
const show = '(?:show(?: me)?|list|print|display|tell me|give me|what are|which are|see|let me see)';
const failed = '(?:failed|failing|broken)';
const opening =
  "(?:(?:please|ok|okay|so|and|but|wait|first|hey|hi|hm+|um+|yes|no|why|(?:can|could|would|will) you|(?:can|could|may) i|i(?:'d| would) like to (?:know|see)|i want to (?:know|see)|before i (?:decide|continue|confirm|say yes)|do you know|tell me|just|again|bitte|also|und|aber) )*";
const closing =
  '(?: (?:please|bitte|svp|por favor|per favore|first|so far|now|again|exactly|then|up|pls|thanks|already|yet|actually|in the end|in total|altogether|by now|right now|before i (?:decide|continue|confirm|answer|say yes)|before (?:we|you) (?:continue|go on)))*';
const done =
  '(?:done|do|changed|change|processed|process|finished|finish|completed|handled|touched|updated|labell?ed|archived|moved|deleted|marked|starred|trashed|applied|sent|ran|run|covered|worked|succeeded|gone through)';
const batches =
  '(?:(?:the |this |that )?(?:(?:last|previous|first|latest) )?(?:batch|one|run|operation)|batch [0-9]+)';
const they = `(?:it|that|this|they|these|those|everything|all(?: of (?:it|them|these))?|any(?: of (?:it|them|these))?|some(?: of (?:it|them|these))?|(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten)(?: of (?:it|them|these))?|(?:number|item) [0-9]+|${batches}|the (?:first|last|other|previous) (?:[0-9]+|five|six|seven|eight|nine|ten|twenty)(?: ${things})?)`;
const whole =
  '(?:(?:it|that|this|them|these|those)(?: all)?|everything|all|all of (?:it|that|them)|the (?:whole|entire) (?:thing|lot)|what (?:you|it) (?:just )?(?:did|have done|changed)|what was (?:just )?(?:done|changed)|all (?:the |these )?changes|(?:the |that |this |my |your |those |these )?(?:(?:last|latest|previous|first|whole) )?(?:operation|changes?|batch|batches|one|ones|action|step)|batch [0-9]+' +
  `|(?:the |those |these )?(?:first|last|previous) (?:[0-9]+|${CARDINALS.join('|')})(?: ${things})?)`;
const going = '(?:is|are) (?:it|this|that|things|the operation|everything)';

/** One pattern a question; each spans the whole message, read as the words of it in lower case. */
const GRAMMAR: readonly [Question, string[]][] = [
  [
    'retry',
    [
      `retry(?: (?:it|that|them))?|(?:retry|redo|repeat|rerun) ${the}(?:${failed}|failures|errors)(?: ${things})?`,
      `(?:try|run|do) ${the}(?:${failed}|failures)(?: ${things})? (?:again|once more)`,
      `(?:try|run|do) again (?:with )?${the}(?:${failed}(?: ${things})?|(?:ones?|those|items?) (?:that|which) failed)|retry what failed|try what failed again`,
      `(?:retry|redo|repeat|rerun|try|run|do) ${the}(?:ones?|those|two|three|four|five|[0-9]+|${things}) (?:that|which) (?:failed|didn't work|did not work)(?: again)?|(?:try|run|do) (?:those|these|them) again`,
      'nochmal(?: versuchen)?|versuch(?: es)? (?:nochmal|noch einmal|erneut)|réessa[iy]e[rz]?|essaye encore|inténtalo (?:de nuevo|otra vez)|reintentar|reintenta|riprova|tente de novo|probeer (?:het )?opnieuw',
    ],
  ],
  [
    'undo',
    [
      '(?:can|could) (?:i|we|it|this|that)(?: be)? (?:undo|undone|reverse|reversed|revert|reverted|roll back|rolled back)(?: (?:it|this|that|them))?(?: (?:later|afterwards|after(?: that)?))?',
      'is (?:it|this|that) (?:reversible|undoable|final|permanent)|how (?:can|do) i undo (?:it|this|that)',
    ],
  ],
  [
    'take_back',
    [
      `(?:(?:can|could|would|will) you (?:please )?)?(?:undo|revert|reverse|roll back|rollback|take back)(?: ${whole})?`,
      `(?:i want (?:you )?to|i(?:'d| would) like (?:you )?to|let's|please) (?:undo|revert|reverse|roll back|take back)(?: ${whole})?`,
      `(?:roll|take|put|change|bring) ${whole} back|(?:bring|put|get) (?:them|it|everything|all of them) back(?: (?:as|where|to how|how|the way) (?:it was|they were|it had been)(?: before)?)?`,
      '(?:take|remove) (?:all )?(?:the|those|these|my) (?:labels?|tags?|stars?|marks?) (?:off|away|again)(?: again)?|(?:restore|put back) (?:everything|them|it|all(?: of (?:it|them))?)|(?:mach(?: das)?|alles|das)? ?(?:bitte )?(?:wieder )?rückgängig(?: machen)?|deshaz (?:lo último|todo|eso)|desfaz isso|annule ce que tu as fait|deshazlo|deshacer|annulla quello che hai fatto|desfaz(?:er)?|maak (?:het )?ongedaan',
    ],
  ],
  [
    'extend',
    [
      '(?:extend|prolong|postpone|push back) (?:it|this|that|(?:the|my) (?:deadline|time|question|expiry))(?: (?:by|for|until|to) .{1,40})?',
      "more time|don't let it expire|(?:i|we) (?:need|want)(?: a (?:bit|little))? more time(?: .{1,60})?|(?:i'd like|give me|can i have|could i have|may i have)(?: a (?:bit|little)| some)? (?:more time|(?:[0-9]+|an|one|two|a few|ten|another) more (?:minutes?|hours?)|another (?:[0-9]+ )?(?:minutes?|hour|hours))(?: .{1,60})?",
      'keep (?:it|this|that|the question|the operation) open(?: .{1,60})?|(?:when|until when) (?:does|will|do) (?:it|this|that|the operation|the question|i) (?:expire|end|run out|have(?: to (?:decide|answer))?)|how (?:long|much time) do i have(?: left)?(?: to (?:decide|answer))?',
    ],
  ],
  [
    'errors',
    [
      `(?:${show} )?${the}(?:errors?|failures|${failed} (?:${things}))|how many (?:errors|failures)(?: (?:were|are) there)?|(?:which|what) (?:ones )?went wrong|(?:is|was) there (?:an? |any )?(?:error|failure|problem|issue)|what(?:'?s| is) wrong`,
      `(?:which|what)(?: ${things})?(?: have| has)? failed(?: and why)?|how many(?: of (?:them|these))? (?:did fail|(?:have|has|had) (?:failed|gone wrong))|what (?:are|were|is|was) the (?:errors?|failures?|problems?|issues?)|${show} what (?:failed|went wrong)|(?:why|how come) (?:did|does) (?:that|this|it) happen(?:ed)?|what (?:went|is|was) wrong|(?:are there|were there|any|did you have|have there been) (?:any )?(?:errors|failures|problems|issues)(?: (?:in|with) ${batches})?`,
      `did (?:it|any|anything|any of them|something) (?:fail|go wrong|break)(?: (?:in|with) ${batches})?|(?:what|which) (?:errors|failures)(?: were there| are there)?`,
      `(?:why|how come)(?: did)? (?:it|they|some|that|this|some of them|(?:the |that |this )?(?:last |first )?(?:batch|operation|run)|batch [0-9]+) (?:fail|failed|stop|stopped|break|broke|not work|go wrong|died?)`,
      `(?:why|how come) (?:has|have|is) (?:it|they|that|this|(?:the |that |this )?(?:last )?(?:batch|operation)) (?:failed|stopped|broken)`,
      "what(?:'s| is| was| were) (?:the )?(?:reason|cause|problem|error message|matter)(?: (?:for|of|with) (?:it|that|this|the (?:failure|error|batch)))?",
      `what happened (?:in|with|to) ${batches}`,
      'what (?:happened|caused (?:it|that|this|the (?:failure|error)))(?: there)?(?: (?:to|with) (?:it|the batch|that|(?:number|item) [0-9]+))?',
      "what(?:'s| is) (?:the problem|wrong) with .{1,40}|what errors? (?:did|do|does) .{1,40}|which(?: ones?| items?)? (?:didn't|did not) work|what exactly failed|what does the error mean",
      'gab es (?:fehler|probleme)(?: .{1,20})?|y a t il eu des erreurs|hubo errores|ci sono stati errori|was war (?:das problem|los)|por qué (?:falló|fallaron)|por que (?:falhou|falharam)',
      '(?:what|which)(?: (?:items?|ones))? (?:is|are) (?:still )?in doubt',
      `what(?:'?s| is| was) (?:the |that )?(?:error|failure|issue)(?: .{1,60})?|what (?:went|is|was) wrong (?:with|in|there)(?: .{1,60})?`,
      `(?:why|how come) (?:did|do|does|was|were|are|is|didn't|did not|weren't|wasn't|couldn't|could not)(?: not)? ${they} (?:not .{1,60}|fail(?:ed)?(?: .{1,40})?|stop(?:ped)?|break|broken|go wrong|work|worked|succeed|get (?:stuck|skipped|an error|errors)|skipped|left out|in doubt)`,
      `did ${they} (?:fail|go wrong|break)(?: or (?:only|just) (?:some|a few|part)(?: of (?:it|them))?)?|how many(?: of (?:them|these))? (?:failed|went wrong|had errors)`,
      "(?:warum|wieso|weshalb) (?:hat|ist|sind|haben) .{1,60} (?:geklappt|fehlgeschlagen|gescheitert|funktioniert|schiefgegangen|schief gegangen)|was (?:ging|lief) (?:schief|falsch)|was ist (?:schief|falsch) ?(?:ge)?laufen|was (?:ist|war) (?:schief ?gegangen|passiert|der fehler|los)|pourquoi .{1,60} (?:échoué|marché|fonctionné|planté)(?: .{1,30})?|quelle est l.erreur|(?:qu est ce qui|qu'est ce qui) (?:a échoué|n'a pas (?:marché|fonctionné)|s'est passé)|por qué .{1,40}(?:falló|fallaron|ha fallado|funcionó)(?: .{1,30})?|qué (?:pasó|falló|fallaron|ha fallado|salió mal|ha salido mal|ha pasado)|perché .{1,40}(?:fallito|funzionato)|cosa è andato storto|waarom .{1,40}(?:mislukt|gelukt|fout)(?: .{1,30})?|wat ging er mis",
    ],
  ],
  [
    'confirmations',
    [
      `(?:who|which person) (?:has )?(?:confirmed|approved|accepted|decided|continued|said (?:yes|continue)|started)(?: (?:it|that|this|them|what|${batches}))?`,
      `${show} (?:the )?(?:confirmations|approvals|decisions)|who (?:was|did) (?:it|that)|wer hat (?:das|es|den batch) (?:bestätigt|freigegeben)|qui a (?:confirmé|validé)|quién (?:lo )?(?:confirmó|aprobó)`,
    ],
  ],
  [
    'left',
    [
      `how (?:many|much)(?: ${things}| more)? (?:are|is|remain|do we have|have you)?(?: still)? ?(?:left|remaining|to go|there|missing|done|remain|processed|open)(?: to do)?`,
      `how (?:many|much)(?: more)?(?: ${things})?(?: remain| left| to go| are left| are there| (?:are|is) (?:still )?to (?:do|come|go|be done))?`,
      `(?:what|which)(?:'?s| is| are)? (?:still )?(?:left|remaining|missing)|how many (?:did you do|have been (?:done|processed)|(?:more )?batches(?: are left| left| remain)?)`,
      'wie ?viele? noch(?: .{1,20})?|wie ?viele? sind es(?: noch)?|(?:wie ?viele?|wieviel) (?:sind|ist|bleiben|fehlen|kommen)(?: (?:noch|jetzt|denn))*(?: (?:übrig|da|offen|zu tun))?|combien encore|combien de (?:mails|messages|cartes|éléments) (?:restent|reste t il)|combien en reste t il|combien (?:il )?(?:en )?(?:reste|restent|y en a)(?:[- ]t[- ]il)?(?: encore)?|il en reste combien|combien d.éléments? (?:reste|restent)(?: .{1,20})?|cuánt[oa]s (?:quedan|faltan)(?: todavía| por hacer)?|quant[ie] (?:ne )?(?:restano|mancano)|quant[oa]s (?:faltam|restam)|hoeveel (?:zijn er nog|nog|blijven er over)(?: .{1,10})?',
    ],
  ],
  [
    'change',
    [
      '(?:what|which) (?:label|folder|list|calendar|board|table|value|values|column|change|action|date|member|params|parameters)(?: (?:is it|is that|exactly|will it be|(?:do|will) (?:they|these|those|it) get|will be (?:added|set)|are you (?:using|adding)))?',
      "what(?:'s| is| are| will be) (?:the )?(?:label|change|changes|action|operation)",
      "what (?:will|would|do|does|are|is|'ll) (?:you|it|this|that|continue|we|the (?:operation|batch))(?: going to| gonna| about to)?(?: do| change| be changed| happen)(?: (?:to|with) (?:them|it|the items|these))?",
      'what exactly (?:are|will|would) you .{1,30}|what(?: exactly)? (?:will|would|is going to) be (?:done|changed|updated)|was (?:wird|würde|soll)(?: genau| jetzt| dann)? (?:gemacht|geändert|passieren|getan)|was machst du .{1,20}|qu.est ce que (?:tu|vous|ça) .{1,20}|que (?:vas tu|allez vous|va t il) (?:faire|se passer)|qué (?:vas a|va a) (?:hacer|pasar)|what (?:happens|(?:will|would) happen) to (?:them|it|these|those)|what (?:kind of )?(?:change|label|action) (?:is|are) (?:this|that|it|these)',
      "what(?:'ll| will| would|'s going to| is going to)? happens?(?: next| then| after(?: this| that)?)?(?: (?:if|when) i (?:continue|say yes|say continue|confirm|do))?",
      `${show} the (?:change|changes|details)`,
      "what (?:am i|are we) (?:confirming|approving)|what does this (?:operation|batch) do|what(?:'?s| is) this(?: operation| batch)?(?: about| for)?|was passiert(?: dann| jetzt| danach)?(?: wenn ich .{1,30})?|que se passe t il si je .{1,30}|qué pasa si .{1,30}|describe this batch",
    ],
  ],
  [
    'items',
    [
      `which ${things} are (?:still )?(?:left|missing|remaining|open)|what would be (?:${done})|${show} (?:me )?${batches}|(?:what|which) ${things} (?:are|is) in ${batches}`,
      `which(?: ${things})?|(?:the )?list|(?:what|which) ${things} (?:are|is) (?:these|those|this|that|they|it|in there)|(?:what|which) (?:are|is) (?:these|those|in there|in it)`,
      `(?:which|what) (?:ten|five|[0-9]+)|(?:which|what)(?: ${things})? would (?:that|it|they|those) be|what (?:are|would be|is) (?:the )?next(?: (?:ten|five|[0-9]+|${things}))?|${show} (?:me )?(?:what(?:'s| is) next|the next (?:ten|five|[0-9]+|${things}))|who (?:is|are) (?:number [0-9]+|they|these|those) from|who (?:sent|wrote) (?:it|they|them|these|those|number [0-9]+)|which(?: ${things})? (?:(?:would|will) (?:be|come) next|(?:are|will|would) (?:you|we|be|it)(?: going to)? ${done})|(?:are|is) there (?:any|anything|one) (?:from|by|about) .{1,40}|was ist im (?:nächsten )?batch|montre moi (?:la liste|les .{1,20})`,
      `(?:what|who)(?:'?s| is| was) (?:the )?(?:number|item|nr|no) [0-9]+|what(?:'?s| is) the (?:first|second|third|fourth|fifth|last) (?:one|item|email)|(?:is|are) .{1,60} (?:in|part of|among) (?:it|this|this one|these|there|them|(?:this|the|the next|that) (?:batch|list))`,
      `${show} ${the}(?:[0-9]+|five|six|seven|eight|nine|ten|twenty)(?: ${things})?|what(?:'?s| is) (?:in there|on the list)`,
      'welche(?: .{1,30})?(?: sind (?:das|es|dabei|drin))?|(?:zeig|zeige)(?: sie)?(?: mir)?|(?:zeig|zeige)(?: mir)? (?:die liste|sie|die .{1,20})(?: nochmal)?|was ist (?:drin|dabei|im batch)|lesquel(?:le)?s(?: .{1,30})?|quels sont (?:les|ces) .{1,20}|montre(?:-moi)? (?:la liste|les .{1,20})|(?:cuáles|quiénes) (?:son|hay)(?: .{1,20})?|cuáles|qué (?:correos|mensajes|elementos|tarjetas|eventos)(?: son| hay)?|(?:quels|quelles) (?:mails|emails|messages|éléments|cartes|événements)|muéstrame (?:la lista|los .{1,20})|quali(?: sono)?(?: .{1,20})?|quais(?: são)?(?: .{1,20})?|welke(?: zijn .{1,20})?|laat (?:me )?de lijst zien',
      `which(?: ${things})?|which (?:are they|ones are they|${things} (?:are they|are these|is it|are next|are in (?:it|the batch|the next batch|this batch)))`,
      `what (?:${things}|are they|is next|comes next)|what(?:'?s| is| will be)? (?:next|coming(?: next| up)?)|what(?:'?s| is) ${the}(?:${things})|which ${things} (?:will|would) be ${done}(?: next)?|who(?:'?s| is) in (?:it|there|${batches})|was kommt (?:als nächstes|jetzt|dann)|(?:show me )?what(?:'s| is| comes| will come) (?:(?:in|after) (?:it|the next batch|${batches})|next)`,
      `${show} ${the}(?:${things}|remaining items)|${show} all(?: of (?:them|these))?|which ${things} (?:would|will|do|are) you (?:going to )?${done}|${show} (?:me )?(?:them|it|what)(?: to me)?|show me|${show} (?:me )?${the}(?:${things}) (?:of|in) (?:the|this) (?:next )?batch`,
      `${show} (?:me )?which(?: ${things})?(?: are (?:they|next))?`,
    ],
  ],
  [
    'status',
    [
      `(?:status|progress|state)(?: (?:update|report))?|(?:${show} )?(?:the )?(?:status|progress)(?: of (?:it|the operation))?`,
      `what(?:'?s| is) (?:the )?(?:status|state|progress)(?: (?:of|on|with) .{1,30})?|(?:any )?(?:news|updates?)|what (?:have|has|did|was|were|is|are)(?: (?:you|it|we|they|been|already|so far|the operation|the last batch))* ${done}(?: (?:in|with|to) ${batches})?|how (?:many|much)(?: of (?:them|it|these)| ${things})?(?: (?:have|has|did|was|were|is|are|do|does|you|it|we|they|been|already|so far|the operation))* ${done}`,
      "how(?:'s| is) it looking|how (?:does|do|did) (?:it|that|this|things|they|everything) (?:look|go)|any progress|what(?:'s| is) (?:happening|going on)|what(?:'s| is| are) (?:you|it|this) doing(?: (?:now|there|here))?|are we there yet|how (?:many|much) did (?:you|it) [a-z]+|what(?:'s| has) been (?:changed|done)|give me (?:an? )?(?:status )?update|where (?:were we|did (?:we|you) stop)|how many batches (?:have (?:run|been run)|are there)|how many (?:are|were) done and how many .{1,20}|how (?:much longer|long)(?: (?:will|does|do|is|until|till) .{1,30})?|(?:which|what) batch (?:are we on|is (?:this|it))",
      'wie ?viel(?:e)? (?:ist|sind|hast du) (?:schon|bereits|bisher)(?: .{1,20})?|combien en as[- ]tu .{1,20}|où en sommes[- ]nous|cuánt[oa]s llevas',
      `(?:did|has|have|was|were|is|are) ${they} (?:work|works|worked|go (?:through|well|ok|fine|right)|gone (?:through|well)|succeed|succeeded|run|ran|finish|finished|complete|completed|done|ok|okay|successful|labell?ed|archived|moved|changed|processed)(?: (?:out|ok|well))?`,
      'wie (?:weit|ist der stand|läuft es|läuft.s|sieht.s aus|steht.s)(?: .{1,30})?|was (?:ist|wurde) (?:bisher|schon|bis jetzt) (?:gemacht|passiert|erledigt)|stand|on en est où|où en (?:est-on|es-tu|êtes-vous|sommes-nous|est on|es tu)|(?:ça|comment ça) (?:avance|se passe)|cómo va(?:mos)?(?: .{1,20})?|en qué (?:estado|punto) (?:está|estamos)|qué (?:se ha|has) hecho(?: .{1,20})?|a che punto (?:siamo|sei|è)|come va|como está(?: indo)?|hoe (?:ver|staat het)(?: .{1,30})?',
      `how (?:${going}|far (?:along )?(?:${going}|are (?:you|we))|'s it)(?: (?:going|doing|looking|along|got|gone))?|how's it going|how goes it`,
      `where (?:are we(?: at| now)?|do we stand|does it stand|is it)|what(?:'s| is) (?:the )?(?:status|state|progress)|how far (?:have|did) (?:you|we|it) (?:come|got|gotten|get)`,
      `(?:is|are) (?:it|you|we|the operation) (?:done|finished|ready|running|still running|over)(?: yet)?`,
    ],
  ],
];
/** More sentences are about something else too. */
const MAX_SENTENCES = 3;
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

/** The questions of a message, none twice; none if one of its sentences is not one of these. */
export function readQuestions(text: string): Question[] {
  const question = readQuestion(plainWords(text));
  if (question) return [question];
  const sentences = text.split(/[.?!]+\s+/, MAX_SENTENCES + 1);
  const questions = sentences.flatMap((sentence) => readQuestion(plainWords(sentence)) ?? []);
  const all = sentences.length <= MAX_SENTENCES && questions.length === sentences.length;
  return all ? [...new Set(questions)] : [];
}

/** "Did everything go through?", "how many were changed?" */
const LOOKS_BACK =
  /(?:^| )(?:did|was|were|have|has|been) (?:.* )?(?:everything|all|operation|batch|changed|processed|labell?ed|archived|moved|deleted|marked)(?: |$)|go through/;

/** The questions about an operation that has ended. "How is it going?" may be about anything by then. */
export function asksAfterTheEnd(plain: string): boolean {
  const question = readQuestion(plain);
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

/** Whether a message asks to start what an expired operation did not run. */
export const asksForTheRest = (plain: string): boolean => plain.length <= MAX_LENGTH && REST.test(plain);
