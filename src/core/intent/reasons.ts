import { goesOn, NEXT_BATCH } from './grammar';
import { any, whole } from './words';

/** Reasons for a refusal, in words that name no other subject. */
const it = '(?:that|this|it|these|those|they|everything|something)';
const mistake = any(
  `i (?:made|did) (?:a mistake|an error)|${it}(?:'?s|'?re| is| are| was| were| looks?| seems?)(?: all| totally| completely| so| just| clearly)* (?:a mistake|an error|wrong|not right|not what i (?:wanted|want|asked for|meant))`,
  "(?:(?:(?:these|those) (?:are|were)|(?:that|this|it)(?:'?s| is| was)) )?(?:the )?wrong (?:ones?|label|list|emails?|mails?|messages?|events?|cards?|rows?|items?|selection|sender|folder|batch|search|query|filter|account|mailbox|calendar|board|column|table|date|operation|action)",
  '(?:the |totally |completely )?wrong (?:inbox|mailboxes|thing|things|group|person|client|customer|project|team|labels|tags?|status|version|address|file|set|lot|emails|mails|cards|events|rows)',
  "not what i wanted|(?:i(?:'?ve| have)? )?changed my mind(?: about (?:it|this|that|the whole thing|everything))?|(?:all |totally |completely |just )?wrong|(?:i'?m|we'?re) good|(?:by|my) mistake|i clicked by mistake",
);
const who = '(?:i|we)';
const reason = any(
  `${it}(?: isn'?t| is not|'?s not|'?re not| doesn'?t| does not| aren'?t| are not)(?: really)? (?:the (?:right|correct) (?:ones?|list|label|emails?|mails?)|working|right|correct|helping|look(?:ing)? right|work|what i (?:wanted|want|asked for|meant))`,
  `${it}(?:'?s|'?re| is| are| looks| look| seems| seem| went)(?: all| just| so| really| totally| completely)* (?:broken|bad|off|weird|strange|odd|a mess|useless|a disaster|incorrect|pointless|a bad idea|not needed|unnecessary|no longer (?:needed|necessary))`,
  `${it}(?:'?s| is|'?re| are) going (?:all |terribly |very |badly )?wrong|${it} went (?:all )?wrong|that(?:'?s| is) all ${who} (?:need|needed|want|wanted)`,
  `(?:(?:there (?:are|were)|i see|i'?m seeing|we have) )?(?:too|so) many (?:errors|failures|mistakes|problems|wrong ones)`,
  `(?:${it}(?:'?s|'?re| is| are| was| looks| seems) )?(?:far |way |much )?(?:too|so) (?:slow|risky|dangerous|late|expensive|much|many|long|big|confusing|complicated)|${it} (?:takes?|took|is taking) (?:too|so|far too|way too) long|${it} takes forever`,
  `(?:${it}(?:'?s| is| was) )?(?:only|just) (?:a test|testing|an experiment)|(?:${it}(?:'?s| is| was) )?(?:no longer|not) (?:needed|necessary|required|what ${who} (?:wanted|want|asked for|meant|need))|${it} was a test`,
  `${who} (?:did not|didn'?t) (?:mean|want|intend) (?:it|this|that|to (?:start|do|run) (?:it|this|that))|${who} (?:started|did|ran|clicked|confirmed)(?: on)? (?:it|this|that) (?:by (?:accident|mistake)|accidentally)|by accident`,
  `(?:that|this|it)(?:'?s| is| are| was| were| will be|'?ll be) (?:enough|plenty|all ${who} need(?:ed)?)(?: for (?:today|me|us))?|enough for (?:today|me|us)|(?:that|this)(?: will|'?ll) do`,
  `${who}(?:'ll| will| can|'d rather| would rather| already|'ve already| have already|'ve| have)? ?(?:already )?(?:do|did|done|finish|finished|handle|handled|sort|sorted|take care of|took care of) (?:it|this|that|them|these|those|everything|the rest|the others)(?: (?:out|myself|ourselves|by hand|manually|already|elsewhere))*(?! later)`,
  `${who}(?: really)? (?:don'?t|do not|no longer|won'?t|will not) (?:need|want) (?:it|this|that|them|these|those|the (?:rest|others)|any of (?:it|this|them|these)|to(?: do (?:it|this|that))?|(?:the |any |this |these |those |my )?(?:labels?|labell?ing|tags?|changes?|emails?|operation|job|task))(?: any ?more| any longer| more| after all| at all| to continue)*`,
  `${who}(?:'ll not| will not| won't| shan't) (?:be needing|need) (?:it|this|that|them|these|those)(?: any ?more| any longer)?|(?:my|our|the) [a-z]+ (?:says?|said) no(?: (?:labels?|changes)(?: at all)?| to (?:it|this|that))?|(?:legal|finance|management|compliance|support|sales|everybody|everyone) (?:says?|said) no|(?:(?:(?:my|our|the) [a-z]+|legal|finance|management|compliance|support|sales) (?:doesn'?t|does not|don'?t|do not) (?:want|need)|nobody (?:wants|needs)) (?:it|this|that|these|those|them|(?:the |these |any )?labels?|(?:it|these|them) [a-z]+ed)(?: any ?more| any longer| at all| after all)*|(?:these|those|they|this|that)(?: are not| aren'?t|'re not| is not| isn'?t) (?:all )?(?:receipts?|invoices?|bills?|newsletters?|orders?|tickets?|emails?|mails?|cards?|events?)|(?:boss|manager|management|client|customer) says? no|it was a mistake(?: to (?:start|do|run) (?:it|this|that))?|never wanted (?:it|this|that)|i never wanted (?:it|this|that)`,
  `${it} (?:isn'?t|is not|aren'?t|are not|wasn'?t|weren'?t) (?:mine|ours|for (?:me|us))`,
  "(?:(?:das|es|alles)(?: ist| war)?(?: alles)? )?(?:falsch|ein (?:fehler|versehen|irrtum))|falsche[srnm]? [a-zäöüß]+|(?:c'est|c'était) (?:faux|une erreur)|je me suis trompée?|(?:(?:eso|esto) )?(?:es|está) (?:un error|mal|incorrecto)|me equivoqué|me he equivocado",
  "(?:questo )?(?:è|era) (?:sbagliato|un errore)|ho sbagliato|(?:isso )?(?:está|é) (?:errado|um erro)|me enganei|(?:het|dat|dit) is (?:fout|verkeerd|een vergissing)|ich habe mich (?:geirrt|vertan)|ik heb me vergist|(?:(?:he cambiado|cambié) de (?:idea|opinión)|j'ai changé d'avis|ho cambiato idea|mudei de ideia|ik (?:heb me bedacht|ben van gedachten veranderd))",
  `${who} (?:picked|chose|selected|used|took|typed|entered|gave|clicked|pressed|hit|tapped)(?: on)? the wrong (?:one|ones|thing|[a-z]+)|${who} (?:asked for|meant|wanted) (?:something|someone|somebody) else`,
  `(?!(?:[a-z]+ )*(?:never|nobody|not|haven't|hasn't|didn't) )(?:[a-z]+ ){1,4}(?:decided|agreed|chose) (?:not to do|against|against doing) (?:this|it|that)(?: after all)?`,
  `${who} (?:don'?t|do not) like ${it}|${who}(?:'m| am|'re| are) not happy about ${it}|(?:${it}(?:'?s| is) )?not (?:good|correct|right)|(?:that|this|it)(?:'?s| is) good enough|operator error|${who}(?:'ve| have) seen enough`,
  `there(?:'?s| is| are) (?:a |an |some )?(?:mistakes?|errors?|problems?|something wrong)(?: (?:in|with|on) (?:${it}|(?:the|this) (?:list|batch|selection|label)))?|(?:the|that|this) (?:list|label|selection|search|filter|batch|change|sender|query) (?:is|was) (?:wrong|not right|incorrect|a mistake)`,
  `(?:after|with|because of) (?:(?:all )?(?:these|those|that many|so many|the) |[0-9]+ |one |two |three |four |five |several )?(?:failures?|errors?|mistakes?|problems?)|${who}(?:'ve| have)? had (?:it|enough)(?: (?:with (?:it|this|that)|of (?:it|this|that)))?|(?:(?:this|it) )?(?:makes no sense|is(?:n't| not) worth it)|not worth (?:it|the trouble)|this was a (?:mistake|bad idea)|bad idea|${who}(?:'ve| have) (?:reconsidered|thought better of it|thought again)|(?:a )?change of (?:plans?|mind|heart)|plans (?:have )?changed|wrong call|my mistake`,
  "(?:(?:es|da|das) (?:gibt|sind) )?(?:viel )?zu viele fehler|(?:das )?(?:ist|war) (?:ein (?:fehler|irrtum)|keine gute idee|nicht richtig|nicht gut)|(?:das )?(?:stimmt|passt) (?:so )?nicht|das ist nicht was ich (?:wollte|will)|hab(?:e)? mich (?:geirrt|vertan|verklickt)|(?:(?:il y a|ça fait) )?(?:bien )?trop d[’']erreurs|(?:ça|ce) (?:ne )?(?:va|marche) pas|ce n'est pas (?:bon|ce que je (?:voulais|veux))|c'est pas (?:bon|ça|ce que je (?:voulais|veux))",
  '(?:(?:hay|son) )?demasiados errores|(?:eso |esto )?no (?:está bien|es lo que quería|era lo que quería|funciona|sirve)|(?:(?:ci sono|sono) )?troppi errori|(?:questo |così )?non (?:va bene|è quello che volevo|funziona)|(?:(?:há|são|tem) )?(?:muitos|demasiados) erros|(?:isso )?(?:não|nao) (?:está certo|era (?:isso|o que eu queria)|funciona)|(?:(?:er zijn|dat zijn) )?(?:veel )?te veel fouten|(?:dit |dat )?(?:klopt|werkt) niet|(?:dit |dat )is niet (?:goed|wat ik wil(?:de)?)',
  `(?:screw|damn|to hell with) (?:it|this|that)|(?:it|that|this|they|some|something) failed|not needed(?: any ?more)?|${who} got it wrong|i misread (?:it|this)|my bad|my fault|i give up|i take (?:it|that) back`,
);
const REASON = whole(mistake, reason);
export const isReason = (clause: string): boolean => REASON.test(clause);

