import { any } from './words';

/** Sentences made of the words of confirmations that confirm nothing. */

const praise =
  '(?:(?:very )?good|great|perfect|nice|cool|awesome|excellent|super|brilliant|wonderful|lovely|fantastic)';
const ironic =
  '(?:please|sure|of course|absolutely|definitely|totally|by all means|be my guest|knock yourself out)';
const thanks =
  "(?:thanks(?: a lot)?|thank you|cheers|well done|(?:good|great|nice|excellent) (?:job|work)|that's settled)";
const abroad = '(?:merci|grazie|gracias|danke|obrigad[oa]|valeu|bedankt|спасибо)';
const leaving =
  "(?:(?:puoi|potete) andare|andiamo|parti|vai pure|pode ir|podes ir|vamos|venga|on y va|allez|auf geht'?s|c'est bon pour moi|поехали)";
const GUARDS = [
  // Asks for a confirmation.
  /(?:^| )(?:please|pls|plz|kindly|you to|can you|could you)(?: ,)? (?:confirm|approve|accept|authori[sz]e)(?: |$)/,
  /(?:^| )confirm (?:(?:it|this|that|them|these|the|your|my|next|batch|list|choice|selection|ten|10) ?){0,4}(?:, )?(?:please|thanks|thank you)$|(?:^| )confirm your /,
  // What a person does, or may do.
  /(?:^| )(?:(?:i|we)(?: do)? want to|(?:i|we)(?:'d| would) like to|we can|let us) (?:do|run|process|execute|launch|label|tag|confirm|approve|handle|take)(?! (?:the|this)(?: next)? batch)(?: |$)/,
  /(?:^|(?:^| )we )may [a-z]+/,
  // Asks for less than the batch.
  /(?:^| )(?:just|simply) (?:[a-z]+ )+(?:one|few|part)(?: |$)/,
  // Speaks of this batch, and then of the next one.
  /(?:^| )(?:this batch|these|those)(?: [a-z0-9#]+)? (?:is|are|looks?) .*(?: |^)next(?: |$)/,
  /(?:nothing to|no (?:changes|edits|corrections|need to change)).* (?:move on|next(?: batch)?)$/,
  /(?:^| )(?:approved?|approve this batch) , (?:[a-z]+ )?(?:the )?next(?: |$)/,
  // Irony.
  new RegExp(
    `^(?:oh|ah)(?: ,)? (?:${praise}|${ironic})(?: |$)|(?:^| )just (?:great|perfect|wonderful)(?: |$)`,
  ),
  // A farewell.
  new RegExp(
    `${thanks} , (?:(?:on|off|away) (?:you|we) go|go(?: now| already)?|get going|move on|moving on)$`,
  ),
  /(?:^| )(?:want|like|free|happy) to (?:get going|move on|go)(?: |$)/,
  /^(?:ok|okay|well|alright|right|so|sorry|great|noted|understood|got it)(?: ,)? moving on$/,
  new RegExp(`^${abroad}(?: ,)? ${leaving}$|^${leaving}(?: ,)? ${abroad}$`),
  // The end of a conversation, as "ok thanks" is.
  new RegExp(
    `^${any("d'accord", 'va bene', 'de acuerdo', 'in ordnung', 'passt(?: so)?', 'ist gut so')}(?: ,)? (?:merci|grazie|gracias|danke|obrigad[oa]|bedankt)$`,
  ),
];

/** @param text The form that `normalise` (classifier.ts) gives to a message. */
export const confirmsNothing = (text: string): boolean => GUARDS.some((guard) => guard.test(text));
