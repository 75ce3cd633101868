import { pause } from './words';

/**
 * The answers of seven other languages. A word that means something else in another of them ("si", "vale", "procede")
 * confirms only after an assent of its language.
 */
export interface Language {
  /** Words before an act that are never an answer by themselves, praise and thanks included. */
  assents: string[];
  acts: string[];
  /** The names of the open batch by its size, for which `#` stands; the word for ten, and nouns for the items. */
  few: string;
  ten: string;
  items: string;
  /** The names of the next batch, the words that join them to an act, and the verbs that request it. */
  next: string;
  joint: string;
  run: string;
  /** The batch that failed. */
  again: string;
  /** Words that confirm by themselves. */
  yes: string[];
  /** Words that confirm by themselves, after a yes, and before an act. */
  approvals: string;
  /** The open batch, as the object of a verb. */
  batch: string;
  courtesy: string[];
  no: string[];
  /** Words that name the end. */
  stops: string[];
  /** Words before one that names the end, as in "you can stop". */
  wishes: string;
  /** Words that refuse by themselves. */
  refusals: string[];
  /** Words after one that names the end: the object or the time. */
  objects: string[];
  /** Words that refuse the work itself, before a verb of it. */
  leave: string;
  work: string;
}

const german: Language = {
  assents: [
    'ja',
    '(?:ok|okay)(?: für mich)?|von mir aus|meinetwegen',
    '(?:na )?gut(?: so)?|super|prima|perfekt|passt(?: so| alles)?|alles (?:klar|gut)|klar|in ordnung|genau|danke|gerne?|sieht (?:alles )?gut aus|sehr gut|weiter so|(?:die )?(?:liste|auswahl) (?:stimmt|passt|ist (?:gut|richtig|ok|okay))|ist (?:gut|ok|okay)|wunderbar|alles (?:richtig|korrekt|in ordnung)|stimmt(?: so)?|(?:das )?ist gut|das (?:passt|stimmt|ist (?:gut|richtig|ok|okay|in ordnung))|jo|jep|jawoh?ll?|einverstanden',
  ],
  acts: [
    "(?:es |das )?kann (?:weitergehen|losgehen|so weitergehen)|(?:du )?(?:kannst|darfst|dürfen sie) (?:ruhig |gerne? )?(?:loslegen|starten|anfangen|weitermachen|weiter machen|fortfahren)|leg(?:t)? (?:ruhig |einfach )?los|auf geht'?s|(?:einfach|immer|ruhig|gerne?) weiter(?: so)?|(?:mach|macht) (?:nur|einfach so|so|halt|ruhig|mal) (?:weiter)?|ja weiter|weiter im text|bitte (?:weiter|loslegen)|setz(?:e)? (?:es |das )?fort|ich möchte (?:weitermachen|fortfahren)",
    "los geht'?s|(?:dann |na dann )?weiter|(?:mach|macht|machen sie) (?:bitte )?weiter|weiter ?machen|fortfahren|fortsetzen|fahre? (?:bitte )?fort|fahren sie (?:bitte )?fort|weiter geht'?s|nur zu|leg los|kannst du (?:ruhig |gerne? )?machen|mach (?:ruhig|einfach|gerne) weiter|(?:du kannst|sie können|kannst) (?:gerne? |ruhig )?(?:weitermachen|fortfahren)|machen wir weiter|kann losgehen|(?:ja )?mach(?:en sie)? (?:das|es|mal|ruhig)|leg(?:en sie)? los|(?:bitte )?ausführen|(?:bitte )?starten|führ(?:e|en sie)? (?:es|das) aus",
  ],
  few: '(?:die )?nächsten? #|(?:alle )?diese #|alle zehn',
  ten: 'zehn',
  items: 'mails?|e-?mails?|nachrichten|karten|termine|zeilen|elemente|einträge|stück',
  next: '(?:(?:der|die|den|das|dem) )?nächste[nrms]? (?:batch|stapel|block|runde|ladung)|die nächsten',
  joint: 'mit',
  run: 'verarbeite|starte|mach',
  again:
    "(?:(?:versuch|probier|mach)(?:e|en sie)?(?:'?s| es| das| den batch| den stapel)? (?:bitte )?(?:nochmals?|noch ?mal|noch einmal|erneut)|(?:nochmals?|noch ?mal|noch einmal|erneut)(?: (?:versuchen|probieren))?|wiederholen)",
  yes: [
    `ja(?:${pause} (?:bitte|gerne?|los|klar|genau|passt(?: so)?|sieht (?:alles )?gut aus|los geht'?s))?|jawoh?ll?|jep|in ordnung|los geht'?s|ist (?:ok|okay|in ordnung|gut so)|passt(?: so)?`,
  ],
  approvals:
    '(?:ich bin )?einverstanden|genehmigt|bestätigt|ich (?:bestätige|genehmige|stimme zu)|freigegeben|zugestimmt',
  batch: '(?:den|diesen) (?:batch|stapel|block)',
  courtesy: ['bitte(?: sehr)?|pls', 'danke(?: dir)?'],
  no: ['nein'],
  stops: [
    '(?:ich (?:will|möchte) )?(?:das|es|alles|das ganze|die (?:operation|aktion)) (?:sofort |jetzt |bitte |lieber )*(?:abbrechen|beenden|stoppen|stornieren)|brechen? (?:wir|sie) (?:das|es|hier|das ganze) (?:hier |bitte |lieber )?ab|brich (?:bitte |hier |jetzt )?(?:alles |das )?ab|hier (?:bitte )?(?:stoppen|aufhören|abbrechen|beenden)|(?:wir )?(?:hören|machen) (?:hier |jetzt )?(?:auf|schluss)|mach (?:dem|damit) (?:ein )?(?:ende|schluss)|beende (?:bitte )?(?:das ganze|den lauf|die sache)|alles stopp(?:en)?',
    '(?:den rest (?:bitte )?)?abbrechen|abbruch|stopp|stoppen|stoppe|stop|aufh(?:ö|oe)ren|stornieren|brich (?:das(?: ganze| alles)? |den rest |es |alles |den vorgang |die (?:aktion|operation) )?(?:bitte )?(?:sofort )?ab|(?:bitte )?beenden|beende(?:n sie)? (?:das|es|alles|den vorgang|die (?:aktion|operation))|(?:das ganze|(?:(?:den|diesen) )?(?:ganzen |gesamten )?(?:vorgang|job|auftrag|lauf)|(?:(?:die|diese) )?(?:ganze |gesamte )?(?:aktion|operation|sache)|(?:den )?rest) (?:bitte )?(?:endgültig |komplett |sofort |jetzt )?(?:abbrechen|stoppen|beenden|stornieren)',
    'h(?:ö|oe?)r (?:bitte |sofort |jetzt )?(?:damit )?auf(?: damit)?|(?:hören|brechen) sie (?:bitte |sofort )?(?:auf|ab)|stoppen sie|ich (?:will|möchte) (?:abbrechen|aufhören|stoppen)|(?:alles|sofort) (?:abbrechen|stoppen|stopp|aufhören)|schluss(?: damit)?|(?:mach|machen wir) schluss(?: damit| jetzt)?',
  ],
  refusals: [
    "ich hab(?:e)?(?:'s| es)? mir anders überlegt|(?:das|es) (?:hat sich erledigt|lassen wir(?: lieber)?|lassen wir bleiben|bringt nichts)|lassen wir (?:das|es)(?: lieber| bleiben| gut sein)?|kommt nicht (?:in frage|infrage)|(?:nein )?auf gar keinen fall|ich bin dagegen|keine weitere(?:n)? (?:änderungen?|stapel|batches|mails|runden?)|nicht mehr weiter(?:machen)?|mach(?:e)? (?:bitte )?nichts mehr|rest (?:bitte )?(?:so )?(?:lassen|liegen lassen)|lass (?:alles|den rest) (?:so )?(?:wie (?:es|er) ist|in ruhe|liegen)",
    'lass (?:es|das|den rest|die anderen|mal|gut sein|es lieber)(?: sein| bleiben| gut sein| lieber| so| wie (?:es|er|sie) (?:ist|sind))?|keine weiteren(?: mehr)?|vergiss es|(?:es|das) reicht|genug(?: jetzt| davon| für heute)?|nichts mehr(?: (?:machen|tun|ändern))?|das will ich nicht(?: mehr)?|lass die (?:restlichen(?: in ruhe)?|finger davon)|(?:bitte |lieber |bloß )nicht|auf keinen fall|keinesfalls',
    'nicht (?:(?:mehr )?weiter|fortfahren|weitermachen|anfassen)|mach nicht weiter|(?:mach|tu) (?:das|es) nicht|fass nichts (?:mehr )?an|abgelehnt|ich lehne ab|doch nicht|ich will (?:das|es) nicht(?: mehr)?|(?:lieber|besser) doch nicht|das wars|(?:mach|machen wir) schluss(?: damit| jetzt)?|der rest bleibt(?: so)?(?: wie er ist)?|den rest nicht(?: mehr)?|keine (?:mehr|weiteren)(?: bitte)?|ich habe (?:es )?mir anders überlegt|ich (?:will|möchte) (?:das )?nicht(?: weitermachen)?',
  ],
  wishes:
    '(?:du kannst|sie können|kannst du|wir sollten|wir müssen|ich (?:will|möchte|würde)(?: lieber)?|lieber|besser)',
  objects: [
    'das|alles|es|jetzt|sofort|den rest|hier|das ganze|(?:die|den|diese|diesen) (?:ganzen? |gesamten? |komplette[n]? )?(?:operation|aktion|vorgang|lauf|sache|auftrag|job)|endgültig|komplett|ganz|für immer',
  ],
  leave:
    'h(?:ö|oe?)r auf zu|nicht(?:s)?(?: mehr| weiter)?|keine (?:mails|nachrichten|karten|termine|elemente)(?: mehr)?',
  work: 'markieren|labeln|archivieren|verschieben|(?:ver)?ändern|bearbeiten|anfassen',
};