/** A circumstance: what a person is doing, or a service that works again. */
const CIRCUMSTANCE = whole(
  "(?:i'?m|i am|we'?re|we are|ich bin|bin|je suis|estoy|sono|estou|ik ben|ik zit) (?!not |sure|un|nicht |pas |niet )[^ ]+(?: [^ ]+){0,5}",
  "(?:there(?:'s| is) )?(?:someone|somebody|my [a-z]+)(?:'s| is) (?:at the door|here|calling|ringing|waiting)",
  "(?:the |my )?(?:network|internet|connection|server|service|site|tool|wifi|api|vpn|line|mailbox|account|system)(?:'?s| is| was) (?:back|up|fixed|working|online|ok|okay|fine)(?: (?:now|again|up))*",
  `${it}(?: all)? (?:should never have been|shouldn't have been|should not have been|weren't meant to be|were not meant to be) [a-z]+ed`,
  "(?:they|those|these|the labels|the changes) (?:do not|don't) belong(?: there| here)?",
);
const REVERSES =
  /(?:^| )(?:if|unless|until|but|never|only|except|nur|wenn|si|se|pero|ma|als|sino|mais)(?: |$)/;
/** Whether a clause gives a reason or a circumstance, and asks for nothing. */
export const isAside = (clause: string): boolean =>
  isReason(clause) || (CIRCUMSTANCE.test(clause) && !REVERSES.test(clause));

