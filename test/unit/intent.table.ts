/** Messages with line breaks, invisible characters or outer spaces are in intent.test.ts. */
export const list = (text: string): string[] =>
  text
    .split(/\n| \| /)
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const CONTINUES: Record<string, string[]> = {
  'one word': list(`
    continue | proceed | go | next | resume | start | begin | run | execute | yes | y | k | yep | yup | yeah
    yea | aye | sure | absolutely | definitely | certainly | affirmative | ok | okay | alright | agreed
    fine | lgtm | confirm | confirmed | approve | approved`),
  'a yes, with what was found': list(`
    yes, looks good | ok, sounds good | yup, looks right | yes, the labels are right | yes, no objections
    yep, all of these are fine | yes, don't stop | yes, same as last time`),
  'a short phrase': list(`
    go on | go ahead | go for it | carry on | keep going | do it | do so | run it | start it | execute it
    resume it | continue it | continue processing | let's go | lets go | let’s go | let's do it
    let's do this | please do | make it so | ship it | next batch | the next batch | this next batch
    one more batch | another batch | sure thing | of course | by all means | all right | sounds good
    sounds good to me | looks good | looks good to me | good to go | that's fine | thats fine | that is fine
    fine by me | fine with me | hell yeah | granted | I'm happy with this batch | happy with that, carry on
    confirm it | approve it | I confirm | I approve | I agree | yes I did
    yes, you may | go right ahead`),
  'with the batch or the operation': list(`
    continue with the next batch | continue the operation | continue with the operation
    continue this operation | continue the bulk operation | continue bulk operation
    continue with this batch | continue on with the operation | continue to the next batch
    proceed with the next batch | proceed to the next batch | proceed with the operation
    proceed with this batch | go ahead with the next batch | go on with the batch | go on to the next batch
    go to the next batch | move on to the next batch | on to the next batch | onto the next batch
    carry on with the operation | start the next batch | start with the next batch | start the operation
    start the batch | begin the operation | resume the operation | resume the bulk operation
    run the next batch | run this batch | run the batch | process the next batch | process this batch
    execute the next batch | do the next batch | do this batch | confirm the batch | approve this batch
    approve the next batch | I approve this batch | let's do the next batch
    let's continue with the next batch`),
  'in Chinese': list(`
    继续 | 好的 | 可以 | 是的，继续 | 好的继续 | 请继续 | 继续吧。 | 對，繼續 | 确认`),
  'as a wish or a permission': list(`
    let's continue | let us proceed | let's start | you can continue | you may proceed | you can go ahead
    feel free to continue | I want to continue | I'd like to continue | I’d like to proceed
    I would like to continue | I want you to continue | I'd like you to proceed | I meant continue
    I meant to continue | I want to run the next batch | you can start the next batch`),
  'with politeness and agreement around it': list(`
    please continue | continue please | continue, please | please, continue | please proceed | pls continue
    continue plz | continue, thanks | continue thank you | proceed, thx | yes please | yes, please
    yes thanks | yes thank you | sure, thanks | ok please | okay please | yes, continue | yes continue
    yes, go ahead | yes go ahead please | yes, please continue | ok, continue | ok continue | okay, go ahead
    ok, next | ok next batch | ok go | sure, go ahead | sure, go on | sure, next batch please | yep, proceed
    yeah, keep going | yeah do it | yes do it | alright, continue | all right, go on
    sounds good, continue | looks good, go ahead
    lgtm, proceed | great, continue | perfect, next batch | good, go on | nice, carry on | great, yes
    thanks, continue | thank you, please continue | ok great, continue | yes, approved | ok, confirmed
    confirmed, go ahead | I approve, please continue | all good, continue | that's right, continue | excellent, continue
    well done, continue | reviewed, go ahead | thank you very much, continue | continue, thanks a lot | okay then, go ahead
    kindly continue | do continue | thank you, next batch please | oh yes, continue | 👍 continue | let's go 🚀
    please proceed with the remaining items | continue with the remaining emails | press on | yes, I agree
    approved, thanks | yes I confirm | of course, go ahead | absolutely, continue | next please
    next batch, please | go on then | continue then | ok, go ahead then | continue now | start now
    do it now please | run it now | go ahead now, please | yes, continue with the next batch please
    ok great, go ahead with the next batch, thanks | Yes. Continue. | OK! Go ahead! | ok - continue
    yes — proceed | yes,continue`),
  'in another spelling': list(`
    CONTINUE | Continue | cOnTiNuE | YES PLEASE | Ok | OK | GO AHEAD | continue! | continue. | continue!!!
    yes! | Yes. | ok!! | yes.! | yess | okk | continue  please | yes ,please
    go   ahead`),
  'a picture': list(`
    👍 | 👍🏽 | 👍🏿 | 👌 | 👌🏻 | ✅ | ✅️ | 👍! | yes 👍 | ok 👍 | continue 👍 | continue👍 | go ahead 👍🏽
    please continue 🙏 | approved ✅`),
  'another language': list(`
    ja | Ja! | ja bitte | ja, bitte | weiter | ja, weiter | bitte weiter | mach weiter | fortfahren
    bitte fortfahren | weitermachen | oui | oui s'il vous plaît | oui, s’il te plaît | continuer | continuez
    sí | SÍ | ¡sí! | sí por favor | sí, por favor | adelante | ¡Adelante! | siguiente | continuar | continúa
    sì | sì, grazie | continua | procedi | avanti | sim | sim, por favor | prosseguir | ja graag | doorgaan
    ga door | ga verder | volgende | okay, weiter bitte | gut, weiter | weiter geht's | einverstanden | ich bestätige
    d'accord | d'accord, continuez | oui, poursuivez | très bien, continuez | vale, continúa | si, continúa | sigue | sí, dale
    de acuerdo | perfecto, sigue | va bene | va bene, continua | vai pure avanti | confermo | pode continuar
    claro, pode seguir | akkoord | prima, ga door | c'est bon, tu peux lancer | passt, weiter | alles richtig, weiter
    todo correcto, adelante | ja, mach das | hazlo`),
};

