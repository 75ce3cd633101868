/**
 * Three more rounds of messages in seven languages, each written before the grammar was changed for the round before.
 * They hold idioms and words that the grammar leaves unclear: the test counts them.
 */
const list = (text: string): string[] =>
  text
    .split(/\n| \| /)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Confirmations of any open question. */
export const MORE_YES = list(`
  Yes, go ahead please | yes, let's continue | ok let's continue | okay, let's keep going | yep, keep going
  yeah go on | sure, carry on | please carry on | carry on, please | please keep going | keep going, thanks
  keep going! | go on, please | please go on | Yes please go on | yes continue please | yes, carry on
  yup, go ahead | yup continue | sure, do it | sure, continue please | alright, let's go | alright go ahead
  all right, continue | ok, carry on | ok go on | ok, please continue | okay please proceed | okay, proceed
  ok proceed please | please proceed, thanks | please proceed with the remaining items
  please continue with the remaining items | continue with the remaining emails please
  proceed with the remaining ones | proceed, please | proceed! | you may go ahead | you can carry on
  you can keep going | feel free to proceed | feel free to go ahead | feel free to keep going
  yes, you can continue | yes you may proceed | yes, feel free to continue | sure, you can go ahead
  ok you can continue now | go ahead now | continue right away | proceed now please | looks good to me, continue
  looks good, please continue | looks good, carry on | looks fine, continue | looks right, go ahead
  that looks good, continue | that looks right, proceed | all good, go ahead | all good, carry on
  all fine, continue | everything looks good, continue | everything looks fine, proceed | sounds good, go ahead
  sounds good, let's do it | sounds great, continue | that's right, continue | that's correct, go ahead
  correct, continue | correct, proceed | exactly, continue | right, continue | right, carry on | good, continue
  good, next batch please | great, keep going | great, next batch please | great, go on please
  excellent, continue | awesome, continue | awesome, go ahead | super, continue | cool, go ahead | cool, continue
  nice, next batch | nice work, continue | well done, continue | good job, keep going | thank you, continue
  thanks, go ahead | thanks, please continue | thank you, next batch please | many thanks, continue
  continue, thanks a lot | continue, thank you very much | go ahead, thanks! | go ahead, thank you
  yes, thank you, continue | next batch please! | the next batch, please | next batch, go | yes, next batch
  yes next | yep, next one | ok, on to the next batch | let's do the next batch | let's move on to the next batch
  let's go on | let's go ahead | let's proceed please | let's go! | let's continue please | let us continue
  yes let's do it | yes, let's go | ok, let's do this | onward | onwards | forward | roll on | fire away | do it!
  do it please | yes do it now | yes, please do it | please do it | please do so | please do that | just do it
  just continue | just go ahead | confirmed, continue | confirmed, go ahead | approved, continue
  approved, go ahead | I confirm, continue | I approve, please continue | yes, confirmed | yes, I approve
  yes, I agree | I'm ok with that, continue | I'm fine with that | I'm happy with that, continue
  I agree, continue | agreed, continue | agreed, go ahead | you have my go-ahead | you've got my approval
  you have my permission | permission granted | green light | roger | roger that | aye aye | aye | okey dokey
  okie dokie | ok dokie | yessir | yep! | Sure! | SURE | Of course! | of course, continue | certainly, go ahead
  definitely, continue | absolutely, go ahead | hey, please continue | hi, please continue | oh yes, continue
  ah ok, continue | oh ok, go ahead | well, continue | so, continue | now continue | then continue | and continue
  ok then continue | ok then, go ahead | alright then, continue | run it please | please run it | run the next one
  run that batch | please run the next batch | start the batch please | please start | please start the batch
  start processing | begin processing | please begin | kick off the next batch | execute it please
  please execute the batch | process it | process them please | yes 👍 continue | 👍 continue | 👍 go ahead
  ✅ continue | ok ✅ | sure 👍 | go! 👍 | 👍👍🏽 | let's go 🚀 | continue 🚀 | continue 🙂 | yes 🙂 | ok 😊 | go ahead 😊
  thanks, continue 🙏 | ja, weiter bitte | ja, mach weiter | ja, bitte weitermachen | ok, weiter
  okay, weiter bitte | gut, weiter | super, weiter | passt, weiter | alles klar, weiter | weiter geht's | los
  los geht's | ja, los | fortsetzen | bitte fortsetzen | ja, fortfahren bitte | nächster bitte | nächste bitte
  einverstanden | bestätigt | genehmigt | jawohl | klar, mach weiter | ja gerne | gerne | oui, continue
  oui, vas-y | vas-y | allez-y | oui allez-y | d'accord | d'accord, continuez | ok, on continue | on continue
  poursuivez | poursuivre | suivant | c'est bon, continuez | oui, merci | oui, je confirme | je confirme
  parfait, continuez | très bien, continuez | sí, sigue | sigue | siga | sigue adelante | sí, continúe por favor
  dale | dale, sigue | vale, continúa | vale, sigue | de acuerdo | de acuerdo, continúa | sí, confirmo | confirmo
  claro, continúa | procede | proceda | perfecto, continúa | muy bien, sigue | va bene | va bene, continua
  sì, vai avanti | vai avanti | vai | prosegui | sì, procedi | d'accordo | d'accordo, procedi | confermo
  ok, continua | perfetto, continua | sì per favore | pode continuar | sim, pode continuar | sim, continue
  continue, por favor | confirmo, continue | de acordo | claro, pode continuar | ok, pode seguir | pode prosseguir
  ja, ga door | ga maar door | ja, ga verder | prima, ga door | akkoord | akkoord, ga door | volgende graag
  ja hoor, ga door | oké, doorgaan | doorgaan graag | Yes, please carry on. | yes, keep it going
  ok keep going then | okay, you can go on | sure, please proceed | yeah, continue please | yep, carry on then
  yes go for it | ok, go for it! | please go for it | go for it, thanks | alright, proceed please
  right then, go ahead | okay, good, continue | yes good, go on | please continue with the next batch, thanks
  go ahead with the next batch please | ok, do the next one please | yes, the next batch please
  ok now the next batch | please process the next batch | could be next, go ahead | next, please! | next up
  bring on the next batch | let's have the next batch | let's see the next batch run
  proceed with the remaining emails | please go on with the remaining items
  yes, continue with the remaining ones | keep going with the remaining items
  carry on with the remaining cards please | that's fine, continue | that's fine, go ahead | that's good, proceed
  that is fine, carry on | it looks good, continue | it's fine, go ahead | it's ok, continue
  this looks good, go ahead | this is fine, continue | all looks good, go on | all correct, proceed
  all clear, go ahead | no objections, continue | no problem, continue | I'm good with that, go ahead
  works for me, continue | works for me, go ahead | fine by me, continue | fine with me, go ahead
  good with me, proceed | perfect, please continue | perfect, thank you, continue | wonderful, go ahead
  lovely, carry on | brilliant, keep going | fantastic, next batch | very good, continue | very well, proceed
  excellent work, keep going | great job, continue please | cheers, continue | ta, go on
  thank you so much, please continue | thanks a lot, go ahead | thanks, keep going please
  I give you permission to continue | I authorize this batch | I authorise it | authorized | I'm confirming
  I hereby confirm | I say go | it's a go | we're good to go | we are good, continue | you're good to go
  you are clear to proceed | you're free to continue | you have the green light | it's approved | this is approved
  batch approved | consider it approved | count me in, continue | yes indeed | yes of course | yes sure
  yes absolutely | yes, definitely | yes, by all means | by all means, continue | indeed | naturally | gladly
  with pleasure | please, go ahead! | please, yes | pretty please continue | do continue | do proceed | do go on
  do carry on | do go ahead | kindly continue | kindly proceed | kindly go ahead | yes, kindly continue
  I'd like you to carry on | I would like you to keep going | I want you to go on | I want to go ahead
  we can continue now | we can go on | we can proceed | we should continue | we should proceed now
  I'm ready, continue | I'm ready, go ahead | ready, go | ready, continue | done checking, continue
  checked, go ahead | I checked them, continue | I've checked, please continue | reviewed and approved
  okay approved, run it | launch it | fire it off | trigger the next batch | push on | press on | press ahead
  move along | crack on | get going | get on with it | keep at it | keep them coming | roll with it | hit it
  send it | OK 👌 | yes ✅ | 👌🏼 | ok👍 | yes! 👍 | 👍🏻 thanks | go 🚀 | continue ✅ | continue please 😊 | yes please 🙏
  thumbs up | ja, gern | ja klar | ja, mach das | mach das | ja genau, weiter | ok mach weiter | passt
  in ordnung | in Ordnung, weiter | gut, mach weiter | bitte mach weiter | mach bitte weiter | fahr fort
  bitte fahren Sie fort | fahren Sie bitte fort | weiter so bitte | alles gut, weiter | danke, weiter
  weiter, danke | nächster Batch | nächsten Batch bitte | ja, bestätigt | ich bestätige | freigegeben
  oui, on y va | on y va | c'est bon | c'est parti | ok, continuez | continue s'il te plaît | continuez, merci
  merci, continuez | bien sûr | bien sûr, continuez | entendu | entendu, continuez | parfait | validé | je valide
  suivant s'il vous plaît | oui, poursuivez | sí, por favor continúa | claro que sí | por supuesto
  por supuesto, continúa | sí, dale | continúa, gracias | gracias, continúa | está bien, continúa
  todo bien, sigue | apruebo | aprobado | siguiente, por favor | sí, procede | sì, va bene | certo
  certo, continua | continua pure | vai pure avanti | grazie, continua | tutto bene, procedi | approvo
  avanti, grazie | sì, confermo | sim, claro | com certeza | pode seguir | siga em frente | obrigado, continue
  tudo bem, continue | aprovado | sim, confirmo | prima, doorgaan | ja, prima | ja, doe maar | doe maar
  in orde, ga verder | dank je, ga door | bevestigd | ik bevestig | natuurlijk, ga door | yes, continue
  Yes please, go ahead. | ok, let's do it | sure, next batch | please go on with the next batch | yep, run it
  yeah, run the next one | okay, start | alright, start it | go ahead please! | continue with it
  continue, it looks good | looks good, next batch please | good, please continue | perfect, go ahead please
  great! next batch | thanks! continue | thank you, go ahead | yes, thanks, continue | ok thanks, continue
  ok great, next batch | approved 👍 | yes 👍 | continue 🙏 | go 👍 | CONTINUE PLEASE | Proceed! | PROCEED | Go Ahead
  yes!! | Yes, do it! | do the next batch please | let's run the next batch | let's start the next batch
  run the next batch now | proceed to the next batch please | move to the next batch | on to the next batch please
  next batch please 🙏 | i confirm this | I confirm, go ahead | confirmed, thanks | yes, confirmed, thanks
  yes I approve this batch | approve | approve it please | ok approved | you can proceed | you may proceed now
  you can start now | please start now | begin now | start please | let's begin please | keep it going please
  keep going, looks good | carry on please, thanks | please resume now | resume, please | yes, resume
  I'd like to proceed | I would like to continue please | I want you to proceed
  i want to proceed with the next batch | everything is fine, continue | all good, please continue
  no problem, go ahead | that's correct, continue | correct, go ahead | exactly, go ahead | fine, go ahead
  fine, continue | that's ok, continue | it's ok, go ahead | ok, that looks right, continue
  yes that's fine, continue | yes that's right, go ahead | ja, weitermachen | ja, bitte fortfahren
  ok, bitte weiter | weiter bitte! | ja mach weiter | oui, continuez s'il vous plaît | oui continuez
  ok, continue | oui, allez-y | sí, continúa por favor | sí, adelante | adelante, por favor | sí, sigue adelante
  continúa, por favor | sì, continua | sì, procedi pure | continua, grazie | va bene, procedi
  sim, continue por favor | continue, obrigado | ga door, graag | ja, ga door alsjeblieft
  ja, weiter geht's | mach ruhig weiter | klar, weiter | sehr gut, nächster batch | nächsten zehn bitte
  ja, starten | ich bin einverstanden | passt, mach weiter | bestätigt, bitte weiter | super, bitte weiter
  oui, vas-y | d'accord, continue | parfait, vas-y | lot suivant s'il te plaît | ok pour le lot suivant
  validé, continue | merci, continue | oui, lance le lot | c'est parti | exécute le lot | sí, adelante por favor
  siguiente lote por favor | vale, adelante | perfecto, continúa | está bien, continúa | confirmado
  aprobado, continúa | sí, ejecuta | sí, procede por favor | dale, sigue | sì, avanti | ok, continua
  d'accordo, continua | tutto ok, procedi | confermato | sì, prossimo lotto per favore | grazie, continua
  sì, puoi procedere | ottimo, continua | ok, pode ir | tudo certo, continue | claro, continue | confirmado
  obrigado, continue | os próximos dez | pode executar | sim, pode ir em frente | ja, doorgaan graag | oké, doorgaan
  akkoord, ga verder | bevestigd, ga door | de volgende tien | top, ga door | je kunt doorgaan | in orde, ga door
  好，继续 | 继续下一批 | 同意，继续 | 好的，下一批 | alright, keep going | please run batch 2 | sure, run them | all good, next batch
  label these ten | continue with these ten | no objections, proceed | good, next
  yes, that's the right list, continue | absolutely, go ahead | let's do batch 2 | yes keep going | you may go on
  I'm fine with these, continue | continue, all correct`);