const french: Language = {
  assents: [
    "pas (?:grave|de (?:souci|problème))(?: pour (?:les|ces) (?:deux|[0-9]+|échecs|erreurs))?|tant pis(?: pour (?:les|ces) (?:deux|[0-9]+|échecs|erreurs))?|ouais|ouaip|yes|top|ça va|c'est noté|tout (?:est )?(?:va )?bien|aucun (?:souci|problème)",
    "oui|je (?:confirme|valide)|ok|d'accord|parfait|très bien|c'est (?:bon|parfait|bien|ok|correct|juste)(?: pour moi)?|tout est (?:bon|correct|ok|parfait)|ça (?:me va|marche|roule)|bien sûr|entendu|merci|super|impeccable|nickel",
  ],
  acts: [
    "(?:tu peux |vous pouvez )?(?:y aller|enchaîner|démarrer|commencer)|on enchaîne|enchaîne[rz]?|(?:oui )?fonce[rz]?|démarre[rz]?|commence[rz]?|lance[rz]? (?:ça|la suite|le|tout ça)|envoie[rz]?(?: la suite)?|continue comme (?:ça|cela)|poursuivons|continuons|vas[- ]y (?:lance|fonce|go)|feu vert|la suite (?:svp|s'il te plaît)",
    "continue|continuez|continuer|poursuivez|poursuivre|poursuis|allez[- ]y|vas[- ]y(?: continue)?|veuillez (?:continuer|poursuivre)|on (?:continue|y va|enchaîne)|c'est parti|passe[rz]? (?:au (?:lot|groupe|bloc|batch) suivant|au prochain (?:lot|groupe|bloc)|aux suivants)|(?:tu peux|vous pouvez) (?:continuer|y aller|lancer|poursuivre|le faire)|lance[rz]?(?:-le| (?:le|ce) lot)?|fais[- ]le|faites[- ]le|exécute(?:z)? (?:le|ce) lot|on peut (?:continuer|y aller)|allez|ok pour (?:moi|continuer)|c'est (?:bon|ok) pour moi",
  ],
  few: 'les # (?:suivant|prochain)e?s|les prochain(?:e)?s #|(?:tou(?:te)?s )?ces #(?:-là)?|tou(?:te)?s les #',
  ten: 'dix',
  items: 'mails?|e-?mails?|messages|cartes|événements|lignes|éléments',
  next: '(?:le |au )?(?:lot|groupe|bloc|batch) suivant|(?:le |au )?prochain (?:lot|groupe|bloc)|les suivant(?:e)?s',
  joint: 'avec',
  run: 'traite[rz]?|lance[rz]?',
  again:
    '(?:réessa[iy](?:e|ez|er)|recommence[rz]?|relance[rz]?)(?:-le| (?:le|ce) lot)?|essa[iy](?:e|ez) (?:encore(?: une fois)?|à nouveau|de nouveau)|encore une fois|[àa] nouveau|de nouveau',
  yes: [`oui|oui${pause} (?:merci|c'est bon)|d'accord|bien sûr|oui${pause} exécute(?:z)?`],
  approvals: "je (?:confirme|valide|suis d'accord)|validé|confirmé|approuvé|accepté",
  batch: '(?:le|ce) lot',
  courtesy: ["s'il (?:vous|te) pla[iî]t|svp|stp", 'merci'],
  no: ["non|c'est bon"],
  stops: [
    "on (?:stoppe|coupe|abandonne|s'arr[êe]te)(?: (?:là|tout|ici|l'opération))?|(?:je veux|on va|il faut) (?:tout )?(?:arr[êe]ter|annuler|stopper)(?: (?:là|tout|ça|l'opération))?|(?:arr[êe]te|arr[êe]tez|stoppe|stoppez|annule|annulez|abandonne|abandonnez|coupe|coupez|interromps) (?:tout|ça|l'opération|le (?:processus|traitement|travail)|immédiatement|maintenant)(?: de suite)?|fin de l'opération",
    "annuler|annulez|annule|arr[êe]ter|arr[êe]tez(?:-vous)?|arr[êe]te(?:-toi)?|stop|stoppez|on (?:arr[êe]te|annule)(?: là)?|abandonne[rz]?|(?:mets|mettez|mettre) fin à (?:l'opération|tout|ça)|arr[êe]te-toi là|anulle|arr[êe]tons|je veux (?:annuler|arrêter)|(?:on )?(?:annule|arr[êe]te) (?:tout|le reste|l'opération|tout de suite)|interromps|interrompez|stoppe",
  ],
  refusals: [
    "(?:on )?(?:en )?reste(?:ra)? là|on arr[êe]te les frais|c'est fini|(?:je )?(?:n'en )?veux plus|j'en veux pas|plus (?:besoin|la peine)|(?:ne )?(?:change[rz]?|modifie[rz]?|touche[rz]?) (?:plus )?(?:à )?rien(?: d'autre)?|rien d'autre|(?:laisse|laissez) (?:tout )?(?:comme (?:ça|c'est)|tranquille)|hors de question|jamais de la vie|pas d'accord|non c'est non",
    "n'en fais rien|plus rien|(?:on )?laissez? tout tomber|j'arr[êe]te(?: là| tout)?|(?:mets|mettez|mettons) (?:fin|un terme) à (?:ça|cela|tout ça|l'opération)|ne (?:continue|continuez) pas|ne (?:fais|faites|touche|touchez) (?:plus )?(?:à )?rien|(?:ce n'est |c'est )?pas la peine(?: de continuer)?|n'y (?:touche|touchez) pas|j'ai changé d'avis|(?:on )?laissez? tomber|on laisse tomber|finalement non|plutôt pas|laissez? le reste(?: comme [çc]a| tranquille)?",
    "[çc]a suffit|c'est assez|assez|pas question|surtout pas|certainement pas|oubliez?(?: [çc]a)?|je refuse|refusé|je ne veux pas(?: continuer)?",
  ],
  wishes:
    '(?:tu peux|vous pouvez|peux-tu|il faut|on peut|on doit|je (?:veux|préfère|voudrais|préférerais)|merci de)',
  objects: [
    "tout|ça|cela|maintenant|immédiatement|(?:toute )?l'opération|cette opération|l'opération entière|le reste|ce qui reste|là|ici|tout de suite|définitivement|complètement|pour de bon",
  ],
  leave: "arr[êe]tez? (?:de |d')",
  work: 'marquer|étiqueter|archiver|déplacer|modifier|changer|traiter',
};