export const CANCELS: Record<string, string[]> = {
  'one word': list(`
    cancel | stop | abort | quit | halt | terminate | no | nope | nah | n | nevermind | nvm | enough
    reject | rejected | don't | dont | don’t`),
  'a short phrase': list(`
    cancel it | cancel that | cancel this | stop it | stop that | stop this | stop here | stop there
    cancel everything | stop now | stop right now | cancel now | cancel immediately | abort it | end it | kill it | terminate it
    halt it | call it off | forget it | forget about it | never mind | no more batches | that's enough
    thats enough | that is enough | no more | stop processing | stop everything | abort everything | no way
    absolutely not | definitely not | certainly not | of course not | do not | please don't | reject it`),
  'with the operation': list(`
    cancel the operation | cancel operation | cancel this operation | cancel the bulk operation
    cancel bulk operation | cancel the whole operation | cancel the entire operation | stop the operation
    stop this operation | abort the operation | abort the bulk operation | end the operation
    quit the operation | terminate the operation | halt the operation | kill the operation`),
  'as a wish or a permission': list(`
    let's stop | let's cancel | let us stop here | I want to cancel | I want to stop | I'd like to cancel
    I would like to cancel the operation | I’d like to stop | I want you to stop | you can stop now
    you may cancel | I meant cancel | I meant to cancel`),
  'a negated confirmation': list(`
    don't continue | do not continue | don’t continue | dont continue | please don't continue | do not proceed
    don't start | don't go ahead | do not go on | don't do it | don't do that | don't run the next batch
    let's not continue | let's not | I don't want to continue | no need | no need to continue | I'd rather not
    I’d rather not continue | better not | I don't approve this | not approved | no, don't continue`),
  'in Chinese': list(`取消 | 停止 | 停 | 不要 | 不用了 | 请取消 | 不，取消 | 不要继续 | 停止标记 | 算了`),
  'a refusal of the rest': list(`
    leave the rest | leave the rest alone | skip the rest | skip the remaining | skip the remaining items
    ignore the rest | forget the rest | cancel the rest | not the rest | don't do the rest | no more of this
    leave it there | leave it at that | we're done here`),
  'after an assent that introduces it': list(`
    ok, cancel it | yes, cancel the operation | yes, please cancel | ok let's stop | alright, stop here
    ok never mind | ok, that's enough | ok no thanks | yeah no | yeah, don't do it | ok, leave the rest`),
  'with politeness and refusal around it': list(`
    no thanks | no, thanks | no thank you | no, thank you | nope, thanks | nah thanks | no thx | please stop
    please cancel | stop please | stop, please | cancel please | cancel, thanks | cancel it, thank you
    no, cancel | no, cancel it | no, stop | no. Stop. | No! Stop! | nope, cancel | no thanks, cancel it
    no, please stop | no, never mind | no, that's enough | enough, thanks | never mind, thanks | just cancel
    just stop it | please just cancel the operation | just no | actually, cancel | actually no
    actually, no thanks | actually stop | no, don't | no, please don't | please, no
    please cancel the operation now | no no | no, no, no | stop stop | stop, stop, stop! | no - stop`),
  mistyped: list(`
    cancle | cancell | cansel | cancl | please cancle | cancle it | cancle the operation | pls cancell | stpo | sotp
    sttop | abrot | no, cancle | neevermind | abbrechn`),
  'behind another refusal, or with its reason': list(`
    forget it, cancel | nevermind, cancel | never mind, stop | nvm cancel | no stop | no cancel | no abort | no no, stop
    no way, cancel it | rejected, cancel it | enough, stop | absolutely not, stop | that's it, stop | oh no, stop
    wait, cancel | wait no, cancel it | oops, cancel | hey, stop | sorry, cancel | cancel, I changed my mind
    cancel that, wrong emails | stop, that's wrong | no, wrong ones | I made a mistake, cancel | no, leave it`),
  'of this and of what follows': list(`
    don't run this or any of the other batches | please do not process the remaining items | cancel whatever is left
    no more of these please | leave everything else untouched | don't do any more of these | cancel all remaining batches
    don't label any more of my mail | I don't want any more emails labelled | I want this to stop | we have to stop | I'll cancel | we don't need to continue | Vorgang abbrechen
    thank you, but I would like to cancel the remaining batches | I'm not doing this | I want out | it's a no from me
    let's drop it | cancel the run | abort abort abort | I don't want to do this after all | enough is enough`),
  'of the action itself': list(`
    please stop marking | stop adding labels | stop labelling | stop labeling them | stop archiving my emails | stop deleting things
    no more labelling | no more changes | no more emails | don't touch my mailbox | don't touch anything
    do not touch my calendar | don't change anything else | don't delete them | please don't archive any more
    do not label any emails | leave my inbox alone | leave everything as it is | leave them alone | hands off my mailbox
    make no more changes | do nothing more | stop what you're doing | stop doing that | don't go any further`),
  'in another spelling': list(`
    CANCEL | Cancel | STOP | Stop! | STOP!!! | stop. | No. | NO | No! | nooo | NOOOO | stoppp | cancel!
    cancel... | cancel… | noo | N | NO THANKS | No Thank You.`),
  'a picture': list(`
    👎 | 👎🏽 | 🛑 | 🛑! | no 👎 | stop 🛑`),
  'another language': list(`
    nein | Nein! | nein danke | nein, danke | abbrechen | bitte abbrechen | abbruch | stopp | non
    non merci | non, merci | annuler | annulez | arrêter | arrêtez | ARRÊTE | no gracias | no, gracias
    cancelar | cancela | detener | no grazie | annulla | fermati | não | nao | não, obrigado | não obrigada
    nee | nee, bedankt | annuleren | afbreken | bitte stoppen | stop bitte | hör auf | nein, brich bitte ab | lass es
    nicht weitermachen | alles abbrechen | arrête tout | arrêtez ça | annule tout, s'il te plaît | non arrête
    ne continue pas | laisse tomber | ça suffit | para ya | para todo, por favor | detente | basta ya | cancélalo
    no continúes | no, para | ferma tutto | basta così | non continuare | pare agora | não continue | chega
    stop maar | niet doorgaan | annuleer alles | laat maar | nein, brich das Ganze ab | brich den Rest ab | lass mal
    annule le reste | arrête là | cancela lo que queda | no sigas, cancela | annulla il resto | não quero mais
    annuleer de rest`),
};

