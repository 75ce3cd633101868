import { any } from './words';

/** Sentences made of the words of confirmations that confirm nothing. */

const praise =
  '(?:(?:very )?good|great|perfect|nice|cool|awesome|excellent|super|brilliant|wonderful|lovely|fantastic)';
const thanks =
  "(?:thanks(?: a lot)?|thank you|cheers|well done|(?:good|great|nice|excellent) (?:job|work)|that's settled)";
const GUARDS = [
  // Asks for a confirmation.
  /(?:^| )(?:please|pls|plz|kindly|you to|can you|could you)(?: ,)? (?:confirm|approve|accept|authori[sz]e)(?: |$)/,
  // Asks for less than the batch.
  /(?:^| )(?:just|simply) (?:[a-z]+ )+(?:one|few|part)(?: |$)/,
  // Speaks of this batch, and then of the next one.
  /(?:^| )(?:this batch|these|those)(?: [a-z0-9#]+)? (?:is|are|looks?) .*(?: |^)next(?: |$)/,
  // Irony.
  new RegExp(`^(?:oh|ah)(?: ,)? (?:${praise}|please)(?: |$)|(?:^| )just (?:great|perfect|wonderful)(?: |$)`),
  // A farewell.
  new RegExp(
    `${thanks} , (?:(?:on|off|away) (?:you|we) go|go(?: now| already)?|get going|move on|moving on)$`,
  ),
  /(?:^| )(?:want|like|free|happy) to (?:get going|move on|go)(?: |$)/,
  // The end of a conversation, as "ok thanks" is.
  new RegExp(
    `^${any("d'accord", 'va bene', 'de acuerdo', 'in ordnung', 'passt(?: so)?', 'ist gut so')}(?: ,)? (?:merci|grazie|gracias|danke|obrigad[oa]|bedankt)$`,
  ),
];

/** @param text The form that `normalise` (classifier.ts) gives to a message. */
export const confirmsNothing = (text: string): boolean => GUARDS.some((guard) => guard.test(text));