const spanish: Language = {
  assents: [
    'no (?:hay problema|pasa nada|importa)|sin problema|correcto|perfecto|todo en orden|sip|sep|ok dale|okey|bueno|está ok|me parece bien|conforme',
    'sí(?: señor)?|si(?= ,)|ok|vale|claro(?: que sí)?|de acuerdo|perfecto|muy bien|está (?:bien|todo bien|perfecto|correcto)|todo (?:bien|correcto|perfecto|ok)|se ve bien|por supuesto|confirmo|gracias|dale|genial|bien|listo',
  ],
  acts: [
    "(?:sigue|siga|seguir|continúa|continua|continúe|continuar|procede|proceda|proseguir) (?:con (?:este|el|ese|ello|eso|la operación)(?: lote)?|as[íi]|nom[áa]s|no m[áa]s|por favor)|(?:d[áa]le|venga) (?:con todo|sigue|continúa)|d[áa]le ya|(?:pod[ée]s|puede) (?:continuar|seguir|empezar)|empieza|empiece|arranca|hacelo|sigue(?: sigue)?|ve adelante|vamos(?: allá)?|p'?alante|haz(?:lo)? (?:ya|nom[áa]s)|que siga",
    'adelante|tira (?:para|pa) adelante|seguimos|continuar|continúa|continúe|continua|sigue|siga|(?:sigue|siga) adelante|proceda|puedes? (?:continuar|seguir)|prosigue|prosiga|dale(?: (?:adelante|nomás))?|sigamos|continuemos|hazlo|hágalo|venga|puedes? (?:hacerlo|proceder)|ejec[úu]talo|procede con (?:ello|esto)|ad(?:elante) con (?:ello|esto)',
  ],
  few: '(?:l[oa]s )?(?:siguientes|próxim[oa]s) #|est[oa]s #|es[oa]s #',
  ten: 'diez',
  items: 'correos|mensajes|emails?|tarjetas|eventos|filas|elementos',
  next: '(?:el |al )?(?:siguiente|próximo) (?:lote|grupo|bloque)|l[oa]s (?:siguientes|próxim[oa]s)',
  joint: 'con',
  run: 'procesa|procese|ejecuta',
  again:
    '(?:int[ée]ntal[oa]|int[ée]ntelo|prueba|intenta|intente) (?:de nuevo|otra vez|nuevamente)|(?:reintenta|reintente|reintentar|reint[ée]ntalo|repite|rep[íi]telo)(?: (?:el|este) lote)?|vuelve a intentar(?:lo)?|otra vez|de nuevo',
  yes: [
    'sí(?: claro)?|por supuesto|de acuerdo|claro que sí',
    `(?:sí|de acuerdo|vale|ok|claro|perfecto|está bien)${pause} (?:procede|dale|ejec[úu]ta(?:lo)?)`,
  ],
  approvals: 'confirmo|confirmado|apruebo|aprobado|autorizado|acepto|aceptado|estoy de acuerdo',
  batch: '(?:el|este) lote',
  courtesy: ['por favor|porfa|porfis|porfavor', 'gracias'],
  no: ['no'],
  stops: [
    '(?:par[ae]|deten|det[ée]n|cancel[ae]|interrumpe|abort[ae]|corta) (?:todo|esto|eso|la operación|el proceso|ya|aquí|ahora(?: mismo)?|de una vez|inmediatamente|el resto)(?: ya| por favor)?|(?:quiero|hay que|vamos a|mejor) (?:parar|cancelar|detener|dejar)(?:lo)?(?: (?:todo|aquí|ya|esto|la operación))?|se acabó|aquí se (?:acaba|termina|queda)|para(?:d)?(?: ya)?|stop|cancelado',
    'cancelar|cancela|cancele|canc[ée]lalo|detener|detente|det[ée]n|det[ée]nlo|det[ée]ngase|para|p[áa]rate|pára|parar|abortar|aborta|an[úu]la(?:lo)?|basta|quiero (?:cancelar|parar|detener)|(?:cancela|para|det[ée]n) (?:el resto|la operación|todo(?: ya)?|ahí)|interrumpe|alto',
  ],
  refusals: [
    '(?:d[ée]j[ae]lo|d[ée]jalo) (?:as[íi]|estar|aquí|ya|todo as[íi])|(?:lo )?dejamos (?:aquí|as[íi])|(?:ya )?(?:es )?suficiente|(?:con eso|así) basta|no (?:hace falta|sigamos|continuemos|quiero más|toques más|cambies (?:nada|más)(?: más)?)|cambié de (?:idea|opinión)|ni en broma|para nada|no gracias',
    'ya no (?:quiero|hace falta)(?: (?:seguir|continuar|esto))?|(?:deja|deje) el resto(?: (?:como está|así))?|no (?:sigas|contin[úu]es|continúe|lo hagas|hagas (?:nada(?: más)?|más)|toques (?:nada(?: más)?|más|mi correo))|olv[íi]dalo|d[ée]jalo(?: así)?|ya basta',
    'de ninguna manera|ni hablar|claro que no|mejor no|rechazado|rechazo|no quiero(?: (?:continuar|seguir|que sigas))?(?: con (?:esto|ello))?|no más|nada más|d[ée]jalo ya|termina(?: ya)? aquí|ponle fin(?: a (?:esto|todo))?|hasta aquí(?: llegamos)?',
  ],
  wishes: '(?:puedes|puede|quiero|prefiero|mejor|hay que|debemos|quisiera)',
  objects: [
    'ya|todo|eso|esto|(?:toda )?la operación(?: entera| completa)?|ahora|el resto|lo que queda|lo demás|ahí|aquí|definitivamente|del todo|para siempre',
  ],
  leave: '(?:deja|dejad|deje) de|no (?:quiero )?',
  work: 'marcar|etiquetar|archivar|mover|cambiar|modificar|procesar',
};

