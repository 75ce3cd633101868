import {
  any,
  goOn,
  goOnWith,
  operation,
  pause,
  please,
  runBatch,
  runIt,
  thanks,
  whole,
  wish,
} from './grammar';

/** The sentences that refuse, read as those of grammar.ts. */
const no = any('noo?|nope|nah');
// "No, stop" refuses; "no stop" may be a negation, so the pause is needed.
const lead = `(?:${no}(?: ${thanks})? , |${please}${pause} |actually${pause} |sorry , |just |i(?:'ve| have)? changed my mind${pause} ){0,3}`;
/** "Ok, cancel it" agrees to nothing. "Ok stop", word against word, contradicts itself and is no refusal here. */
const concession = `(?:${any('ok|okay|alright|all right|right|well|yes|yep|yeah|sure|fine')}${pause} )?`;

const rest = any(
  '(?:the )?(?:rest|remainder|remaining|others)(?: of (?:it|them))?',
  '(?:the )?remaining (?:items|ones|batches|emails|events|cards|rows)',
);
const stop = any('cancel|stop|abort|halt|quit|terminate');
const here = '(?:right )?(?:here|there)';
const ending = any(
  `${stop} (?:it|that|this|everything|all of it|it all|the whole thing)`,
  `${stop} ${here}|stop processing`,
  '(?:end|kill|drop|scrap) (?:it|this|that)(?: here)?|call it off|no more of (?:it|this|that)',
  `${any(stop, 'end|kill')} ${any(operation, rest)}`,
);
const immediately = '(?: (?:now|right now|right away|immediately|at once))?';
const kindly = `(?:${pause} ${any(please, thanks)})?`;
const wishes = any(wish, 'we (?:can|should)', "(?:i(?:'?d| would) rather|i(?:'d| would)? prefer to|better)");

const goOnAgain = any(
  goOn,
  runIt,
  'run|execute|confirm|approve',
  `${any(goOnWith, runBatch)} ${any('(?:the|this|that) batch', '(?:the )?next (?:batch|one)', operation, rest)}`,
  '(?:do|process|run) any(?:thing)?(?: more)?',
);
const negated = any(
  `(?:don'?t|do not|let'?s not) ${goOnAgain}`,
  `i (?:don'?t|do not) want(?: you)? to ${goOnAgain}`,
  "i (?:don'?t|do not) want (?:it|this|that)|let'?s not",
  `(?:there(?:'?s| is) )?no need(?: to ${goOnAgain})?`,
  `(?:i(?:'?d| would) )?(?:rather|better) not(?: ${goOnAgain})?`,
  `i(?:'d| would)? prefer not to(?: ${goOnAgain})?`,
  "i (?:don'?t|do not) (?:approve|agree|confirm|accept)(?: (?:it|this|that|the batch|this batch))?",
  'not (?:approved|accepted)|not the rest',
);
const ofTheRest = any(
  `(?:leave|skip|ignore|forget(?: about)?|drop) ${rest}(?: alone| out)?`,
  "no more(?: batches)?|(?:that(?:'?s| is) )?enough(?: already)?|leave it (?:there|at that|here)",
  "we(?:'?re| are) done here|i(?:'?m| am) done here",
);
const mind = any('forget (?:about )?(?:it|this|that)', 'never ?mind|nvm');
const verdict = any("(?:i )?(?:reject|decline|refuse)(?: it| this)?|rejected|declined|denied|don'?t|do not");

const plainNo = any(
  `noo?(?:${pause} no)*|nope|nah|n|(?:no|hell no|no) way|hell no`,
  '(?:absolutely|definitely|certainly|of course) not',
);
/** An idiom: the no is what is meant. */
const idiom = `(?:yeah|yea)${pause} (?:no|nah)|(?:ok|okay|yeah)${pause} no (?:thanks|thank you)`;

// Without the pause "no" may negate ("no cancelar").
const after = (...words: string[]): string => `(?:${any(...words)} , )?`;
const foreignNo = any(
  `nein|nein${pause} danke|non|non${pause} merci|no${pause} (?:gracias|grazie)|(?:não|nao)(?:${pause} obrigad[oa])?`,
  `nee|nee${pause} bedankt|nee${pause} dank je`,
);
const foreignStop = any(
  `${after('nein')}(?:bitte )?(?:abbrechen|abbruch|stopp|aufhören)(?:${pause} bitte)?`,
  '(?:bitte )?nicht (?:weiter|fortfahren|weitermachen)',
  `${after('non')}(?:annuler|annulez|annule|arrêter|arrêtez|arrête)`,
  `${after('no')}(?:cancelar|cancela|detener|annulla|annullare|fermati)(?:${pause} por favor)?`,
  `${after('não', 'nao')}(?:cancelar|cancela|cancele)|${after('nee')}(?:annuleren|annuleer|afbreken|stoppen)`,
);

/** Refuses, and so ends the operation. */
export const REFUSE = whole(
  `${lead}(?:${wishes} |i meant (?:to )?)?${any(stop, 'end')}${immediately}${kindly}(?:${pause} (?:👎|🛑))?`,
  `stop(?:${pause} stop)+`,
  `${concession}${lead}(?:${wishes} |i meant (?:to )?)?${ending}${immediately}${kindly}`,
  // With a wish or a "please" the refusal is a sentence, which an assent in front of it only introduces.
  `${concession}${any(`${please} |${wishes} `)}${stop}${immediately}${kindly}`,
  `${concession}${lead}${any(negated, ofTheRest, mind)}${kindly}`,
  `${lead}${verdict}${kindly}`,
  `${lead}${plainNo}(?:${pause} ${thanks})?(?:${pause} 👎)?`,
  idiom,
  '👎|🛑',
  foreignNo,
  foreignStop,
);

/**
 * A refusal that names the end by itself. Any other one ("no", "never mind", "don't") may answer whatever was asked
 * last.
 */
export const NAMES_END = new RegExp(
  `(?:^| )${any(
    'cancel|stop|abort|halt|quit|terminate|end|kill|drop|scrap|off|enough|more|rest|remainder|remaining|others|done',
    'there|here|reject|rejected|decline|declined|denied|refuse|🛑',
    'abbrechen|abbruch|stopp|aufhören|annuler|annulez|annule|arrêter|arrêtez|arrête|cancelar|cancela|cancele|detener',
    'annulla|annullare|fermati|annuleren|annuleer|afbreken|stoppen',
  )}(?: |$)`,
  'u',
);
