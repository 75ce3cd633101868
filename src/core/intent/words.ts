/** Parts of the patterns. Messages arrive in the form that `normalise` (classifier.ts) gives them. */
export const any = (...parts: string[]): string => `(?:${parts.join('|')})`;
/** Every pattern spans the whole message. */
export const whole = (...sentences: string[]): RegExp => new RegExp(`^${any(...sentences)}$`, 'u');
export const pause = '(?: ,)?';
/** A pattern whose sentences all have one of the words, so that it is only tried on texts that have one. */
export const naming = (oneOf: RegExp, pattern: RegExp): Pick<RegExp, 'test'> => ({
  test: (text) => oneOf.test(text) && pattern.test(text),
});

/** Pictures that agree, and some that are only friendly. None of them is used for irony. */
export const THUMBS = '👍|👌|✅';
export const SMILES = '🙏|😊|🙂|☺|🥳|❤|🚀|💪|🎉|🙌|👏|✨|💯|🖖|🤝|➡|▶|⏩|⏭|✔|☑|🆗';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words of an answer to the open question. A message with one of them and no other subject is about the question. */
export const ANSWER_WORDS = words(`
  continue continues continued continuing continuation proceed proceeds proceeding resume resumed ahead carry keep
  next start started starting begin run execute confirm confirms confirmed confirmation approve approves approved
  approval accept accepted agree agreed lgtm ship
  cancel cancels canceled cancelled canceling cancelling cancellation stop stops stopped stopping abort aborted
  aborting quit halt terminate end exit reject rejected decline declined refuse enough nevermind nvm forget
  pause paused wait waiting hold hang skip undo revert rollback retry again finish finished complete completed
  yes yess yep yup yeah yea ye ya y aye no noo nope nah n ok okk okay okey k kk alright fine sure absolutely
  definitely certainly affirmative maybe perhaps probably depends hmm hm great perfect nice cool later
  don't dont never restart restarted redo batch batches bulk operation rest remaining remainder
  ja weiter weitermachen fortfahren oui continuer continuez sí si adelante continuar continúa continúe continua sì
  continuare procedi avanti sim prosseguir doorgaan siguiente volgende nein abbrechen abbruch stopp non annuler
  annulez arrêter arrêtez arrête cancelar cancela detener annulla fermati não nao nee annuleren afbreken
  ys stp procede
  👍 👌 ✅ 👎 🛑 ❌ 🚫 ⛔ ✋ ✔ ☑ 🆗 💯 🙌 ▶ ⏩ ⏭ ⏸ ⏹
`);

/** One to twenty. */
export const CARDINALS = (
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen twenty'
).split(' ');
const COUNT =
  '(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty)';
/** Answers whose single words have no meaning, as part of a message or as all of it. */
export const ANSWER_PHRASES = new RegExp(
  "(?:^| )(?:do (?:it|so|that|them|these)|go (?:on|for it)|let'?s (?:go|do)|(?:sounds|looks) good|of course" +
    '|by all means|not (?:yet|now)|(?:leave|drop|scrap) it|(?:rather|better) not|chang(?:e|ed) my mind|that works|works for me)(?: |$)' +
    `|(?:first|next|last|final|another) (?:${COUNT}|batch)|${COUNT} more` +
    '|^(?:help|what (?:can|do|should) i (?:say|do|type|answer|reply)|what are my options)$' +
    "|^(?:done|ready|good|correct|right|exactly|true|that'?s it|(?:i'm|we're|i am|we are) (?:done|good|ready))$",
  'u',
);

/** An answer with a word or two more, which may be misspelt: "yes pleae", "no sir". */
export const SHORT_ANSWER =
  /^(?:yes|yess|yesh|yepp?|yap|yup|yeah|yea|ye|ya|yas|ofcourse|no|nop|nope|nopes|nah|ok|okay|okey|sure|ja|nein)(?: [^ ]+){0,2}$|^(?:stop|cancel|abort|halt|quit)(?: (?:it|this|that|everything))? [^ ]{1,3}$|^(?:[^ ]+ ){1,3}(?:cancel|stop|abort)$/u;

/**
 * An answer with a part or a condition of its own ("continue but skip Bob", "skip Bob and continue"), for any names.
 * The answer comes first, or last after the items to leave out.
 */
const ANSWER =
  '(?:yes|yep|yeah|ok|okay|sure|fine|y|continue|proceed|resume|go (?:on|ahead)|run it|do it|all|all of (?:it|them)|everything)';
export const QUALIFIED_ANSWER = new RegExp(
  `^(?:please )?${ANSWER} (?:please )?(?:but|except|excluding|without|skip|skipping|minus|not|if|unless|once|only|as long as|provided) ` +
    '|^(?:(?:please|ok|yes) )?(?:skip|exclude|omit|leave out) [^ ]' +
    `|^(?:(?:please|ok|yes) )?leave .+ out(?: and ${ANSWER}|$)`,
  'u',
);

/**
 * Words for an amount: an answer by themselves ("all of them"), but a request of its own beside an action ("archive
 * all").
 */
export const AMOUNT_WORDS = words('all everything every entire whole both half');

/** Verbs of bulk operations. */
export const ACTION_WORDS = words(`
  label labels labeling labelling unlabel archive unarchive delete deleting move moving trash star mark remove add
  update assign respond shift patch process processing
`);

/** Words that bring no subject of their own. */
export const SMALL_WORDS = words(`
  i i'm i'd i'll i've im me my mine we we're we'd us our you your you're u he she they them their it its it's
  this that that's thats these those there here what what's who which when where why how
  a an the of to in on at by for from with without within about as up down out off over into onto
  and or but if unless until till then than so because while after before except only just also too even still
  am is are was were be been being do does did done doing have has had having can can't could should shouldn't
  would wouldn't will won't may might must shall let let's lets go goes going gonna want wants wanted wanna need
  needs like mean meant think thought say says said saying tell told ask asked know guess suppose hope see check
  make made get got give take look looks sound sounds feel free work works call try change changed mind word
  not isn't doesn't didn't wasn't aren't nothing none any some more less few many much most each other another
  else same different way
  one ones two three four five six seven eight nine ten twenty first second third last previous current time times
  once twice x now right today tonight tomorrow yesterday morning afternoon evening night noon midnight week month
  day days hour hours minute minutes min mins second seconds sec moment bit soon yet already immediately
  monday tuesday wednesday thursday friday saturday sunday am pm always everytime automatically whatever
  scratch mission course thing final leave drop anyway regardless force exactly sir asking please pls plz thanks thank thx ty sorry actually really well oh hey hi um uh good better bad safe ready
  correct wrong problem problems worries possible necessary true false happen happens fail fails works
  item items email emails mail mails message messages event events card cards row rows failed errors error
`);

/** The operation or a batch of it by name, in text of single-spaced lower-case words. */
export const NAMES_OPERATION = new RegExp(
  '(?:^| )(?:bulk (?:operation|action|job|run)s?' +
    '|(?:the|this|that|these|those|next|current|whole|entire|each|every|all|which|other|more|[0-9]+|two|three)' +
    ' (?:batch(?:es)?|operations?)|batch [0-9]+)(?: |$)',
  'u',
);

const PUNCTUATION_AND_ARTICLES = new Set([',', 'the', 'it', 'to', 'with']);

/** An answer that repeats itself may ask for two batches. */
export function repeatsAWord(text: string): boolean {
  const words = text
    .replace('thank you', 'thanks')
    .split(' ')
    .filter((word) => !PUNCTUATION_AND_ARTICLES.has(word));
  return new Set(words).size < words.length;
}
