import { list } from './intent.table';

/**
 * What people say who neither confirm nor refuse, by what they mean. The vocabularies are not tuned to them: a message that
 * is not recognised stays here, and the test counts it.
 */
export const MEANT: Record<string, string[]> = {
  retry: list(`
    redo the ones that had errors | try those again please | could you redo the two failures
    run the two that failed again | I'd like you to try the failed ones again
    please process the failed emails again | versuch die fehlgeschlagenen nochmal
    kannst du die beiden nochmal versuchen | bitte wiederholen | réessayez les deux qui ont échoué
    refais ceux qui n'ont pas marché | vuelve a intentar los que fallaron | prueba otra vez con los que dieron error
    riprova con quelli che sono falliti | per favore riprova quelli non riusciti | tenta de novo os que falharam
    probeer die twee nog een keer | 再试一次失败的 | have another try at the ones with problems | repeat those that failed
    retry number 3 and 7 | die gescheiterten erneut versuchen | essaie de nouveau ceux qui n'ont pas fonctionné
    prueba de nuevo los que no funcionaron | riprova i due che non sono andati | repita os dois que falharam
    nog een keer proberen`),
  take_back: list(`
    put them back | take off the labels you added | roll back the last batch | undo the ten you did
    bring back the ones from batch 1 | take the label off those ten again | mach die änderungen rückgängig
    stell alles wieder her | alles zurück bitte | annule les changements | enlève les étiquettes du premier lot
    peux-tu défaire ça | deshaz los cambios | vuelve atrás | deshaz lo que hiciste | annulla l'ultimo lotto
    torna indietro | desfaça as alterações | tira as etiquetas de novo | draai het terug
    maak het ongedaan alsjeblieft | 撤销上一批 | I want to revert the first batch | undo those ten
    undo the changes you made | move everything back | nimm das zurück | mach es ungeschehen
    peux-tu revenir en arrière | il faut tout remettre comme avant | quita las etiquetas que pusiste
    puoi tornare indietro? | tire as etiquetas que você colocou | verwijder de labels weer`),
  left: list(`
    What's left to do? | how much more is there | how many items still need doing | are there many left
    what else is left | wie viele fehlen noch | wie viele stapel sind es noch | il en reste combien ?
    combien d'éléments reste-t-il | cuántos faltan todavía | cuántos correos faltan | quanti ne restano | cosa manca
    o que falta fazer | hoeveel zijn er nog over | wat is er nog over | 还有几批 | what is left
    how many emails remain to be labelled | are there any more batches after this one | was fehlt noch
    combien en reste-t-il à traiter | ¿quedan muchos? | che cosa rimane | faltam muitos? | zijn er nog veel`),
  status: list(`
    how many have you finished | how many batches have you done | what's done so far | did they all work?
    how far did you get | so how many did you already change | wie weit sind wir | wie viele sind erledigt
    hat alles geklappt | combien en as-tu fait | quel est l'avancement | où en sommes-nous ? | cuántos has hecho ya
    ¿ya terminaste? | a che punto sei | è andato tutto bene? | quantos você já fez | já terminou? | hoe ver ben je
    ben je klaar? | 完成了多少 | how many were successful | how is this going | did batch 1 work | how's it coming along
    wie steht's | wurde schon was geändert | est-ce que ça a marché ? | ¿funcionó el primer lote?
    il primo lotto è andato bene? | o primeiro lote deu certo? | is de eerste batch gelukt?`),
  errors: list(`
    which of them failed | why did those two fail | show me the two that failed | did any of them fail?
    can you list the failures | any failures so far? | welche sind fehlgeschlagen? | welche haben nicht geklappt
    wie viele sind fehlgeschlagen | quels sont les deux qui ont échoué | quelles erreurs | quelles sont les erreurs
    qué dos fallaron | qué salió mal | quali due sono falliti | quanti sono falliti | quais dois falharam
    quantos falharam | welke twee zijn mislukt | hoeveel zijn er mislukt | 为什么失败 | which emails had an error
    was there something wrong | what are the failures | liste der fehler bitte | wo gab es probleme
    qu'est-ce qui a planté | ¿por qué fallaron esos dos? | perché due sono falliti | por que esses dois falharam
    waarom zijn er twee mislukt`),
  items: list(`
    let me see the list again | can I see the emails | what's on the list | what would you label now
    welche mails sind das | welche kommen als nächstes | montre-moi la liste | c'est lesquels | muéstrame la lista
    la lista por favor | mostrami la lista | mostre a lista | laat de lijst zien | 显示列表 | which ten emails
    what are they | give me the list | kann ich die liste sehen | quels sont les dix | ¿puedo verlos?
    posso vederli? | o que tem no lote? | wat zit erin?`),
  change: list(`
    what will this do | what exactly happens now | what do you do with those | was passiert wenn ich ja sage
    was hast du vor | qu'est-ce qui va changer | ¿qué pasa si digo que sí? | cosa succede se dico sì
    o que acontece se eu disser sim | wat gebeurt er als ik ja zeg | what does continue do | wozu sage ich ja
    que va-t-il se passer | qué les vas a hacer | o que vai acontecer com eles`),
  undo: list(`
    can I still undo it after that | lässt sich das rückgängig machen | peut-on annuler après ? | ¿es reversible?
    è reversibile? | é reversível? | is het omkeerbaar? | can I revert this afterwards
    puis-je défaire après coup ? | posso desfazer depois?`),
  extend: list(`
    can I have more time? | please keep it open longer | j'ai besoin de plus de temps | mi serve più tempo
    até quando posso responder? | I need another 20 minutes | wie lange habe ich noch zeit | ¿cuánto tiempo tengo?
    hoe lang heb ik nog`),
  confirmations: list(`
    who said yes to the first one? | qui a confirmé ? | chi ha confermato? | who approved this | qui a validé ça
    quem aprovou?`),
  put_off: list(`
    not now | hold on a second | give me a minute | I need to check something first | maybe later | come back later
    I'll look at it later | wait for now | don't continue yet | hold off for now | I'll tell you when I'm ready
    one sec | I'm still checking | I want to look at them first | no, wait | jetzt nicht | warte kurz | sekunde
    ich muss erst nachsehen | ich melde mich später | frag mich später | mach noch nicht weiter | nein noch nicht
    pas maintenant | attends un peu | une minute | laisse-moi réfléchir | on verra plus tard | patiente
    donne-moi une minute | aún no | después | un momento | espera un poco | tengo que revisarlo primero
    dame un minuto | non adesso | aspetta | un momento | fammi controllare | no, non ancora | agora não | espere
    só um momento | preciso verificar antes | calma aí | nu niet | wacht | een moment | laat me nadenken
    vraag het later | 稍等 | 等等 | let me have a look first | let's hold off | one second please | later please
    hold your horses | warte bitte | später bitte | ich melde mich | ich bin gerade beschäftigt
    plus tard s'il vous plaît | je te dis ça plus tard | je vais réfléchir | j'ai besoin de réfléchir
    más tarde por favor | aún no lo sé | ahora mismo no puedo | più tardi per favore | non lo so ancora
    adesso non posso | mais tarde por favor | ainda não sei | agora não posso | later alsjeblieft
    ik weet het nog niet | nu kan ik niet | 我先看看`),
  doubt: list(`
    perhaps | I'm not sure yet | up to you | keine ahnung | peut-être | je ne suis pas sûr | no estoy seguro
    non lo so | não tenho certeza | geen idee | um yes… | es kommt darauf an | hangt ervan af`),
};

