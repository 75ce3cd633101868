import type { IntentContext } from '../../src/core/intent/classifier';

/**
 * Messages that were written before the grammar was tuned. The grammar is never tuned to them: a message that it does
 * not recognise stays here, and the test counts it.
 */
const list = (text: string): string[] =>
  text
    .split(/\n| \| /)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Clear confirmations of any open question. */
export const CLEAR_YES = list(`
  yes | Yes. | YES! | y | Y | k | K. | yep | yup | yeah | ok | OK! | okay | sure | go | go! | alright | fine | 👍 | ✅
  ok go | OK, go. | yes go | yep go ahead | yep, do it | yeah, do it | do it | Do it now | do that | yes do that
  continue | Continue. | CONTINUE!! | continue please | please continue | pls continue | plz continue | cont please
  ok continue | okay, continue | sure, continue | yes, continue | yes please continue | yes, please proceed
  please proceed | proceed | proceed now | you can proceed | you may continue | go on and continue
  go ahead | please go ahead | yes go ahead | go right ahead | go ahead and continue | go ahead and run it
  go ahead with it | go ahead with the next batch | go ahead with this batch | go for it | carry on | please carry on
  keep going | keep going please | keep on going | keep it going | move on | move forward | let's move on
  let's go | let's do it | let's continue | let's proceed | let's keep going | let's run it | lets continue
  next | next please | next batch | next batch please | next one | next one please | on to the next one
  do the next one | do the next batch | run the next batch | run next batch | start next batch | process next batch
  run it | run the batch | run this batch | execute | execute the batch | start | start it | start now | begin
  begin please | let's begin | let's start | let's get started | kick it off | start the first one please
  confirm | confirmed | I confirm | I confirm this batch | approve | approved | I approve | approve this batch
  I approve this | you have my approval | accept | accepted | I accept | agreed | I agree
  yes, run it | yes, run the batch | yes, do the next batch | yes please do | yes, go | sounds good | looks good
  looks good, continue | looks good, go ahead | all good, continue | good, go ahead | great, continue
  perfect, go on | thanks, continue | continue, thank you | ok, next one please | ok, do it | ok do it please
  I want to continue | I'd like to continue please | I want you to continue | I'd like you to go ahead
  please do the next batch | please run the batch | please resume | resume | resume it | resume please
  resume the operation | continue the operation | continue with the operation | continue the bulk operation
  continue with the batch | continue with the next one | continue with the next batch please
  ja | ja, weiter | weiter | bitte weiter | ja bitte | ja, bitte fortfahren | mach weiter | oui | oui, continuez
  continuez | sí, continúa | sí | sí, adelante | continúa por favor | adelante | sì | sì, continua | procedi | sim
  sim, continue | ja, doorgaan | ja graag`);