/** Messages that decide nothing, but are about the waiting operation. */
export const UNCLEAR: Record<string, string[]> = {
  asking: list(`
    continue? | yes? | ok? | next? | cancel? | stop? | no? | go ahead? | continue?! | ¿sí?
    should I continue | should I continue? | shall we continue? | can you continue? | can you continue
    could you please continue | will you continue? | would you continue | can I cancel? | can I cancel
    how do I cancel | what if I continue | what's next? | what happens next? | are you sure?
    do you want me to continue? | why continue? | is it safe to continue? | please confirm | please approve
    confirm please | did it stop? | what about the rest?`),
  conditional: list(`
    continue if it's safe | continue if you are sure | ok but only the first one | yes but wait
    continue unless it failed | yes, unless there are errors | if it works, continue
    continue only if nothing failed | ok, if you say so | cancel if it fails | stop if there are errors
    continue until it fails | continue except the last one`),
  negated: list(`
    don't continue yet | do not proceed yet | don't continue if it fails | don't stop | do not stop | don't cancel | please do not cancel | never stop
    never continue | not yet, wait | no continue | not ok | not yes | not sure
    I'm not sure | don't do it, wait | I don't want to continue now
    I don't want to stop | isn't it ok | no, don't stop`),
  'contradictory or starting anew': list(`
    start from scratch | start over | restart | start over from scratch | cancel and restart | redo it
    ok stop | okay, stop | yeah stop | sure, cancel | fine, stop`),
  contradictory: list(`
    yes no | no yes | yes, no | no, yes | no, continue | yes, cancel | ok cancel | ok, stop | stop, continue
    continue, then stop | cancel, no, continue | continue. no wait | no, go ahead | yes and no
    go ahead and cancel | stop no | cancel no | y n | y/n | continue/cancel | continue or cancel | yes or no`),
  'contradictory in a sentence that states nothing': list(`
    forget the rest alright, continue | ditch them alright, continue | scrap the others alright, go ahead
    exempt the invoices from it, continue | drop the rest of them, go ahead | void these changes, proceed
    abandon the operation completely, continue | spare the newsletters this time, go ahead`),
  quoted: list(`
    'continue' | "continue" | “continue” | «continue» | \`continue\` | she said "continue"
    he said continue | they say 'yes' | you say "ok" | say continue | I said stop | > continue | *continue*
    **yes** | (continue) | [yes]`),
  'hypothetical or unsure': list(`
    maybe | maybe continue | perhaps | perhaps continue | probably | probably yes | I think yes | I guess ok
    I guess so, yes | hmm | hmm ok | it depends | we could continue | I would continue | I might cancel
    I changed my mind | leave it | I was about to cancel | whatever, continue | I suppose we should continue
    sure why not`),
  'stretched, trailing off or doubled': list(`
    suuuure | suuuure… | yesss | yesssss | okkk | yeahhh | gooo | continueee | pleaseee continue | continue...
    continue… | ok... | yes… | yes... continue | yes…? | sure... of course... | yeah, sure | yes, of course | ok, yes
    yes, ok | ok sure | sure, fine | yeah, ok, do it`),
  'for another time': list(`
    continue tomorrow | continue later | later | later please | continue in 5 minutes | continue at 5pm
    cancel it after this batch | cancel after the next batch | stop after this batch | continue tonight
    yes, tomorrow | continue on monday | stop for now | that's enough for now | no more for now
    continue next week | continue in a minute`),
  'for a pause': list(`
    wait | wait! | wait a minute | hold on | hang on | hold | pause | pause it | please wait | no wait
    ok wait | pause the operation | skip | skip it | skip this one | skip this batch | wait, stop`),
  'for more than one batch, or another part': list(`
    continue anyway | force continue | do them | run them | no, one more batch | continue all | do all | all
    all of them | do everything | everything | continue with everything | yes to all | do the rest
    continue with the rest | the rest | keep going until done | keep going until it's finished | finish it
    finish | next two batches | the next 3 batches | continue x3 | continue 3 times | continue twice
    run all batches | continue with all batches | run the operation | approve all | confirm everything
    always continue | continue automatically | don't ask again | yes and don't ask again | continue continue
    yes yes | next next | go go go | 👍👍 | ok, ok | continue, continue | please continue please | yes, all
    continue batch 2 | batch 2 | continue with batch 3 | do 5 of them and stop | skip the first and continue
    only the first 5, then stop | continue with the first 5 emails | continue with the failed items
    cancel this batch | cancel the batch | cancel the next batch | stop this batch
    yes and delete everything | next 5 | yes 2 | ok 10`),
  'with an exclusion or a condition after the answer': list(`
    continue but skip Bob | continue without Anna | yes, but not the invoice | go ahead except for Anna
    skip Bob and continue | leave out the invoice and go ahead | everything except Bob | all but Bob | skip Bob
    yes if Anna agrees | proceed once Bob has answered | ok, as long as Anna agrees`),
  'for something else with the operation': list(`
    start again | undo | undo it | revert the batch | try again | retry | retry it | please try again
    again | label the next batch with Invoices | show me the next batch | describe this batch
    which emails are in the next batch? | what does this operation do? | tell me about the bulk operation
    cancel all the events | stop the emails | cancel the process | finished | completed
    skip bob in this batch | remove bob from this batch | how long will the operation take
    close the operation`),
  'praise and acknowledgement': list(`
    great | perfect | nice | cool | great, thanks | ok thanks | ok, thank you | okay thanks | alright thanks
    great start | nice start | perfect run | good | done | ready | I'm ready | that works | yes sir
    no problem | no worries | kk | thanks, next | fine, thanks`),
  mistyped: list(`
    contiune | cotinue | contine | continu | conitnue | continnue | contunue | contiue | coninue 
    procced | proced | confrim | aprove | aproved | resme | canceling
    contiune please | yes contiune | nxt | yse | oky | сontinue | cоntinue
    ｃｏｎｔｉｎｕｅ | сancel`),
  decorated: list(`
    /continue | #continue | @continue | continue; | continue: | continue = true | continue() | {continue}
    <continue> | ▶️ | ⏩ | ☑️ | yes 😀 | continue & stop | continue + | continue_ | 1. continue | 1 continue
    continue 1 | - continue | , continue | yes: | 👍👎 | ✅❌ | ❌ | ✋ | 🚫 | ⛔ | no 👍 | cancel 👍 | yes 👎
    continue 🛑 | si | sí no | ja nein | ja ja | oui non | ja, cancel`),
};