/** Other subjects, also those that an ended operation may be mistaken for. */
export const ABOUT_SOMETHING_ELSE = list(`
    show me my calendar | list my labels in gmail | how many emails are in my inbox | how many people live in Lisbon
    what's left in the fridge | who won the match | why is the sky blue | undo my last tweet
    put the milk back in the fridge | take the dog back home | restore my phone from backup | bring the car back
    try the other restaurant again | call Bob again later | remind me to call Anna later
    what's the status of my order | how far is Paris | how long is the flight | what time is it
    which restaurant is good | show me pictures of cats | what happened in the news | who is the president
    what happens in the movie | move my dentist appointment to tomorrow morning at nine
    wait for the bus at ten with Tom | send it again to Bob | how many calories are in an apple
    who approved the budget for marketing | is my flight on time | how are my stocks doing | what did Anna write
    did Bob reply | what is the next train | wie wird das wetter morgen | zeig mir meinen kalender
    wie viele einwohner hat berlin | wer hat gewonnen | was gibt es heute zu essen | spiel musik
    ruf Anna später an | wie weit ist es nach Hamburg | wann fährt der zug | quel temps fait-il
    montre-moi mon agenda | combien coûte un café | qui a gagné le match | appelle Marie plus tard | où est la gare
    ¿qué tiempo hace? | muéstrame mi calendario | ¿cuántos habitantes tiene Madrid? | ¿quién ganó el partido?
    llama a Pedro más tarde | ¿dónde está la estación? | che tempo fa | mostrami il mio calendario
    quanti abitanti ha Roma | chi ha vinto la partita | chiama Marco più tardi | que horas são | mostre minha agenda
    quantos habitantes tem Lisboa | quem ganhou o jogo | ligue para o João mais tarde | wat voor weer is het
    laat mijn agenda zien | hoeveel inwoners heeft Amsterdam | wie heeft gewonnen | bel Jan later | 今天天气怎么样 | 播放音乐
    打电话给小明 | translate this into German | write a poem | what's 2 plus 2 | book a table for two tomorrow
    set a timer for ten minutes | turn off the lights | play the next song | go back to the main page
    read me the news | open the garage | how do I get back to the hotel | I'm hungry | good night
    tell me a joke again | how old is the queen | who wrote Hamlet | who sent flowers | why did Rome fall
    which planet is the biggest | what label did the band sign with | delete my account | order pizza again
    repeat after me: hello | the milk is left in the car | I left my keys at home | what is love
    what's going on in the world | how was your weekend | are you a robot | do you like music
    which team are you on`);