/** A refusal of the whole operation, or of its rest. Beside it, any other clause counts as the reason. */
export const WHOLE = /(?:^| )(?:everything|whole|entire|it all|operation|job|off|mission|any ?more)(?: |$)/;
/** More than a reason: a condition, a time, an answer, a report or a question. */
const NO_REASON = new RegExp(
  `(?:^| )${any(
    'if|unless|when|whenever|once|until|till|after|before|while|later|tomorrow|tonight|soon|first|next|then|but|maybe|perhaps|probably',
    'continue|proceed|resume|go|goes|keep|start|begin|run|yes|yep|yeah|ok|okay|sure|fine|said|says|say|told|tells|tell|wrote|writes',
    'asked|asks|ask|should|could|would|might|may|what|why|how|who|which|where|whether|or|only|except|just|instead',
    'monday|tuesday|wednesday|thursday|friday|saturday|sunday|for now|wait|hold|undo|retry|again|skip|without',
    'apart|besides|other than|excluding|exception|minus|excepted|stays|keep|keeps|need|needs|exclude|provided|assuming|case|subject|pending',
    'has to|minute|minutes|hour|hours|evening|morning|afternoon|noon|midnight|pm|am|moment|time being|break|course|return|back',
    'think|guess|question|questions|doubt|doubts|idea|depends|certain|possible|safe|shall|way|allowed|sure|know|not|no|never|joke|joking|mad|kidding',
    'circumstances|true|reads|shouting|agree|agrees|approval|approve|confirm|label|tag|these (?:[0-9]+|ten|two|three|four|five|look)|this one|more',
    'cancel|cancels|stop|stops|abort|halt|quit|terminate|end|kill|drop|leave|forget|finish|complete|process|execute|batch',
  )}(?: |$)`,
);
/** A request of its own. */
const REQUEST =
  /^(?:not|never|don'?t|do|does|show|give|make|let|add|use|put|open|move|archive|label|mark|delete|remove|send|call|remind|book|buy|play|turn|set|create|write|read|find|search|take|try|check|look|see|pay|order|list|email|mail|forward|reply|notify|inform|schedule|plan|rename|copy|save|export|print|download|update|merge|share|invite|ping|text|answer) /;
/** At least three whole words. */
const PLAIN_TEXT =
  /^(?=.{1,80}$)(?:[a-zà-öø-ÿ]+(?:'[a-z]+)?|[0-9]{1,6})(?: (?:[a-zà-öø-ÿ]+(?:'[a-z]+)?|[0-9]{1,6})){2,}$/;
export const mayBeReason = (clause: string) =>
  PLAIN_TEXT.test(clause) &&
  ![NO_REASON, REQUEST, NEXT_BATCH].some((pattern) => pattern.test(clause)) &&
  !goesOn(clause);
export const BECAUSE: ReadonlySet<string> = new Set(['because', 'cause', 'cos']);
export const HESITATION = /^(?:(?:u+m+|u+h+|e+r+m*)(?: ,)? )+/;