/** Clear refusals. */
export const CLEAR_NO = list(`
  no | No. | NO! | n | N | nope | nah | no way | no thanks | no thank you | nope, thanks | hell no | definitely not
  cancel | Cancel! | CANCEL | cancel please | please cancel | cancel it | cancel this | cancel that | cancel now
  cancel the operation | cancel the whole operation | cancel the bulk operation | cancel everything please
  cancel the rest | cancel all of it | cancel the whole thing | cancel it please | just cancel it | cancel, thanks
  stop | stop! | STOP NOW | stop it | stop this | stop please | please stop | please stop here | stop here
  stop right there | stop the operation | stop the whole thing | stop everything | stop processing | stop now please
  let's stop | let's stop here | let's stop there | let's cancel | let's end it here | let's call it off
  abort | abort! | abort it | abort the operation | abort mission | halt | quit | terminate | end it | end this
  kill it | call it off | drop it | scrap it | scrap that | forget it | forget about it | forget that | never mind
  nevermind | nvm | no, stop | no, cancel | no, cancel it please | no stop it | no, please stop | no, don't
  no, that's enough | no, leave it | no, never mind | no more | no more please | no more batches | no more of this
  that's enough | that is enough | enough | enough already | that's enough thanks | ok, that's enough
  ok, that's enough, thanks | ok, enough | okay, cancel it | ok, cancel the operation | alright, cancel it
  yeah, cancel it | ok let's stop | okay, let's stop here | ok never mind | ok, forget it | sure, cancel it
  yeah no | yeah, no thanks | ok no thanks | yeah nah | yes, cancel the operation | yes, please cancel
  don't | please don't | don't continue | do not continue | don't proceed | do not proceed | don't go ahead
  do not go ahead | please don't continue | please do not continue | don't do it | do not do it | don't run it
  don't start | don't start it | don't run the batch | do not run the next batch | don't do the next batch
  don't process any more | don't do any more | don't do the rest | don't continue with the rest | no need to continue
  no need | there's no need to continue | no need to go on | I don't want to continue | I do not want to continue
  I don't want to go on | I don't want this | I don't want that | I'd rather not | I'd rather not continue
  I would rather not | I'd rather stop | I'd rather cancel | I prefer to stop | I'd prefer not to | rather not
  let's not | let's not continue | let's not do it | let's not do that | better not | better stop
  leave the rest | leave the rest alone | leave the others alone | leave the remaining ones | skip the rest
  skip the remaining | skip the remaining items | skip the remaining batches | skip the rest please | ignore the rest
  forget the rest | forget about the rest | stop the rest | not the rest | drop the rest
  I want to stop | I want to cancel | I'd like to stop | I'd like to cancel it | I want you to stop | you can stop
  you can stop now | you can cancel it | we can stop here | we should stop | I changed my mind, cancel it
  I changed my mind, stop | reject | I reject | rejected | decline | I decline | I refuse | not approved
  I don't approve | I don't approve this | I do not agree | denied | 👎 | 🛑 | nein | nein danke | nein, abbrechen
  abbrechen | bitte abbrechen | nicht weiter | non | non merci | annuler | arrête | no gracias | cancelar
  no, cancela | não | não, obrigado | cancela | nee | nee, annuleren | nee bedankt | stopp`);

/** Clear confirmations that describe the open batch, by context. */
export const CLEAR_IN_CONTEXT: [IntentContext, string[]][] = [
  [
    { batch: 2, size: 10, batches_left: 4 },
    list(`
      do the next 10 | do the next ten | the next 10 | next 10 | next 10 please | next ten please | 10 more | ten more
      another 10 | another ten please | do 10 more | do another 10 | process the next 10 | process 10 more
      process the next 10 emails | process the next 10 items | continue with the next 10 | ok, the next 10
      continue with the next ten items | yes, do the next 10 | yes, the next 10 please | run the next 10
      go ahead with the next 10 | go ahead with the next 10 emails | let's do the next 10 | batch 2 | do batch 2
      run batch 2 | continue with batch 2 | yes, batch 2 | start batch 2 | go ahead with batch 2 | the second batch
      do the second batch | continue with the second batch`),
  ],
  [
    { batch: 1, size: 10, batches_left: 5 },
    list(`
      do the first batch | start the first batch | start with the first batch | run the first batch | first batch
      the first batch please | begin with the first batch | go ahead with the first batch | yes, the first batch
      do the first 10 | start with the first 10 | the first 10 | first 10 please | do the first ten | first ten
      label the first 10 | process the first 10 emails | continue with the first 10 items | batch 1 | do batch 1
      start with batch 1 | ok, start with the first 10`),
  ],
  [
    { batch: 5, size: 7, batches_left: 1 },
    list(`
      the remaining items | do the remaining items | process the remaining items | the remaining 7 | do the rest
      the rest | the rest please | do the remaining 7 | do the last 7 | the last 7 | run the last batch | last batch
      the last batch | do the last batch please | the final batch | finish it | finish | finish it please
      finish the rest | finish up | ok, finish it | yes, finish it | continue with the rest | process the rest
      continue with the remaining items | go ahead with the rest | go ahead with the last batch | complete it
      let's finish it | let's finish | yes, do the rest | the last one | do the last one`),
  ],
  [
    { state: 'batch_failed', batch: 3, size: 4, batches_left: 3 },
    list(`
      try again | try it again | please try again | retry | retry please | retry it | yes, try again | ok, retry
      retry the batch | try the batch again | run it again | do it again | once more | one more time | again please
      go ahead and try again | go ahead and retry | let's try again | let's retry | give it another try | continue
      yes | go ahead | resume | retry batch 3 | run batch 3 again | try once more`),
  ],
];