const italian: Language = {
  assents: [
    "nessun problema|non (?:importa|fa niente|c'è problema)|esatto|giusto|certamente|assolutamente|sisi|si si|si(?= ,)|okay|a posto",
    "sì|ok|va bene(?: così)?|d'accordo|perfetto|certo|tutto (?:bene|ok|giusto|a posto|corretto)|grazie|bene|benissimo|ottimo|avanti così|per me (?:va bene|è ok)",
  ],
  acts: [
    '(?:puoi|può|potete) (?:andare|partire|iniziare|proseguire|farlo)(?: avanti| pure)?|(?:ok |va bene )?vai continua|vai (?:così|col prossimo)|via libera|esegui pure|parti(?: pure)?|inizia(?: pure)?|proseguiamo|procediamo|continui(?: pure)?|proceda|prosegua|fallo(?: pure)?|si può (?:continuare|andare avanti|procedere)|andiamo|dai (?:continua|vai)',
    'continuare|continua(?: pure)?|fai pure|procedi(?: pure)?|prosegui|avanti(?: così)?|vai(?: pure)?|vai (?:pure )?avanti|(?:puoi|può) (?:continuare|procedere|andare avanti)|continuiamo|andiamo avanti',
  ],
  few: '(?:i |gli |le )?prossim[ie] #|quest[ie] #|tutt[ie] e #',
  ten: 'dieci',
  items: 'mail|email|messaggi|schede|eventi|righe|elementi',
  next: '(?:il |al )?prossimo (?:lotto|gruppo|blocco|batch)|(?:i|gli|le) prossim[ie]',
  joint: 'con',
  run: 'elabora|esegui|processa',
  again:
    '(?:riprova|riprovare|riprovi|ritenta)(?: (?:il|questo) lotto)?|prova (?:di nuovo|ancora(?: una volta)?)|di nuovo|ancora una volta',
  yes: [`sì|certo|va bene|d'accordo|sì${pause} (?:va bene|esegui)`],
  approvals: "confermo|confermato|approvo|approvato|autorizzato|accetto|(?:sono )?d'accordo",
  batch: '(?:il|questo) lotto',
  courtesy: ['grazie(?: mille)?', 'per (?:favore|piacere|cortesia)'],
  no: ['no'],
  stops: [
    "(?:annulla|ferma|interrompi|blocca|chiudi|stoppa|cancella|fermate|fermi|interrompa|annulli)(?:lo|la|re)? (?:tutto|tutta l'operazione|l'operazione|questo|qui|subito|adesso|il resto|immediatamente)|(?:voglio|bisogna|meglio) (?:fermare|annullare|interrompere|smettere|fermarmi|fermarci)(?: (?:tutto|qui|l'operazione))?|fermiamoci(?: qui)?|finiamola(?: qui)?|chiudiamo(?:la)?(?: qui)?|stop|basta (?:così|adesso|per oggi|qui)",
    'annulla|annullare|interrompi|interrompere|fermati|ferma|fermalo|fermarti|fermarmi|fermare|smettila|smettere|smetti|basta|(?:annulla|interrompi)lo',
  ],
  refusals: [
    "lascia(?:mo)? (?:così|com'è|tutto così|tutto com'è|stare|perdere)|(?:ora |per me )?(?:è )?abbastanza|non (?:mi interessa|mi serve|ne voglio|toccare|continuare|proseguire)(?: più)?(?: altro| niente)?|niente altro|nient'altro|non se ne parla|neanche per sogno|per niente",
    'ho cambiato idea|non (?:andare avanti|continuare|procedere|farlo|fare (?:niente|nulla|altro)|toccare (?:niente|nulla|altro))|lascia (?:stare|perdere)(?: (?:il resto|tutto))?|lascia il resto(?: così)?',
    'assolutamente no|meglio di no|certo che no|rifiuto|non voglio(?: continuare)?',
  ],
  wishes: '(?:puoi|può|potresti|voglio|vorrei|preferisco|meglio|bisogna|devi)',
  objects: [
    "tutto|subito|così|(?:tutta )?l'(?:intera )?operazione|adesso|il resto|qui|definitivamente|del tutto|per sempre",
  ],
  leave: 'smett(?:i|ila) di|non',
  work: 'marcare|etichettare|archiviare|spostare|modificare|cambiare|toccare',
};