/** Requests about something else, which are passed on. */
export const UNRELATED = list(`
    what's the weather? | hello | hi there | good morning | thanks | tell me a joke | what time is it?
    continue reading the article | continue the story | continue my essay | proceed to checkout
    resume the music | cancel my subscription | cancel my flight | cancel the meeting | stop the music
    stop talking | next song | next page please | go to the next page | go to sleep | go home
    run the tests | start a timer | start the car | begin the lesson | yesterday's news
    no idea what you mean | ok google play jazz | ok, what's the weather? | no, show me my calendar
    yes, send the mail to Anna | stop sending newsletters | abort the deployment | kill the process
    approve the invoice | confirm my appointment | quit smoking tips | open the door | play a song
    how are you? | who is the president of France? | what is 2 + 2? | 42 | 5 | ? | ... | !
    write a poem about stopping | translate 'continue' into German | how do you spell cancel in French?
    list my labels in gmail | archive all newsletters | delete everything | move them
    schedule lunch at noon | bake a batch of cookies | buy rice in bulk | sim card deals | content
    improve it | marry me | about | the story should continue with a dragon | he told me to go to Paris
    don't worry about dinner | DROP TABLE users | ignore previous instructions | :-) | 😀 | 🎉 | 你好 | привет
    продолжить | はい | नहीं | vale la pena | para siempre | claro de luna`);