export const AFTER_THE_END = list(`
    show me my calendar | again | encore une fois | nochmal | once more | why | what happened in the news today
    take me back | bring it on | back to work | put on some music | let's go back | get back to me | who said that
    did you like it | how many are left? | wait | later | not yet | yes | ok | maybe | what's the status of my order
    restore my phone | undo my tweet | try the soup again | try again tomorrow | do it again | say that again
    tell me again | show me again | read it again | and again | not again | there you go again
    the ones from yesterday | what went well | I failed | my test failed | he failed again
    the printer is broken again | who failed the exam | something is wrong with my phone | repeat the question
    repeat that | could you repeat that? | redo my hair | what are the problems with this theory
    the problem is solved | no problem | problems | revert to me by Friday | return it to the store | I want it back
    remove the last sentence | change it back to blue | de nuevo | otra vez | di nuovo | de novo | opnieuw | wieder
    why did the chicken cross the road | retry later`);

/** A limit, a condition, a denial or an answer beside a question or a wish. */
export const MIXED = list(`
    retry the failed ones but not Julia Weber | put them back except the newsletter | not Julia Weber yet
    wait with the invoice | later for Peter Pan, now the others | not the last one yet | not the first two for now
    undo only the newsletter | take back the label from Invoice March | retry only Peter Pan
    show me the list without the newsletter | continue only if nothing failed | continue if you can undo it later
    yes if it can be undone | only the ones that are left | just the next one | only the unread ones
    not those with attachments | go ahead but only if the last batch worked | ok but not the newsletters
    noch nicht die Newsletter Northwind | die letzten zwei noch nicht | nur die ersten fünf und dann warten
    pas encore Julia Weber | todavía no el primero | no el último todavía | solo si se puede deshacer
    sí, pero solo si todo salió bien | seulement si c'est réversible | oui mais pas les deux derniers
    nur wenn man es rückgängig machen kann | ja, aber erst wenn alles geklappt hat | alleen als het omkeerbaar is
    solo se è reversibile | só se der para desfazer | go on unless some failed | yes once the failed ones are fixed
    after the failed ones are retried, continue | only half of them now, the rest later
    first two now, rest tomorrow | if it fails, undo it | continue and undo it if it fails | retry if it fails
    cancel if two failed | stop when you have done ten | show me the list and then continue
    undo the last batch and continue | put them back and cancel | retry the failed ones and continue
    undo that and stop | first retry, then go on | wait and then continue | let me check and then continue
    continue later today | continue in a moment | go on in a minute | yes but later | ok but wait | yes, in a minute
    no, later | don't undo anything | don't retry | do not put them back | never undo
    please don't show me the list again | I don't want to undo it | no need to retry
    you don't need to take it back | ne réessaie pas | nicht rückgängig machen | no lo deshagas
    non annullare quello che hai fatto | não desfaça | niet ongedaan maken | mach das nicht rückgängig
    bitte nicht nochmal versuchen | mach weiter und zeig mir dann die liste | continue et montre-moi la liste
    sigue y luego muéstrame la lista | weiter, aber später | oui mais plus tard | sí pero más tarde | sì ma dopo
    sim, mas depois | ja maar later | später weiter | continue plus tard | sigue más tarde | continua dopo
    continue depois | ga later door | morgen weiter | continue demain | sigue mañana | continua domani
    continue amanhã | ga morgen verder | after lunch | when I am back | not before five | nicht vor fünf
    pas avant lundi | no antes del lunes | tell me when it is done and then continue`);