const portuguese: Language = {
  assents: [
    'força|sem problemas?|não (?:faz mal|tem problema|há problema)|tranquilo|exato|correto|blz|fechado|combinado|pois|s[óo]|tá (?:bom|certo|ok)|está ótimo|valeu|perfeitamente|é isso',
    'sim|por mim(?: tudo bem)?|ok|claro|de acordo|(?:está )?tudo (?:bem|certo|ok)|está (?:certo|bem|bom|ok)|obrigad[oa]|beleza|perfeito|ótimo|certo|isso',
  ],
  acts: [
    '(?:pode|podes) (?:ir|seguir|continuar|avançar|começar|prosseguir|mandar|tocar)(?: em frente| adiante| sim)?|avança|avance|avançar|toca(?: em frente| adiante| o barco)?|segue (?:em frente|o jogo|adiante)|vai(?: em frente)?|vamos(?: lá| em frente)?|faz(?: isso)?|faça(?: isso)?|executa|roda|começa|prossiga(?:mos)?|continuemos',
    'continuar|continue|continua|prosseguir|prossiga|pode (?:continuar|seguir|prosseguir)|(?:siga|segue|vá|vai) em frente|segue|pode (?:ir(?: em frente)?|executar|fazer|rodar|mandar ver)|manda (?:ver|bala)|bora(?: lá)?|prossegue|vamos (?:continuar|em frente)',
  ],
  few: '(?:[oa]s )?próxim[oa]s #|est[ea]s #|ess[ea]s #',
  ten: 'dez',
  items: 'e-?mails?|mensagens|cartões|eventos|linhas|itens',
  next: '(?:o |ao )?próximo (?:lote|grupo|bloco)|[oa]s próxim[oa]s',
  joint: 'com|para',
  run: 'processa|processe|execute',
  again:
    '(?:tente|tenta|tentar) (?:de novo|novamente|outra vez|mais uma vez)|repete|repita|de novo|novamente|outra vez|mais uma vez',
  yes: [`sim|de acordo|com certeza|sim${pause} (?:claro|execute)`],
  approvals: 'confirmo|confirmado|aprovo|aprovado|autorizado|aceito|(?:estou )?de acordo',
  batch: '(?:o|este) lote',
  courtesy: ['por favor|pfv|faz favor|se faz favor', 'obrigad[oa]'],
  no: ['não|nao'],
  stops: [
    '(?:encerr[ae]|cancel[ae]|par[ae]|interromp[ae]|abort[ae]|fech[ae]) (?:isso|isto|tudo|a operação|o processo|o resto|aqui|aí|já|agora|logo|imediatamente)(?: (?:aí|aqui|agora|tudo|já|logo))?|(?:quero|vamos|melhor|é melhor) (?:parar|cancelar|encerrar|terminar|interromper)(?: (?:tudo|aqui|por aqui|a operação|isso))?|para(?:r)? (?:com )?(?:tudo|isso)|pare(?:m)? (?:já|tudo|agora|imediatamente)|aborta(?:r)?|stop',
    'cancelar|parar|cancela|cancele|pare|para|pára|encerr[ae]r?|(?:acab[ae]|termin[ae]) com isso|parar por aqui|interromp(?:a|e|er)',
  ],
  wishes: '(?:pode|podes|quero|prefiro|melhor|vamos|gostaria de)',
  refusals: [
    'deix[ae] (?:como está|assim|estar|isso|quieto|pra lá)|(?:já )?(?:é |está )?(?:o )?(?:suficiente|bastante)|(?:já )?chega (?:disso|por hoje|já)?|(?:não|nao) (?:precisa(?: mais| continuar)?|mexe(?: em)? (?:mais )?(?:nada)?|quero mais(?: nada)?|vale a pena)|mudei de ideia|nem pensar|de forma alguma|nada mais|mais nada',
    'deix[ae] o resto(?: (?:como está|assim))?|(?:não|nao) (?:continua|continue|faça (?:isso|nada|mais nada)|toque em nada|quero(?: (?:continuar|mais))?)|chega|deixa (?:pra|para) lá|esquece(?: (?:isso|tudo))?|melhor não|de jeito nenhum|recuso',
  ],
  objects: [
    'tudo|isso|agora|já|com isso|(?:toda )?a operação(?: toda| inteira)?|o resto|aqui|definitivamente|de vez|para sempre',
  ],
  leave: 'pare de|não|nao',
  work: 'marcar|etiquetar|arquivar|mover|mudar|modificar|alterar',
};