/** Refusals. */
export const MORE_NO = list(`
  forget it, cancel | nevermind, cancel | never mind, cancel it | never mind, stop | no stop | no, stop it
  no cancel it | no, abort | no abort | nope, stop | nope, cancel it please | nah, stop | nah, cancel
  no no, stop | no no stop | no thanks, stop here | no thank you, cancel | please stop marking
  please stop labelling | stop labelling | stop labeling them | stop archiving | stop archiving my emails
  stop deleting | stop deleting things | stop moving my cards | stop processing please | stop processing my mails
  stop marking my emails | no more labelling | no more labels | no more archiving | no more deleting please
  don't touch my mailbox | don't touch my inbox | do not touch my calendar | don't touch anything | don't touch it
  don't touch anything else | don't change anything | do not change anything else | don't modify anything
  don't label anything | don't label anything else | don't archive anything | don't delete anything
  don't delete them | do not delete them | don't archive them | please don't archive any more
  don't move anything | leave my mailbox alone | leave my inbox alone | leave everything as it is
  leave it as it is | leave them alone | leave them as they are | hands off | cancle | cancell | cancle it
  please cancle | cancell please | cancle the operation | cansel | cancl | canel | cacnel | cancek | stpo | sotp
  stopp | stoop it | abrot | abort pls | cancel pls | pls cancel | plz stop | stop plz | bitte stoppen | stoppen
  bitte stopp | stop bitte | bitte abbrechen | abbrechen bitte | nein, stopp | nein, bitte abbrechen
  nein, lass es | lass es | lass das | hör auf | hör bitte auf | aufhören | bitte aufhören | sofort aufhören
  brich ab | brich das ab | bitte nicht | nein, nicht weitermachen | nicht fortfahren | nicht weitermachen
  mach nicht weiter | nein nein | halt | stornieren | vergiss es | arrête tout | arrêtez tout | arrête ça
  arrête s'il te plaît | non, arrête | non arrête | stop, arrête | annule | annule tout | annulez tout
  annule l'opération | annuler s'il vous plaît | n'en fais rien | ne continue pas | ne continuez pas
  non, ne continue pas | laisse tomber | laissez tomber | ça suffit | c'est assez | para | para ya | para todo
  pára | párate | detente | detén | deténgase | deténlo | basta | basta ya | cancélalo | cancela todo
  cancelar todo | no sigas | no continúes | no continúe | no, para | no, cancela | no, detente | olvídalo | déjalo
  ya basta | ferma | fermati | ferma tutto | fermalo | annulla tutto | non continuare | basta così | no, fermati
  no, annulla | lascia stare | smettila | smetti | pare | pare agora | pare tudo | para tudo | não continue
  não, cancela | não, pare | cancele tudo | chega | deixa pra lá | esquece | cancelar por favor | stop maar
  nee, stop | nee, stop maar | niet doorgaan | niet verder gaan | annuleer | annuleer alles | stop ermee
  laat maar | hou op | nee, dank je | nee dank u | cancel this please | cancel this operation please
  please cancel this | please cancel this operation | can we stop here please | please stop it | please stop now
  please stop immediately | please stop everything | stop everything now | stop everything please | stop all of it
  stop it now | stop it please | stop that please | stop now, please | STOP!!!! | Stop. | stop stop stop | NO!!!
  no!! | no.. | NOPE | nopes | cancel, I made a mistake | cancel, that was a mistake | cancel that, wrong emails
  stop, that's wrong | stop, this is wrong | stop! wrong ones | stop, wrong emails | no, that's wrong
  no, this is wrong | no, wrong ones | cancel, I changed my mind | I changed my mind, cancel
  i've changed my mind, please cancel | sorry, cancel | sorry, please cancel | sorry, stop | oops, cancel
  oops, stop | whoa, stop | wait, cancel | wait, cancel it | wait no, cancel | hey, stop | hey stop it
  oh no, stop | oh no, cancel that | hmm no, cancel it | ok, cancel | ok, cancel please | well, cancel it
  actually cancel it | actually, please cancel | actually, stop here | actually no, cancel
  on second thought, cancel | on second thoughts, stop | let's cancel it | let's cancel this | let's abort
  let's stop now | let's stop it here | let's end this | let's leave it | let's leave it there
  let's leave it at that | I want to stop here | I want to cancel this | I want you to cancel it
  I'd like to stop here | I'd like you to stop | i would like to abort | I need to cancel | I need to stop
  I need you to stop | you should stop | you must stop | you can cancel | you may stop | we should cancel
  we're done | we are done | I'm done | that's it, stop | that's all, stop | that will do | that will be enough
  that'll do | that's plenty | enough of this | enough, stop | enough now | no more, stop | no more, thanks
  no more items | no more emails | not any more | not anymore | no longer | don't do any more | don't do more
  do no more | do nothing | do nothing more | nothing more | don't do anything | don't do anything else
  do not do anything | don't do this | don't bother | don't run | don't run anything | do not run it
  don't execute | don't execute it | don't go on | don't go any further | don't go further | go no further
  don't carry on | don't keep going | don't you dare | please do not do this | I don't want to go ahead
  I don't want to proceed | I don't want you to continue | I don't want this anymore | I don't want any of this
  I do not want this | I do not confirm | I do not approve this | I disagree | I object | I refuse | no deal
  not approved, stop | declined | decline it | reject this | reject it please | rejected, cancel it | withdraw
  withdraw it | veto | quit it | quit now | exit | please quit | end the operation please | end this operation
  end it now | end it please | end it here | kill the operation | kill this | shut it down | shut it off
  call the whole thing off | call off the operation | discard | discard it | discard the rest
  skip everything else | skip all the rest | ignore everything else | leave the others | leave all the others
  leave the remaining emails alone | forget the whole thing | forget everything | forget this | no, forget it
  no, leave it | no, leave them | no, not now, cancel it | 🛑 stop | ❌ cancel | 🛑🛑 | 👎👎 | no 🙅 | no 😡 | cancel 😅
  stop ✋ | no way, stop | no way, cancel it | hell no, stop | absolutely not, stop | definitely not, cancel
  nope nope | nope nope nope | nah nah | not going ahead | not interested | no need, cancel it | no need, thanks
  no need to go ahead | no need to proceed | please cancel it now | just cancel everything | cancel all this
  cancel the entire thing | cancel the job | cancel this job please | stop the job | stop this now
  stop this right now | stop at once | stop immediately please | stop doing that | stop doing this
  stop what you are doing | stop that right now | you need to stop | I said stop | I said no | I said cancel
  no means no | please, stop | please please stop | can it | cut it out | knock it off | leave it be | let it be
  let it go | pull the plug | scratch that | scrap the whole thing | bin it | ditch it | drop the whole thing
  abandon it | abandon the operation | terminate this | terminate the run | finish here | end here | end now
  that's it, no more | no more, please stop | no further | no further batches | no further changes
  no more changes | no more changes please | no changes please | make no more changes | make no changes
  stop making changes | stop changing things | stop changing my emails | stop touching my inbox
  stop messing with my mailbox | quit labelling | quit archiving my mails | don't archive any more
  don't label any more emails | don't label them | don't mark anything | don't mark them | don't move my cards
  don't touch my emails | don't touch the rest | don't touch the other ones | do not touch my mail
  never touch my mailbox | leave my emails alone | leave my calendar alone | leave my things alone
  leave the remaining ones alone | leave everything else alone | leave everything alone | keep your hands off
  hands off my inbox | forget it, stop | forget that, cancel | forget about it, cancel it | nvm cancel | nvm, stop
  nvm, cancel it | never mind, abort | no, nevermind | no nevermind | ok nevermind | ok, nvm | no abort it
  no quit | no thanks cancel | nope cancel | nope stop it | nah cancel it | nah, forget it | nah, leave it
  no i don't want that | no I don't | no, I do not | no, don't do it | no, do not continue | no dont continue
  no, please cancel | no, please stop it | no, not this | no, not that | no not like this | not like this
  not this | not these | no, enough | no, no more | canccel | cancel lit | caancel | cancelk | cancrl | camcel
  xancel | cncel | cancle this | pls cancle it | cancell it now | no, cancle | stpo it | sttop | sotp it | abotr
  nevermnd | nevermidn | nein, brich ab | brich bitte ab | abbrechen, bitte | bitte sofort abbrechen
  sofort stoppen | bitte stopp das | stopp das | stoppe alles | stopp, bitte | alles abbrechen | alles stoppen
  nein, aufhören | hör auf damit | hör sofort auf | schluss | schluss jetzt | schluss damit | es reicht
  das reicht | genug | nein, genug | auf keinen fall | keinesfalls | bloß nicht | lieber nicht
  nein, lieber nicht | nicht anfassen | fass nichts mehr an | nein, mach das nicht | mach das nicht | tu das nicht
  abgelehnt | ich lehne ab | stop, annulez | arrêtez ça | arrêtez immédiatement | arrête maintenant
  arrête de marquer | arrête-toi | arrêtez-vous | non, annulez | non, annule tout | ne fais rien | ne faites rien
  ne touche à rien | surtout pas | certainement pas | pas question | n'y touche pas | refusé | je refuse | assez
  oublie | oublie ça | oubliez | laisse | non, laisse tomber | para por favor | para, por favor | por favor para
  por favor, cancela | por favor detente | detente ya | cancela ya | cancela por favor | cancela eso
  cancela la operación | no lo hagas | no hagas nada | no hagas más | no toques nada | no toques mi correo
  de ninguna manera | ni hablar | claro que no | mejor no | no, mejor no | rechazado | rechazo | abortar | aborta
  fermati subito | ferma subito | fermati per favore | annulla per favore | annulla l'operazione
  no, lascia stare | non farlo | non fare niente | non toccare niente | non procedere | assolutamente no
  meglio di no | certo che no | rifiuto | no, basta | pare por favor | pare com isso | parar | parar tudo
  cancela isso | cancele por favor | cancele a operação | não faça isso | não faça nada | não toque em nada
  de jeito nenhum | melhor não | não quero | não quero continuar | recuso | não, chega | stop alsjeblieft
  stop nu | stop onmiddellijk | stop alles | annuleer het | annuleren alsjeblieft | nee, annuleer | niet doen
  doe het niet | raak niets aan | genoeg | nee, genoeg | zeker niet | absoluut niet | liever niet | afgekeurd
  hou ermee op | kap ermee | cancel please, I made an error | cancel, wrong label | cancel, not what I wanted
  stop, not what I wanted | stop, these are the wrong ones | stop, I clicked by mistake
  sorry, that was a mistake, cancel | my mistake, cancel | oops wrong one, cancel | no, those are the wrong emails
  no that is not right | no, not right | that's wrong, cancel | that's wrong, stop | this is wrong, cancel it
  it's wrong, stop | that's not what I wanted, cancel | that's not right, stop | hey hey stop | woah stop
  yikes, stop | argh stop | ugh, cancel | damn, stop | omg stop | hold it, stop | wait wait stop | ok ok cancel it
  fine, cancel it | right, cancel it | ok so cancel it | so cancel it | then cancel it | then cancel | then stop
  and stop | now stop | now cancel it | please now stop | actually let's stop | actually let's not
  actually forget it | actually I don't want this | I'd rather you stopped | I'd prefer to cancel
  I prefer not to | I would prefer to stop | I wish to cancel | I wish to stop | I've had enough
  I have had enough | I've seen enough | I don't want to do this | I don't want any more | I don't want more
  I don't want you to do this | I don't want it anymore | I don't agree | I'm not okay with this
  I'm not ok with that | I'm against it | I do not consent | I withdraw my approval | permission denied
  access denied | request denied | not authorized | approval denied | vetoed | thumbs down | no ❌ | ❌ no
  cancel ❌ | 🛑 no | stop 🛑🛑 | 👎 no | 👎🏾 no thanks | no 👎👎 | no 🙏 | stop 🙏 | please stop 😭 | stop 😱
  no, stop please | no thanks, stop | no, cancel this | No, cancel everything. | please cancel everything
  please cancel all of it | cancel the rest please | cancel the remaining items | stop the rest | stop after all
  stop, please! | stop now!! | STOP IT | just stop now | please just stop | stop the batch run | stop this job
  abort this operation | abort now | abort everything please | please end this | please end the operation
  quit it please | halt everything | terminate it now | kill it now | let's cancel this operation
  let's stop this | let's not go on | let's not do this | let's call it off | I want to stop this
  I want to cancel everything | I'd like to cancel the operation | I don't want to go on | I don't want this
  I no longer want this | do not continue please | please do not proceed | don't proceed, please
  don't go on please | don't run it please | don't do that please | don't start it | do not start
  don't archive my emails | please stop archiving | please stop deleting my mails | stop labelling my inbox
  stop moving things | stop touching my calendar | no more archiving please | no more deleting
  no more changes to my inbox | don't touch my calendar please | do not touch anything else
  leave the rest alone please | that's enough, stop | enough, cancel | ok that's enough | okay, stop here
  ok, stop it | alright, cancel the operation | yes, cancel it please | yes, stop it | sure, stop it
  actually, stop it | actually, don't | actually never mind | oh never mind | oh no, cancel it | oops, cancel that
  sorry, cancel it please | sorry, stop it | I changed my mind, stop it | changed my mind, cancel
  my mistake, stop | wrong emails, cancel | wrong ones, stop | that's wrong, cancel it
  cancel, that's the wrong label | stop, wrong label | no, that's not right | no!! stop!! | nope, cancel
  nope. stop. | never mind, cancel please | forget it, please | forget it, thanks | forget it, stop it
  nevermind please cancel | no stop please | no cancel please | cancel cancel | cancel, cancel!
  stop!!! cancel!!! | cancel 👎 | no 🛑 | cnacel | canecl | cancl it | canncel | cancle please | plz cancle
  cancell the operation | cancle everything | satop | stpo please | abrt | aboort | nein, stopp das
  nein, abbrechen bitte | bitte nicht weitermachen | stopp sofort | alles stopp | bitte alles abbrechen
  nicht mehr weiter | non, arrêtez | arrêtez, s'il vous plaît | annulez, s'il vous plaît | arrête immédiatement
  non, stop | cancela, por favor | no, para ya | detente, por favor | basta, cancela | fermati, per favore
  annulla, grazie | basta, ferma | pare, por favor | cancela tudo | stop, alsjeblieft | annuleer alsjeblieft
  nee, niet doorgaan | nee, stop nu
  brich die operation ab | stopp die operation | bitte stopp das ganze | beende die operation | lass den rest
  schluss jetzt | nichts mehr machen | bitte sofort stoppen | doch nicht, abbrechen | vergiss es, abbrechen
  on annule | non merci, annule | arrête ça | laisse tomber | j'ai changé d'avis, annule | ne fais plus rien
  je ne veux pas continuer | il faut arrêter | mets fin à l'opération | d'accord, annule | cancela la operación
  para todo | basta ya | me equivoqué, cancela | deja el resto | puedes parar | mejor para | ok, cancela
  es un error, para | no continúes | annulla l'operazione | ferma tutto | basta così | è sbagliato, annulla
  lascia il resto | puoi fermarti | preferisco annullare | interrompi l'operazione | no, ferma
  cancela tudo por favor | pare a operação | mudei de ideia, cancela | não faça mais nada | chega, pode parar
  prefiro cancelar | interrompe a operação | não, pare | annuleer alles | stop de operatie | ik heb me bedacht, stop
  ga niet door | laat de rest | ik wil annuleren | oké, annuleer | nee, stop | 请停止 | 不用了，谢谢 | 好，取消吧
  stop it right here | nope, cancel that | stop everything, this is wrong | hmm no, cancel it
  please don't touch the rest | this isn't right, cancel it | enough for today, please stop | I'd rather you stopped
  you can cancel the rest | I don't think we need this, cancel it | ok cancel everything | no more emails please
  can you stop it now | changed my mind, leave it`);