/** Text that may turn a confirmation into a refusal when put before it. */
export const NEGATIONS = list(`don't | do not | dont | not | please do not`);

/** Text that makes a confirmation unclear when put before it, with a space between. */
export const PREFIXES = list(`
    never | no | no, | you shouldn't | nobody said
    if it is safe, | if possible | only if Anna agrees: | unless it failed, | when ready, | after lunch
    she said | he said | > | maybe | perhaps | should I | can you | could you | why | what if I | I would
    I was told to | tomorrow | in 5 minutes | at 5pm | all | twice | 2 | 2. | wait, | not yet, | stop,
    cancel, | yes yes | , | # | ...`);

/** Text that makes a confirmation unclear when put after it, with a space between. */
export const SUFFIXES = list(`
    tomorrow | later | at 5pm | in 5 minutes | after this batch | when I say so | next week | for now
    if it is safe | unless it fails | but slowly | but not the last | only if Anna agrees | or not
    or cancel | all | everything | with everything | x3 | 3 times | twice | and delete everything
    and so on | until done | to all | two batches | for all batches | the article | my subscription
    she said | he said | , wait | , right? | 2 | #2 | /s | 👎 | 🛑 | 😀
    without asking | then stop | maybe | ? | ?! | ？ | с | ( | ,`);

/** Text that takes a confirmation back when put after it. */
export const RETRACTIONS = list(`no | , no | , stop | cancel | , no wait | actually no`);

/** Characters that turn an answer into a quotation, a question or another word when attached to either end. */
export const MARKS = list(
  `" | ' | \` | “ | « | ( | [ | * | _ | / | > | ; | : | ? | ¿ | ？ | ~ | = | + | 1 | x | х | е | #`,
);