const dutch: Language = {
  assents: [
    'jawel|zeker|tuurlijk|klopt|perfect|super|lekker|fijn|geen probleem|maakt niet uit|oke|joh|jep|jazeker|in orde|is goed|dat is goed',
    'ja(?: hoor)?|ok|oké|helemaal goed|wat mij betreft|alles (?:goed|in orde)|prima|akkoord|goed|in orde|natuurlijk|dank je|bedankt|mooi|top|prima zo|(?:dat |dit |het )?(?:is|ziet er) (?:goed|prima|ok|oké|in orde)(?: uit)?',
  ],
  acts: [
    '(?:ga|gaat) (?:gewoon |rustig |lekker )?(?:verder|door|je gang)|(?:je|u) mag (?:doorgaan|verder(?: gaan)?|beginnen|starten)|(?:kan|mag) (?:door|verder|doorgaan)|start(?: maar| hem)?|begin(?: maar)?|voer (?:het |maar )?uit|doe (?:het|dat|ze)(?: maar| gewoon)?|gewoon (?:doorgaan|verder|doen)|kom maar op|laat maar komen|door met (?:de batch|die hap)|we gaan (?:door|verder)|ga ervoor|groen licht',
    'doorgaan|verder|vooruit|doe maar|toe maar|ga (?:maar |gerust |gewoon )?door|ga (?:maar )?verder|(?:je|u) kunt (?:doorgaan|verder gaan)|ga je gang',
  ],
  few: '(?:de )?volgende #|deze #|alle tien',
  ten: 'tien',
  items: 'mails?|e-?mails?|berichten|kaarten|afspraken|rijen|stuks',
  next: '(?:de )?volgende (?:batch|groep|partij|reeks)',
  joint: 'met',
  run: 'verwerk|start|doe',
  again:
    'probeer(?: het| dat| deze batch)? (?:opnieuw|nog (?:een keer|eens)|nogmaals)|opnieuw(?: proberen)?|nog (?:een keer|eens)(?: proberen)?|nogmaals',
  yes: [`ja(?:${pause} (?:voer (?:het )?uit|start maar|ga je gang))?`],
  approvals: '(?:ik ga )?akkoord|bevestigd|ik bevestig|goedgekeurd',
  batch: '(?:de|deze) batch',
  courtesy: ['graag', 'alsjeblieft|alstublieft|aub|svp', 'dank je(?: wel)?|bedankt'],
  no: ['nee'],
  stops: [
    '(?:stop|annuleer|beëindig|breek|staak|cancel) (?:alles|dit|het|de (?:operatie|boel|hele boel|rest)|alles nu|onmiddellijk|meteen|hier|nu)(?: (?:nu|maar|meteen|af))?|(?:ik wil|we moeten|beter|liever) (?:stoppen|annuleren|afbreken|ophouden)(?: ermee)?|(?:we )?(?:stoppen|houden) (?:ermee|hier|er ?mee)(?: op)?|hou (?:nu |meteen )?op(?: ermee)?|maak er een eind aan|cancel(?: maar)?|stop stop|afblazen|blaas (?:het|alles) af',
    'annuleren|annuleer|afbreken|breek (?:het |dit |alles |(?:de|deze) (?:hele )?(?:operatie|actie|taak) )?af|(?:stop|kap|hou) er(?: maar)?(?: (?:helemaal|nu|meteen))? (?:mee(?: op)?|op)|kap er maar mee|hou (?:er )?maar (?:mee )?op|stoppen|stop(?: maar)?|hou (?:ermee )?op|kap ermee|stop ermee|beëindig (?:het|de operatie)|ik wil (?:stoppen|annuleren)',
  ],
  refusals: [
    'laat (?:het|alles|de rest) (?:maar )?(?:zo|zitten|rusten|zoals het is|met rust|erbij)(?: zitten)?|(?:het |dit )?(?:is )?(?:wel )?genoeg (?:geweest|zo|voor vandaag)|niet meer nodig|hoeft niet(?: meer)?|(?:ik )?(?:wil|hoef) (?:het |dit )?niet meer|geen (?:verdere|andere) (?:wijzigingen|batches|mails)|(?:ik )?ben van gedachten veranderd|geen sprake van|echt niet|nee dank je(?: wel)?|blijf (?:er)?(?: overal)? van ?af',
    'niet meer verder|niets meer|(?:zo is )?het (?:is )?genoeg(?: geweest| zo)?|laat de rest(?: maar)?(?: (?:zitten|met rust))?|ga niet (?:verder|door)|niet (?:meer )?(?:doorgaan|verder gaan|doen)|laat maar(?: zitten)?|doe (?:het niet|niets(?: meer)?)|raak niets aan|genoeg|afgekeurd|(?:zeker|absoluut|liever) niet|ik wil (?:dit |het )?niet(?: verder)?',
  ],
  wishes: '(?:je kunt|u kunt|kun je|ik (?:wil|wou)(?: liever)?|liever|beter|we moeten)',
  objects: [
    '(?:de|deze) (?:hele )?(?:operatie|actie|taak|boel)(?: af)?|alles|maar|nu|het|ermee|onmiddellijk|daarmee|de rest|hier|definitief|helemaal|voorgoed',
  ],
  leave: 'stop met|niet(?:s)?(?: meer)?',
  work: 'markeren|labelen|archiveren|verplaatsen|wijzigen|veranderen',
};

