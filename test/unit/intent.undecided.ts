const list = (text: string): string[] =>
  text
    .split(/\n| \| /)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Messages that decide nothing: limits, conditions, questions, doubt, and other subjects. */
export const NO_DECISION = list(`
  just those too | those too | those as well | label them too | the same for those | yes, but no other changes
  I don't want any other emails | enough labels for today | enough of this for today | only the last one is wrong, continue
  continue with only the first two | all except the first and the last | not the first one | only the first two
  do the next 3 | half of them | continue, but leave Thing 4 alone | also skip the third one | just the first
  only Bob | only these two | everything but the last three | the first half | skip 2 and 4 | leave out number 3
  without the second | not Bob | not those | all but Anna | not all of them | some of them | a few of them
  only half | continue with half | just five for now | only unread ones | only the ones from Anna | do one first
  try one first | start with one | one at a time | do a smaller batch | undo that | undo the last batch | revert
  revert that | roll back | retry the failed ones | can you undo it | what happens next? | why did it fail?
  what went wrong? | how long will it take? | how many are left? | is it done? | who started this? | are you sure?
  is that safe? | which ones? | show me the list | show me first | tell me more | explain | continue?
  shall I continue? | should we go ahead? | can I stop it? | do I have to confirm? | may I cancel later?
  what if I cancel? | what if I say yes? | could you stop? | can you cancel it? | would you stop, please?
  cancel? | stop? | really? | ok? | yes? | no? | continue tomorrow | continue later | continue in an hour
  proceed after lunch | go ahead on Monday | stop after this one | cancel after this batch
  stop when you reach 20 | stop at 50 | cancel if anything fails | stop if it fails | continue if it works
  continue unless Bob objects | continue as long as it works | yes if it is reversible
  ok but only if Anna agrees | go ahead once it's approved | when I say go, continue | wait until I'm back
  hold off for now | not now | not yet | maybe later | later | wait | hold on a second | give me a minute
  let me check | let me think about it | I need to check first | one sec | pause | pause here | on hold please
  maybe | maybe yes | maybe not | I'm not sure | not sure | I don't know | idk | dunno | hmm | hmm ok | uh
  I guess | I guess so | I suppose | if you think so | whatever you think | up to you | you decide | as you wish
  as you like | your call | either way | I think yes | I think we should continue | probably | probably not
  possibly | yes and no | yes or no | yes no | no yes | yes, no | ok no | sure, cancel | ok stop | stop, continue
  no, continue | cancel no continue | continue then cancel | don't stop | don't cancel | do not stop
  don't cancel it | please don't stop | never stop | I don't want to stop | I don't want to cancel
  no need to stop | no, don't cancel | not cancel | stop stopping | cancel the cancellation | undo the cancel
  un-cancel | suuuure | yeah right | yeah, sure | sure, whatever | oh great | great, just great | oh sure, why not
  fine, whatever | wow ok | ok... | yes... | sure... | well... ok | yes yes yes | ok ok ok | go go go
  continue continue | next next next | yes to all | continue all | do them all | run everything | do all of them
  continue with everything | run all batches | all remaining batches | next two batches | next 3 batches
  2 more batches | continue twice | keep going until the end | keep going until done | don't ask again
  always yes | never ask again | auto continue | he said yes | she wants to continue | Bob says stop
  my boss said cancel | they told me to stop | you said continue | I said continue yesterday | "continue"
  "cancel" | 'stop' | say cancel | type continue | write stop | the word is cancel | what does cancel do
  what does continue mean | does stop end it | how do I stop | how to cancel | where is the cancel button
  I hit cancel by mistake | I cancelled by accident | did you cancel? | was it cancelled? | is it cancelled
  has it stopped | why did it stop | it stopped | it was cancelled | cancel my subscription | cancel my flight
  cancel the meeting with Bob | cancel Bob's appointment | stop the music | stop the timer
  stop sending me newsletters | stop calling me Dave | don't touch the invoice | don't delete the invoice
  don't archive the mail from Anna | don't label the first one | don't forget the milk | don't worry | no worries
  no problem | no idea | no clue | no comment | no wonder | no one knows | not bad | not a problem
  enough food for two | that's enough milk | leave at noon | leave me a note | drop me a line | drop the ball
  end of story | quit smoking | exit the building | kill time | halt the press | para qué | basta con eso?
  stop and go | stop by the shop | stop over in Paris | go home | go away | go back | go slower | go to sleep
  next week | next time | next song | start over | start again | start a new one | start with the second batch
  run the tests | run away | run a report | do the dishes | do something else | do nothing for now
  proceed to checkout | continue the story | continue reading | move on to something else | move on with your life
  move it to trash | forward it to Anna | forward this mail | confirm my appointment | approve the invoice
  accept the invitation | reject the invitation | decline the meeting | delete the label | archive this too
  label them differently | use another label | change the label to Later | change the batch size
  make it 5 at a time | add Bob too | include Bob as well | and the calendar? | what about drafts?
  what's the weather | hello | hi | good morning | thanks | thank you | thanks a lot | nice | great | cool
  perfect | good | done | ready | lol | haha | 😀 | 🤔 | 🤷 | ? | ... | 42 | test | asdf | contiune | continu
  procced | confrim | yse | cancer | cancels my plans | candle | channel | step | shop | steps | canal | about
  report | continue with the first three only | just numbers 1 and 2 | everything apart from Anna
  go on without the last two | only two of them | the last one only | not number 4 | all but one | skip a few
  most of them | keep Bob out of it | Bob stays | leave Bob as he is | continue but not for Bob | yes, minus two
  yes, the first five | do three | five more then stop | ok but smaller batches | continue more slowly
  continue with a different label | continue as Bob | continue in French | continue on my phone | undo
  undo everything | take it back | put them back | redo | repeat | again | retry | try it with another label
  restart from the beginning | begin again | from the top | back | go back one | previous | last batch again?
  can you go on? | will you go on | would you mind continuing | are we done? | do we proceed? | what now?
  now what | and then? | so? | how come? | why? | why not? | what's wrong? | huh? | what? | pardon? | sorry?
  come again? | who is Bob | what does it do | how does it work | is it reversible | is there a way back
  does it delete anything | do I lose anything | how much will it cost | in a bit | in a sec | soon | tonight
  next monday | at noon please | after the meeting | once I'm home | when it's quiet | as soon as Bob is back
  not before five | not today | not at the moment | for the moment no | no for now | no, later | yes, later
  ok, tomorrow | stop at the end | stop after the next | cancel tomorrow | cancel it later
  cancel unless it works | stop when done | hang on | just a moment | bear with me | stand by | let me see
  let me look | checking | thinking | wait for Anna | wait for my ok | I'm looking at it | no idea yet | undecided
  on the fence | mixed feelings | 50/50 | hard to say | who knows | could be | perhaps not | might be fine
  should be ok | ought to work | seems ok | it seems fine I think | I hope so | hopefully | fingers crossed
  let's hope | let's see | let's wait | let's wait and see | let's talk about it | we'll see | we could stop
  we might continue | you could continue | I could stop | I may cancel | I was going to cancel
  I was going to say yes | I would say yes but | yes but | ok but | sure but | no but | well yes but no
  yes, wait | no, wait | ok wait no | stop, no, go on | cancel, or continue | go or stop | stop/go | y/n | yes&no
  don't stop now | don't stop yet | don't quit | don't abort | do not abort | do not end it | don't end it
  don't kill it | never cancel | never give up | please never stop | can't stop | won't stop | nonstop
  no stopping | no cancelling | no quitting | not stopping | stopping is not an option | stop is not what I want
  cancel is wrong | cancel was a typo | not a cancel | I did not say cancel | I never said stop | who said stop?
  who cancelled? | yeah yeah | yeah yeah sure | sure thing buddy | oh joy | oh yes please no | great idea... not
  fantastic, it failed | wonderful, another error | brilliant, broken again | thanks for nothing | nice try
  good grief | good luck | good night | good question | well well | well done | good job | great work | nice one
  very funny | yes yes, I know | ok I see | ok got it | got it | I see | understood | noted | interesting | wow
  oh | ah | mhm | uh huh | k thx | ok bye | yes mom | fine, be that way | sure, blame me | right | right?
  exactly | true | correct? | same | ditto | all of it please | the lot | everything please | all at once
  in one go | without asking | no more questions | stop asking | stop asking me | don't ask me | quit asking
  just finish everything | do it all | complete everything | finish all of them | run to the end | go to the end
  process all batches | approve all batches | yes for all | yes to the next five | ten more batches | three times
  again and again | loop it | she cancelled | Bob stopped it | Anna approved | someone said go
  the manual says continue | tell Bob to stop | ask Anna to continue | let Anna decide | Anna should confirm
  remind me to cancel | stop Bob | cancel Bob | abort the pregnancy scene | cancel culture | stop motion
  full stop | bus stop | non-stop flight | pit stop | stop sign | stop words | end user | dead end | weekend
  exit code | exit poll | quit rate | kill switch | kill bill | drop table | drop shipping | drop-off time
  halt and catch fire | no smoking | no entry | no name | no reply | no label | no labels found | no more coffee
  no more milk please | no more meetings today | enough money | enough said | enough about me | leave early
  leave of absence | annual leave | leave a comment | don't panic | don't mention it | don't know | don't care
  don't mind if I do | don't you think? | don't we all | touch base with Bob | don't touch the stove
  don't touch my car | stop the car | stop the bus | stop smoking | stop labelling people | please stop by
  leave my wife alone | no more deleting of scenes | archive the project | mark my words | mark is here
  label printer | continue button | continue watching | next door | next of kin | next to the window | go figure
  go fish | go pro | going home | run time | runny nose | begin the beguine | starter pack | move fast
  proceeds from the sale | carry the bag | carrying on luggage | approve vacation | confirm by mail
  resume attached | my resume | résumé | send it to Bob | hit the road | press release | push notification | okra
  yesterday | yesteryear | nope.avi | noon | November | nonsense | sterling | stapler | concealer
  cancer research | counsel | council | tunnel | arbor | abbot | annual | anular | parade | pareo | basta pasta
  paragraph | park | das reicht nicht | genug Zeit | assez bien | pas mal | para mí | para Bob | ferma restante
  pare de sufrir | stop loss | only the first one please | skip Bob | all but two | continue but slower
  wait a second | not right now | maybe next week | stop for a moment | stop at item 5 | stop before the last one
  continue until 50 | continue when Anna is back | cancel only this batch | cancel just the last one
  cancel the second one | don't label the second one | don't touch the invoice from Bob | leave the last one alone
  should I stop? | can I continue? | do you recommend continuing? | why should I cancel? | what does that mean?
  is it too late to cancel? | could you cancel the meeting? | cancel my order
  cancel my subscription to the newsletter | stop reminding me | stop the alarm | stop tracking my orders
  don't send the report | don't remind me | don't call me | no label needed | no more reminders
  no more newsletters from them | stop emailing Bob | continue the conversation with Bob | continue my draft
  next email | next page | next week's report | start a new operation | start the report | run a search
  run the report | go to page 2 | proceed with the payment | approve Bob's request | confirm the meeting with Anna
  accept the meeting | reject the meeting | ok google | ok computer, lights off | yes but only tomorrow
  no but maybe later | yes, no, wait | no, yes | ok cancel continue | cancel or not? | stop or go?
  continue or stop | I said continue, not cancel | I did not say continue | please don't cancel it
  don't ever stop | never cancel it | not cancel, continue | stop cancelling | I can't continue | I cannot stop
  he cancelled | was it stopped by Bob? | thanks for cancelling | sure sure | yeah yeah yeah | right, right
  ha, sure | oh sure, go ahead... | sure, what could go wrong | fine, I don't care | whatever | meh
  good morning, continue? | hmm, continue I guess | probably continue | I think cancel | I'd maybe cancel
  cancel? or not | not sure, cancel? | status | how many left | list them | 3 | three | all | none | some | both
  neither | continuez? | weiter? | abbrechen? | nicht abbrechen | nicht stoppen | n'arrête pas | no pares
  no canceles | non fermarti | não pare | niet stoppen | ne pas annuler | no cancelar | contniue | proceeed
  confrm | yess... | noo? | cansel?
  let me look at them first | next week is fine for the meeting | all except the last two
  who won the game last night? | attends | non ancora
  why don't you just delete everything while you're at it | just a minute | wacht even
  probably stop, not sure | wat gebeurt er als ik annuleer? | sí y no | next 3 only
  oh sure, because the last batch went so well | stop using emojis | proceed once I've checked the first batch
  hazlo todo de una vez | not sure yet | what does 'cancel' do exactly? | give me five minutes | wait please
  do the next thirty | not just yet | mais tarde | show me the first ten again
  continua se non ci sono errori | eu não disse para cancelar | skip the first four and do the others
  who said continue? | should i continue? | please do not cancel | stop for now | go stop
  continue but without the archived ones | only the first five | do 3 more | do all 40 | todavía no
  plus tard | wacht | go ahead if it's safe | i'll cancel if it annoys me | i never said stop
  cancele minha assinatura | translate 'continue' into German | just one more item
  ich habe nicht abbrechen gesagt | più tardi | let me think | stop calling me Bob
  i'll say continue when I'm ready | alleen de eerste vijf | do everything
  continue with the next two batches | todos menos o terceiro item | yeah right, as if i'd continue
  ok but check the last batch first | thinking about cancelling | cancel only the third one | alles auf einmal
  continue with number 12 only | let's continue on Monday | show me my resume | nog niet | fai tutto insieme
  should I cancel? | run all | warte kurz | est-ce que je dois continuer ? | seulement les cinq premiers
  continue if the first ten look right | sigue solo si no hay errores | which emails are in the next batch?
  the next five only | annulla il mio abbonamento | continue tomorrow morning | stop go | don't do the seventh
  one more batch and then cancel | please cancel my flight | continue 3 times | morgen weiter
  run all of them | wait a sec | continue and then stop | continue as long as it doesn't touch starred mails
  no dije que cancelaras | go ahead and order pizza | don't cancel yet | why do I have to say continue?
  cancela mi suscripción | that's enough for today, continue tomorrow | o que acontece se eu cancelar?
  cancel number 4 | do the next 20 | attendez une minute | on continue demain
  abbrechen, falls etwas schiefgeht | all remaining in one go | i'm not sure | hold on | ele disse "continue"
  do everything at once | don't say continue | cancel the meeting on Friday | i didn't say continue
  stop when you reach 30 | später weitermachen | only the first 5 please
  i'd love to continue but I have a meeting | maybe continue | i might continue | faça tudo de uma vez
  i guess? | how long will the next batch take? | ask me later | ik zei niet annuleren
  my boss wrote "go ahead" | moment bitte | no wait, yes, or actually no | cosa succede se annullo?
  all but the third | skip the next one | ¿qué pasa si cancelo? | espera
  carry on luggage rules for Lufthansa | pas encore | wow, what a brilliant job, not | continue cancel
  next two batches please | carry on once I'm back | n'annule pas | cancel if it takes longer than a minute
  él dijo "continúa" | the manual says to type cancel | stop if you see anything from HR
  keep going until I say stop | keep going to the gym on my calendar | continua domani | not yet please
  he said 'continue' | sigue con el informe | não cancele | shall we go on? | only the ones from Peter
  hij zei "ga door" | continue the translation from before | cancel only if it fails again | devo continuare?
  continue with the slides for Monday | continue but skip the newsletters | are you done? | kündige mein abo
  annule mon abonnement | soll ich weitermachen? | ga door als er geen fouten zijn | continue with the report
  can i still cancel? | the subject line is "Stop" | list the remaining items
  cancel the order from yesterday | abort if something goes wrong | probably yes | cancel what?
  continue writing the letter | stop what? | Tom: "yes, continue" | go ahead and email Bob
  cancel my dentist appointment | solo i primi cinque | continue only if none of them is from my boss
  continúa mañana | keep going till the end without asking | stop sending me notifications
  continua con la relazione | stop after the next two batches | go where? | continue s'il n'y a pas d'erreur
  continue but in batches of 5 | nur die ersten fünf | weiter mit dem bericht | niet annuleren
  annuleer mijn abonnement | if you want | tous sauf le troisième | i'll continue this afternoon
  continue what? | só os cinco primeiros | ¿debo continuar? | ainda não | go ahead and book the table
  run the next three batches | stop if it gets slow | que se passe-t-il si j'annule ? | only items 11 to 15
  peut-être | devo continuar ou não? | quit smoking plan please | espere um pouco | straks
  should we continue or cancel? | continue after lunch | stop, i mean wait | what happens if i cancel?
  alle bis auf den dritten | moet ik doorgaan? | do not proceed until I tell you | i might cancel
  los próximos dos lotes | i can't say yes to that right now | stop after the next batch | hang on a minute
  let's do the next batch tonight | doe alles in één keer | espera aí | tutti tranne il terzo
  she told me to say continue | finish the whole lot without asking again | everything except the invoices
  aspetta | i need to check something before we continue | warte | il a dit « continue » | espera un momento
  sure, and pigs can fly | next Tuesday at 10 | er hat "weiter" gesagt | he said "cancel"
  proceed only after the backup is done | is it safe to continue? | cancel or maybe continue
  les deux lots suivants | i was going to say continue | stop by the bakery on the way home
  process all remaining batches | what happens if I say continue? | ask me again in an hour
  add milk to the shopping list | do you think i should continue? | ga verder met het verslag | cancel Netflix
  cancel the 3pm call with Lisa | ha detto "continua" | continue, no cancel, no continue
  can i continue later? | aspetta un attimo | continue com o relatório | can I cancel later? | ja und nein
  pause please | i didn't mean yes | proceed when Tom confirms | continue le rapport
  what does continue mean here? | todos menos el tercero | the word 'continue' has eight letters | one moment
  go ahead unless Anna objects | if you must | más tarde | weiter, wenn keine fehler da sind
  ok but use a different label | the mail says 'please proceed' | go ahead next week | continue amanhã
  pause here for now | which ones did you do? | perhaps | fais tout d'un coup | stop by the office
  continue if there are no errors | maybe cancel | morgen verder | i wouldn't cancel that | don't continue yet
  wait a moment | i didn't tell you to go ahead | oh great, another ten wrong labels, well done
  what's the weather tomorrow? | yes, no, maybe | continue in ten minutes | non annullare
  go ahead and delete the draft | how do I stop this? | solo los cinco primeros | do half of them
  keep going until you hit March | je n'ai pas dit d'annuler | go ahead if you can undo it later | noch nicht
  start a timer for 10 minutes | continue, but only the ones from Anna | Continue if there are no errors
  yes, unless it's a recurring event | Only if it doesn't touch shared calendars
  go ahead as long as nobody gets notified | Continue except for the invoices
  Yes but skip the ones marked urgent | ok but use the blue label instead | Keep going until you reach March
  Go ahead once Peter has approved | Continue after lunch | Wait a minute | Not yet | Give me five minutes
  Continue tomorrow morning | Pause for now | Let me check first
  I need to look at the first ten before you go on | I'll get back to you | Yes, in an hour
  could you continue | Can you continue? | Would you please go ahead | Should I continue?
  Is it safe to continue? | What happens if I cancel? | What does continue do | How many are left?
  Which items did you process? | Can I undo this later? | Why did you archive the roadmap card? | Did it work
  how long will the next batch take | Can you show me the next ten first? | What's in the next batch
  Just 5 more | Only three this time | Continue with two items | do the next 5 and then ask me
  One more batch and then stop | Next batch, then cancel | Do all the rest | Continue with all remaining items
  Process all 40 | Finish everything without asking again | run the next two batches
  Next three batches please | Just keep going till you're done | Don't ask again, just do it | Do not cancel
  don't cancel, please | Never stop | I didn't say continue | I'm not saying no | I can't say yes to that
  No problem | no worries, go ahead | Yes, cancel | continue stop | Continue or cancel, I don't care
  Stop, I mean continue | yes no maybe | Not sure | You decide | Sure, ruin my whole calendar, why not
  Oh great, go ahead and break everything | yeah sure | contineu | My boss said "continue"
  no need to confirm | I don't have to confirm | no need to approve it | I don't want my emails deleted
  wonderful, another batch | great, one more batch | oh great, the next batch | oh no | oh no, not again | cancel is wrong
  wonderful, another batch of errors | 继续吗 | 如果没问题就继续 | 明天继续 | 先别继续 | 他说继续 | 继续前两个
  不要取消 | 别停 | 取消会议 | 取消第三个 | 停一下 | 好吗 | 好的，等一下 | 不行 | 好吧 | 继续…… | si continua
  The email says 'go ahead', what does it mean | You told me to say 'continue' or 'cancel'
  What's the weather in Berlin tomorrow | Create an event for Friday at 3pm
  Send a mail to Julia that I'm running late | weiter, aber nur die ungelesenen | attends un peu
  confirmado? | no confirmado | nicht bestätigt | bestätigt von Anna | mejor para mañana | quiero parar mañana
  para el lunes | puedes parar la música | nicht einverstanden | confirmo la cita | esegui | ejecuta | exécute
  du kannst nicht abbrechen | ik wil niet stoppen | no quiero parar | je ne veux pas arrêter | non voglio annullare
  não quero cancelar | ich will nicht abbrechen | tu peux annuler mon rendez-vous | puoi annullare la riunione
  lieber nicht abbrechen | besser nicht stoppen | non fermarti | no pares | nicht abbrechen | ne t'arrête pas
  stop niet | não pare | va bene così com'è? | deja de fumar | je suis d'accord avec toi mais
  ich bin einverstanden aber nicht mit allem | puedes ejecutar todo | exécute tout | alle ausführen
  alles ausführen | ejecuta todos los lotes | esegui tutto | execute tudo | voer alles uit | ja ja | ja, ja
  oui oui oui | sí sí | sim sim | ja nein | nein ja | sí no | oui non | vielleicht ja | creo que sí
  je crois que oui | penso di sì | acho que sim | ik denk van wel | ich glaube schon | ja wenn Anna zustimmt
  sí si Ana está de acuerdo | oui si Anna confirme | sì se Anna è d'accordo | sim se a Ana confirmar
  ja als Anna akkoord is | ja aber langsam | continue mais doucement | bestätigt? | wer hat bestätigt
  freigegeben von wem | einverstanden? | d'accord ? | de acuerdo? | va bene? | weiter machen? | soll ich abbrechen
  dois-je continuer | debo continuar | devo continuare | devo continuar | moet ik doorgaan | ich habe mich geirrt
  me equivoqué | ho sbagliato | está errado | het is fout | j'ai tort | das ist falsch | es un error
  kann ich abbrechen? | puedo cancelar? | posso annullare? | posso cancelar? | kan ik stoppen? | puis-je annuler ?
  wie kann ich abbrechen | nur abbrechen wenn es fehlschlägt | para si falla | arrête si ça échoue
  stop als het mislukt | abbrechen nach diesem batch | para después de este lote | arrête après ce lot
  annulla dopo questo lotto | weiter bis zum ende | sigue hasta el final | continue jusqu'à la fin
  alle weiteren batches | todos los lotes | tous les lots | tutti i lotti | dos lotes más | zwei weitere batches
  encore deux lots | ja zu allem | oui à tout | sí a todo | er sagte ja | elle a dit oui | dijo que sí | ha detto sì
  "ja" | 'oui' | weiter lesen | continúa leyendo | continue la musique | mach das licht an | starte die musik
  lance la musique | ejecuta la canción | esegui il brano | procesa mi pedido | mach das fenster zu
  starte den timer | mit zucker | avec plaisir peut-être | el lote | le lot | il lotto | den batch | de batch
  o lote | mit den batch | con el lote ... | starte den ofen | ja, starte den ofen | confirmo mañana
  confermo domani | bestätige morgen | ich bestätige später | ich stimme nicht zu | je ne confirme pas | no confirmo
  non confermo | não confirmo | ik bevestig niet | 不同意继续吗 | 确认一下 | 可以吗 | 可以取消吗 | 同意？ | 好吗 | nochmal morgen
  de nuevo no | nicht nochmal | no otra vez | pas encore une fois | non di nuovo | opnieuw? | nochmal?
  noch einmal so viele | otra vez tú | encore une fois plus tard | nochmal alle | nochmal und nochmal
  wieder falsch | repite eso | repite lo que dijiste | ripeti la domanda | tente de novo amanhã | nein, nochmal
  no, otra vez | not again | never again`);