/** Messages that confirm nothing in any context. Some are refusals, and may be classified as such. */
export const NOT_YES = list(`
  suuuure… | suuure | suuuuure... | yeah, sure | yeah sure | sure… of course… | sure sure | ok ok | okay okay | yes yes
  yes…? | yes... | ok... | ok… | sure... | well ok... | yeah... | yeah yeah | yep yep yep | fine fine | k k | go... go?
  yeah right | yeah, right | oh sure | oh great | oh yes, because that went so well | sure, why not | whatever
  fine, whatever | if you must | if you say so | I guess | I guess so | i suppose | suppose so | maybe | maybe yes
  probably | perhaps later | hmm ok | hm | uh ok | umm yes | err | well | eh | meh | sort of | kind of | not really
  I think so | I think we can continue | possibly | might as well | could be | why not | ok I guess | sure I guess
  yes? | ok? | continue? | go? | really? | now? | you sure? | is that ok | is it safe | should we | shall I
  what if it fails | what happens then | can we continue | could you continue | would you go ahead | may I confirm
  continue later | continue tomorrow | later | not now | not yet | yes, later | ok tomorrow | in an hour | go at noon
  in a minute | when I am back | after lunch | wait | wait a sec | hold on | hang on | one moment | give me a second
  continue if nothing failed | continue unless Bob is in it | yes if it is safe | ok but check first
  yes, provided that nothing breaks | go ahead once Anna agrees | proceed when ready | run it as long as it is cheap
  continue but skip Bob | continue without the last one | continue except the first | all but Bob | yes but not Bob
  yes, except Anna | go ahead, minus the last one | continue with everything except Bob | skip Bob | skip two of them
  skip the second one and continue | only the first five | just the first one | only Bob | just 3 of them | half of it
  do 5 | do the next 5 | next 20 | 5 more | do the next 100 | batch 7 | do batch 9 | the next two batches | 3 batches
  do two | next 2 batches | continue twice | continue three times | all of them | do everything | run all the batches
  continue until the end | keep going until it is done | don't stop | don't ask me again | do not stop until finished
  always yes | yes to everything | yes to all | ok stop | ok, stop | yes, stop | yes no | no yes | yes and no | no, yes
  continue, no wait | continue and then stop | stop continue | cancel continue | go stop | no go ahead | no continue
  start from scratch | start over | restart | begin again from the start | redo everything | roll it back | undo
  start with the second | the other batch | the previous batch | do the failed ones | retry only the failed ones
  he said yes | my boss says continue | "yes" | 'continue' | say yes | type continue | the word is yes | she said go
  yes is not what I said | I did not say yes | nobody confirmed | never say yes | not ok | not sure | not fine
  unsure | undecided | I can't decide | ask me later | let me think | let me check first | I need to look at it first
  yes, but first show me the list | ok, show me | show me first | yes, which ones? | ok what will happen
  yes to the other question | yes, send the mail | ok google | ok thanks bye | okay then bye | thanks | thank you
  good night | go home | go away | go to the shop | go on holiday | y tho | y not | k bye | fine weather | sure thing?
  continue reading | next song | next week | start the music | run away | run a marathon | do the dishes | approve it?
  confirm with Anna | ask Bob to approve | approved by whom | please confirm | please approve | who approves
  continue / cancel | yes/no | y/n | [x] continue | > yes | yes:no | yes; no | continue=1 | sudo continue | continue --force
  weiter? | ja? | ja, aber ohne Bob | ja, morgen | vielleicht | oui mais pas Bob | oui peut-être | sí pero no | si
  tal vez | jein | ja nein | nein doch | ja ja | oui oui | sì sì | mañana | morgen | später | demain`);