/** Without spaces; in simplified and traditional characters. */
const chinese: Language = {
  assents: ['是的?|好的?|行|可以|对的?|對的?|嗯|没问题|沒問題|同意|确认|確認|确定|確定|谢谢|謝謝'],
  acts: [
    '(?:是的?|好的?|行|可以|请|請)?(?:请|請|就)?(?:继续|繼續|执行|執行|开始|開始)(?:吧|执行|執行|处理|處理|进行|進行|做)?',
  ],
  few: '(?:这|這) ?#',
  ten: '十',
  items: '封|个|個|项|項',
  next: '(?:请|請)?(?:继续|繼續|处理|處理|执行|執行)?下一批(?:吧)?',
  joint: '处理|處理',
  run: '处理|處理|执行|執行',
  again: '(?:请|請)?(?:重试|重試|再试(?:一次|试)?|再試一次)(?:吧)?',
  yes: ['是的?|好的?|行|可以的?|没问题|沒問題'],
  approvals: '同意|确认(?:执行)?|確認|确定|確定|批准',
  batch: '这一?批',
  courtesy: ['谢谢|謝謝'],
  no: ['不(?:要|用)?(?:了)?'],
  stops: [
    '(?:请|請)?(?:全部|马上|馬上)?(?:取消|停止|终止|終止|中止|停下来?|停下來|停)(?:吧|操作|全部|一切)?',
  ],
  refusals: [
    '不|不要|不用了?|不同意|不批准|拒绝|拒絕|算了|(?:请|請)?(?:别|別|不要|不用|不)再?(?:继续|繼續|做|弄|动|動)(?:了|下去)?',
  ],
  wishes: '(?:我想|我要|请|請)',
  objects: ['全部'],
  leave: '停止|(?:请|請)?(?:别|別|不要)再?',
  work: '(?:标记|標記|归档|歸檔|移动|移動|修改|更改)(?:了|我的邮件|邮件)?',
};

export const LANGUAGES: readonly Language[] = [german, french, spanish, italian, portuguese, dutch, chinese];
