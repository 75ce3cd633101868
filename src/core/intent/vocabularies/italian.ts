/** The notions of expressions, for meanings.ts. */
export const ITALIAN = `
  -: il, lo, la, l, i, gli, le, un, uno, una, di, del, dello, della, dei, delle, degli, d, a, al, alla, ai, in
  -: nel, e, ed, per, con, su, sul, che, questo, questa, questi, queste, quello, quella, esso, essi, loro, mi, ti
  -: si, ci, vi, ne, li, io, tu, lei, noi, me, te, mio, tuo, ho, hai, ha, hanno, abbiamo, è, sono, era, erano
  -: stato, stati, state, sia, puoi, può, potresti, potrebbe, vorrei, voglio, devo, dovrei, per favore
  -: per piacere, grazie, ciao, ok, qual, andato, lì, qui, esattamente, anche, allora, poi, bene, c, po, va bene
  -: ecco, dico, detto, adesso, ora, stata, sarà, saranno, sarebbe, eravamo, fosse, avere, essere, aveva, avevano
  -: avete, vado, va, vanno, andare, andati, andata, andate, dal, dalla, dai, dallo, nella, nelle, negli, nei
  -: sulla, tra, fra, così, davvero, attuale, attualmente, esatto, qualcuno, ogni, nostro, suo, sua, nostri, dove
  -: o, oppure, dimmi, dica, dammi, dà, dare, volevo, vogliamo, vuole, bisogna, possibile, tuoi, miei, quei
  -: quelle lì, stai, sta, stanno, sei, siamo, siete, già che, quindi, dunque, ehi, senti, scusa, potete, possono
  -: sto, ma, però, com, sarebbero, faccio, facciamo, farò, faremo, fanno, facendo, viene, vengono, venire, vieni
  -: dire, dirmi, spiegami, spiega, sai, sapere, curiosità, una domanda, abbastanza, dovrebbe, dovrebbero
  -: dobbiamo, dovete, deve, devono, ieri, quando puoi, se puoi, veloce, velocemente, appena, avrei, avrebbe
  -: avremmo, saremmo, siano, fosse stato, stare
  which: quale, quali, qual, quali sono
  what: cosa, cos
  who: chi
  why: perché, come mai
  how: come, com
  how_many: quanto, quanti, quanta, quante
  much: molto
  many: molti, molte, tanti
  any: ci sono, ci sono stati, c è stato, qualche, qualcosa, alcuni
  until_when: fino a quando, fino a quando posso, quanto tempo ho, quanto tempo mi resta, quando scade
  until_when: entro quando, fino a che ora
  show: mostrami, mostra, mostri, fammi vedere, vedere, posso vedere, elenca, vederli, vederle, vederla, elencami
  show: mostrameli, fammeli vedere, fammela vedere, visualizza, puoi mostrarmi, potresti mostrarmi, vorrei vedere
  show: voglio vedere, mostrare, leggi, leggimi, ricordami, ripetimi
  list: lista, elenco, contenuto, dettaglio
  item: mail, email, messaggio, messaggi, evento, eventi, scheda, schede, riga, righe, elemento, elementi
  batch: lotto, lotti, gruppo, gruppi, blocco, blocchi, batch
  number: due, tre, quattro, cinque, sei, sette, otto, nove, dieci, venti, entrambi, undici, dodici, quindici
  number: numero, numeri, paio, alcuni
  first: primo, prima, primi, prime
  beforehand: per prima cosa, prima di tutto, prima voglio, prima devo, prima vorrei, prima però
  last: ultimo, ultima, ultimi, ultime, precedente, precedenti
  next: prossimo, prossima, prossimi, prossime, successivi, successivo
  all: tutto, tutti, tutte, tutta
  left: restano, resta, mancano, manca, rimangono, rimane, rimanenti, rimasti, da fare, in sospeso, restanti
  left: mancanti, da elaborare, ancora da fare, rimasto, rimasta, resterà, resteranno, da etichettare
  left: da confermare, ancora da etichettare, non ancora fatti, resterebbero
  still: ancora
  more: altri, altro, altre
  later: dopo, in seguito, più tardi, fra poco, tra poco, presto, tra un po, fra un po, un altro momento
  later: in un secondo momento, un po più tardi, più avanti, fra qualche minuto, tra qualche minuto
  later: tra un minuto, tra un attimo
  done: fatto, fatti, fatte, elaborato, elaborati, completati, completato, modificato, modificati, archiviati
  done: spostati, etichettati, è stato fatto, messo, riusciti, riuscito, riuscite, andati a buon fine, aggiunto
  done: aggiunte, eseguiti, eseguito, svolto, lavorati, iniziato, cambiato, cambiati, toccato, finiti, finito
  done: passati, etichettate, elaborate, etichettato, archiviato, elaborata, completata, completate, modificata
  done: modificate, cambiata, aggiornato, aggiornati, applicato, applicati, fatte finora, eseguite, terminate
  done: svolti, trattati, sistemati, sistemato
  do: fare, fai
  far: finora, fin qui, fino ad ora, fino adesso
  already: già
  status: stato, avanzamento, progresso, a che punto sei, a che punto siamo, a che punto è, dove siamo
  status: situazione, come sta andando, come stiamo andando, come siamo messi, a che punto siamo arrivati
  status: aggiornamento, novità, riepilogo, quanto manca alla fine, come prosegue, com è andato, com è andata
  status: come è andato, come è andata, com andato, come va avanti, resoconto, il punto, facciamo il punto
  status: bilancio
  going: come va, come procede, come sta andando
  finished: hai finito, finito, è finito, terminato, è finita
  all well: è andato tutto bene, tutto è andato bene, andato tutto bene
  well: bene, andato bene, andato tutto bene, funzionato, riuscito, riusciti, andati bene, andati a buon fine
  well: a buon fine, correttamente, giusto
  how long: quanto ci vuole, quanto tempo, quanto tempo ci vuole, quanto dura
  fail: fallito, falliti, fallite, fallita, non riusciti, non riuscito, non riuscite, con errori, con errore
  fail: dato errore, hanno dato errore, non ha funzionato, non hanno funzionato, avuto errori, in errore, errati
  fail: non andati, non andati bene, non sono andati, non è andato, non è riuscito, non sono riusciti
  fail: con problemi, avuto problemi, andato storto, andati storti, andati male, non è andata, dava errore
  fail: danno errore, dà errore, rifiutati, non hanno avuto successo, che danno errore, dato problemi
  fail: hanno dato problemi, danno problemi, problematici, bloccati, bloccato, saltati per errore, non elaborati
  fail: non etichettati, non andate, non passati, non passato, errore li, non riuscivano, andate male
  fail: non ha avuto successo
  error: errore, errori, problema, problemi
  wrong: storto, male
  happened: successo, accaduto
  again: di nuovo, ancora una volta, un altra volta, nuovamente, da capo, ripeti, ripetere, una seconda volta
  try: prova, provare, provi, tenta
  retry: riprova, riprovare, riprovi, ritenta, ritentare, rifai, rifare, rilancia, rielabora, rilanciare
  retry: ritentiamo, riproviamo, riproviamoci, rieseguire, riesegui, riavvia, rielaborare, rifacciamo, riprovaci
  retry: prova ancora, provare ancora
  undo: disfa, disfare, torna indietro, tornare indietro, torni indietro, annulla quello che hai fatto
  undo: ripristina come prima, annullare dopo, annullare più tardi, tutto come prima, come all inizio
  undo: allo stato precedente, stato precedente, tornare come prima, torna come prima, disfarlo, disfa tutto
  undo: marcia indietro, fai marcia indietro, disarchivia, annulla le modifiche fatte
  undo: annullare le modifiche fatte, annullare quello che hai fatto, annulla tutto quello che hai fatto
  undo: annulla ciò che hai fatto, annullare ciò che hai fatto, rimettere come prima, fai un passo indietro
  undo: un passo indietro, disfare quello che hai fatto, disfarli, al punto di partenza
  undo: alla situazione precedente
  undoable: reversibile, annullabile, si può annullare, si possono annullare, definitivo, si può tornare indietro
  undoable: si può disfare, si torna indietro
  can: posso, si può, possiamo, potrò, è possibile, c è modo di, si riesce a, si potrà
  annul: annulla, annullare, annulli
  back: indietro, al loro posto, a posto
  take: riporta, porta
  put: rimetti, metti, rimettili, rimetta, rimettile, mettili, rimetti a posto, rimettere, metti a posto
  put back: rimettili, rimetti a posto, riportali, rimettere a posto, metti a posto, rimettili a posto
  restore: ripristina, ripristinare, ripristini, ripristinali
  before: come prima, come erano, com erano, come era, com era, com è stato
  remove: togli, togliere, rimuovi, rimuovere, elimina, leva, toglila, toglierla, leva via
  label: etichetta, etichette, stella, stelle, segno, segni
  change: modifica, modifiche, cambiamento, cambiamenti, cambiare, cambia, cambierà
  will: vuoi, intendi, stai per
  will do: farai, fai, vuoi fare, intendi fare, stai per fare, hai intenzione di fare
  happens: succede, succederà, accade, accadrà, succede dopo, succederebbe, accadrebbe, viene dopo, segue
  happens: verrà dopo, capita
  if_i: se, quando
  yes: sì, dico sì, dico di sì, continuo, confermo
  confirm: confermato, approvato, accettato, autorizzato, ha detto sì, detto di sì, dato l ok, dato il via libera
  confirm: dato il permesso
  continue: continuare, continua, procedere, iniziare
  in: dentro, nella, c è nel, nel, nello, nell
  not: non
  not yet: non ancora, ancora no, no non ancora
  not now: non adesso, non ora, adesso no, ora no, per ora no, al momento no, non subito, per il momento no
  not now: proprio adesso no, non proprio adesso, per adesso no, oggi no, non in questo momento
  not now: non immediatamente, adesso proprio no, non adesso grazie, non iniziare ancora, non cominciare ancora
  not now: non partire ancora, non farlo ancora, non fare ancora niente, non fare ancora nulla, non questa volta
  not now: adesso meglio di no, meglio di no adesso, questa settimana no
  not today: oggi no, non oggi
  today: oggi
  tomorrow: domani, la prossima settimana, un altra volta, un altro giorno, domani mattina, lunedì, stasera
  tomorrow: questo pomeriggio, dopodomani, la prossima volta, tra un ora, fra qualche giorno
  wait: aspetta, aspetti, aspettare, attendi, attenda, pazienza, aspettami, non così in fretta, non così veloce
  wait: sono occupata, occupato, torno subito, torno dopo, torno più tardi, lascia in sospeso
  wait: lascialo in sospeso, tienilo in sospeso, lascialo aperto, non c è fretta, senza fretta, calma
  wait: sono in riunione, aspettiamo, meglio aspettare, ci torno dopo, lo faccio dopo, lo faccio più tardi
  wait: lo farò dopo, lo farò più tardi, lo facciamo dopo, facciamolo dopo, facciamo dopo, rimandiamo, rimanda
  wait: rimandalo, rinvia, rinviamo, posticipa, posticipiamo, rimandare, aspetta che controllo
  wait: aspetta che guardo, aspetta che vedo, aspetta ancora, aspetta ancora un po, aspettare ancora
  wait: prenditi il tempo, non ho fretta, ti dico io, ti dico io quando, ti dico quando, dammi tempo
  wait: dammi un po di tempo, tieni in sospeso, mettilo in pausa
  moment: momento, attimo, minuto, minuti, un secondo, istante, momentino, attimino, tra un po, fra un po
  moment: due minuti, cinque minuti, un ora, qualche minuto, pochino
  need: serve, bisogno, dammi
  pause: pausa, metti in pausa
  check: controllare, guardare, vedere, verificare, leggere, dare un occhiata, controllo, guardo, controllarla
  check: controllarli, leggerla, leggerli, guardarla, guardarli, vedo, leggo, verifico, confrontare, assicurarmi
  check: controllo prima, guardo prima, ricontrollare, prima controllo, prima controllare, prima guardare
  check: prima guardo, prima verifico, prima verificare, rileggere, riguardare, dare uno sguardo, esaminare
  check: consultare
  think: pensare, pensarci, ci penso, riflettere, rifletterci, ci devo pensare, devo pensarci, ci sto pensando
  think: sto pensando, lasciami pensare, fammi riflettere, ci penso su
  let: fammi, lasciami, mi faccia, devo, voglio, vorrei, ho bisogno di
  ready: pronto, pronta
  ask: chiedimelo, chiedimi, chiedi, chieda
  tell: ti dico, ti faccio sapere, faccio sapere, ti dico dopo, ti dirò, te lo dico, te lo dico dopo, ti avviso
  answer: rispondere, decidere, rispondo, decido
  time: tempo
  more time: più tempo, altro tempo, ancora tempo, un po più di tempo, un po più tempo, altro po di tempo
  more time: tempo in più, un altro po
  extend: prolunga, prolungare, estendi, scadenza
  maybe: forse, magari, meglio, può darsi
  know: so
  sure: sicuro, sicura, certo
  no: no
  no idea: nessuna idea
  depends: dipende
  you_decide: decidi tu, come vuoi, cosa ne pensi, che ne pensi
  undecided: vediamo, boh, difficile dirlo, sono indeciso, sono indecisa, ho dei dubbi, mah
  just: solo, soltanto
  the: quelli, quelle
  what change: che cambiamento, cosa cambia, che modifica, quali modifiche
  what will do: che fai, cosa stai per fare, a cosa dico sì, cosa fa continuare, cosa stai facendo a
  what will do: che cosa vuoi fare, cosa vuoi fare
  what item: di cosa si tratta, cosa sono, che cosa sono, che cosa c è, cosa contiene, quali sarebbero
  what item: che email sono, che mail sono, quali email ci sono, che cosa contiene
  not can: non posso, adesso non posso, ora non posso, non posso adesso, non posso ora
  not answer: non ho deciso, non ho ancora deciso, non ancora deciso
  not know: non so, non lo so, non saprei, non lo so ancora, non so ancora, boh
  how_many more: quanti altri, quante altre
  check beforehand: controllare prima, vedere prima, guardare prima, verificare prima, prima controllo
  check beforehand: prima controllare, devo prima controllare, prima guardare, prima guardo, prima verifico
  check beforehand: prima verificare, prima vedere, prima leggere
  the fail: i falliti, quelli falliti, le fallite
  -: dammi, ops, mi, dai, tutti, ci, gli, glielo, per favore, ancora un po, il mio
  wait: in riunione, sono in riunione, al telefono, sono al telefono, occupato, occupata, sono occupato, sto guidando, in treno
  wait: alla guida, in macchina, per strada, ti richiamo, non ho tempo, sono fuori, aspetta, un attimo, aspetta un attimo
  later: dopo, più tardi, dopo pranzo, dopo la riunione, quando torno, quando sono a casa, quando posso, tra poco, fra poco
  tomorrow: stasera, domani, questo pomeriggio, domattina, lunedì
  not now: adesso no, ora no, non adesso, non ora, per ora no, per adesso no, non subito, al momento no
  not yet: non ancora, ancora no
  answer: decido, rispondo, ti rispondo
  tell: ti dico, ti faccio sapere, te lo dico, ti avviso
  think: chiedere al capo, chiedere al mio capo, chiedere a un collega, pensarci, ci penso, devo pensarci, fammi pensare
  check: controllare, controllo, guardare, guardo, dare un occhiata, verificare
  moment: minuti, cinque minuti, due minuti, dieci minuti, un momento, un minuto, un secondo
  restore: come se niente fosse, come se nulla fosse, come se non fosse mai successo, rimetti tutto com era, come prima
  undo: togli le etichette, togli tutte le etichette, rimuovi le etichette, leva le etichette, via le etichette
  status: com è andata, come è andata, com è finita, come è finita, il risultato, risultato, in che lotto siamo
  status: a che lotto siamo, quale lotto è questo, a che numero siamo, com è finito
  well: andato bene, andati bene, riusciti, riuscito
  all well: è andato tutto bene, andato tutto bene, tutto a posto
  until_when: quando scade, scade, fino a quando, entro quando, quanto tempo ho, quanto tempo mi resta, quanto tempo mi rimane
  try again: un altra possibilità, un altra chance, una seconda possibilità, un altro tentativo
  fail: falliti, quelli falliti, non riusciti, andati male, andato male, in errore
  how_many done: quanti sono fatti, quanti ne hai fatti, quanti sono andati
`;
