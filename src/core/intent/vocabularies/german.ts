/** The notions of expressions, for meanings.ts. */
export const GERMAN = `
  -: der, den, dem, des, ein, eine, einen, einem, von, zu, zum, zur, an, auf, für, mit, und, so, es, er, sie, ihn
  -: ihm, das, dies, dieser, diesem, ich, du, wir, mir, mich, uns, dir, dich, mein, meine, dein, ist, sind, war
  -: waren, wird, wurde, wurden, werden, sei, hat, hast, habe, haben, hatte, hatten, kannst, könntest, könnten
  -: können, könnt, würdest, will, möchte, muss, müssen, soll, sollen, bitte, danke, hallo, hey, ok, okay, na
  -: mal, da, hier, genau, auch, denn, doch, eigentlich, jetzt, etwa, überhaupt, eben, kurz, ganz, insgesamt
  -: davon, dabei, dazu, damit, daran, stehen, aus, kommen, sich, s, gerade, sein, dann, nun, bin, bist, seid
  -: diese, jene, sage, gesagt, sag, die, man, also, momentan, aktuell, aktuelle, aktuellen, derzeit, nach, um
  -: bei, beim, vom, im, ins, darin, drauf, darauf, wo, wohin, woher, gehts, geht, gehört, kommt, kam, bekommen
  -: bekommt, kriegen, kriegt, gibt, gib, gebe, alte, alten, alter, neue, neuen, sehr, ziemlich, einfach, endlich
  -: wirklich, halt, schonmal, ob, ihr, euch, ihre, ihren, seine, denen, deren, meinst, meint, meinen, erzähl
  -: erklär, lass, lassen, möchtest, würde, würden, hätte, hätten, gern, gerne, lieber, eins, einer, eines
  -: anderen, andere, selbst, selber, keins, wäre, wären, gewesen, worden, habt, hattest, musst, darf, dürfen
  -: sollte, sollten, wollte, wollen, oder, als, jemand, aber, lief, kommst, sieht, steht, stehst, laufen
  -: gelaufen, ging, gehen, ginge, tut, tust, machst, macht, wurdest, voran, vorwärts, zurzeit, soweit, unter
  -: über, gegen, während, seit, vor, sonst, vielen dank, herzlichen dank, drum, dafür, dagegen, darum, hierzu
  -: welch, irgendwie, hattet, würdet, könntet, wollt, frage, frage mich, neugierig, kurze frage, wüsste, wissen
  -: weißt du
  which: welche, welcher, welches, welchen, welche von ihnen, welche einzelnen
  what: was
  who: wer, wen
  why: warum, wieso, weshalb, woran lag, woran liegt
  how: wie
  why fail: woran lag es, woran lag das, woran liegt es, woran liegt das, woran lag s, woran hat es gelegen
  why fail: was war der grund, was ist der grund, was war die ursache
  how_many: wie viele, wieviele, wie viel, wieviel, wie viele davon
  many: viele, viel
  any: gab es, gibt es, etwas, irgendwas, irgendwelche, gab s
  until_when: bis wann, wie lange habe ich, wie lange noch zeit, wann läuft es ab, wie lange ist das offen
  until_when: wie lange habe ich noch zeit, wie lange habe ich noch, wie lange ist das noch offen
  until_when: wie lange wartest du, wann läuft die frist ab, wann läuft das ab, bis wann muss ich
  show: zeig, zeige, zeigen, anzeigen, zeigt, lass mich sehen, kann ich sehen, liste auf, nenn, nenne, sehen
  show: die liste sehen, lass sehen, ich möchte sehen, anzuzeigen, auflisten, aufzählen, vorlesen, lies vor
  show: nochmal zeigen, zeig nochmal, zeige nochmal
  list: liste, die liste, auflistung, übersicht, inhalt, aufstellung
  item: mail, mails, email, emails, nachricht, nachrichten, termin, termine, karte, karten, zeile, zeilen
  item: element, elemente, einträge, eintrag
  batch: batch, batches, stapel, block, blöcke, runde, runden, durchgang, durchgänge, ladung
  number: zwei, drei, vier, fünf, sechs, sieben, acht, neun, zehn, zwanzig, beide, beiden, paar, einige, elf
  number: zwölf, fünfzehn, dreißig, nummer, nummern, nr, zweien, dreien, beiden mails
  first: erste, ersten, erster, erstes
  last: letzte, letzten, letzter, letztes, vorige, vorigen, vorherige
  next: nächste, nächsten, nächster, nächstes
  all: alle, alles, allen, jede, jeder, das ganze, sämtliche
  left: übrig, offen, ausstehend, fehlen, fehlt, bleibt, bleiben, verbleiben, restlich, restlichen, zu tun
  left: zu erledigen, steht aus, stehen aus, stehen noch aus, zu bearbeiten, übriggeblieben, übrig geblieben
  left: zu machen, ausständig, restliche, vor uns, bevor, kommt noch, kommen noch, steht noch aus, muss noch
  left: müssen noch, steht noch an, stehen noch an, steht an, noch zu machen, noch zu tun, noch zu bearbeiten
  left: noch vor uns, noch übrig, noch offen, ist noch, unerledigt, unbearbeitet
  still: noch
  more: mehr, weitere, weiteren
  later: danach, nachher, hinterher, im nachhinein, später, gleich, bald, erst später, etwas später, melde mich
  later: demnächst, irgendwann, ein andermal, danach erst
  done: gemacht, getan, erledigt, bearbeitet, verarbeitet, geändert, markiert, archiviert, verschoben, gelöscht
  done: geschafft, durch, gelabelt, abgearbeitet, hinzugefügt, gesetzt, was du gemacht hast, passiert ist
  done: geschehen, umgesetzt, durchgeführt, durchgegangen, vollzogen, angefasst, verändert, erfolgt, ausgeführt
  done: abgehakt, fertig geworden, fertig, begonnen, angefangen, gestartet, dran waren, geklappt haben
  done: hingekriegt, durchgelaufen, gelaufen, vorgenommen, abgeschlossen, komplett, umbenannt, aktualisiert
  done: markierst, gestempelt, versehen, entfernt
  do: machen, tun, mach, mache
  far: bisher, bis jetzt, bislang, weit, bis hierhin
  already: schon, bereits
  status: stand, status, fortschritt, zwischenstand, lage, wo stehen wir, wo sind wir, wie steht s, wie steht es
  status: wie ist der stand, wo stehen wir gerade, wie weit ist es, wie weit bist du, wie weit sind wir, wie weit
  status: wie kommst du voran, wie sieht der fortschritt aus, wie ist es gelaufen, wie lief es, wie lief s
  status: wie ist es gegangen, zwischenbericht, wie sieht der stand aus, kurzer überblick, überblick
  status: überblick über den stand
  going: wie läuft, läuft, wie geht s voran, wie geht es voran, wie sieht s aus, wie sieht es aus, geht s voran
  finished: fertig, bist du fertig, abgeschlossen, ist es vorbei
  well: geklappt, gutgegangen, gut gegangen, funktioniert, gut gelaufen, erfolgreich, in ordnung, gut, läuft gut
  well: gut funktioniert, durchgelaufen
  how long: wie lange, wie lange dauert, dauert es noch lange
  fail: fehlgeschlagen, fehlgeschlagene, fehlgeschlagenen, gescheitert, gescheiterte, gescheiterten, misslungen
  fail: misslungene, misslungenen, mit fehler, mit fehlern, fehlerhafte, fehlerhaften, nicht geklappt
  fail: nicht geklappt haben, nicht geklappt hat, nicht funktioniert, nicht funktioniert haben, schiefgegangen
  fail: schiefgegangenen, schief gegangen, schiefgelaufen, schief gelaufen, hatten fehler, hatte fehler
  fail: hatten probleme, fehler hatten, nicht gegangen, nicht durchgegangen, nicht erfolgreich
  fail: hat nicht geklappt, haben nicht geklappt, nicht gingen, nicht ging, daneben gegangen, danebengegangen
  fail: in die hose gegangen, fehlschlug, fehlschlugen, scheiterte, scheiterten, schlug fehl, schlugen fehl
  fail: abgelehnt wurden, nicht bearbeitet werden konnten, probleme machten, ging nicht, gingen nicht
  fail: ging das nicht, funktionierten nicht, funktionierte nicht, klappten nicht, klappte nicht
  fail: nicht funktionierten, nicht klappten, mit problemen, problematische, problematischen, defekte, defekten
  fail: kaputt, kaputten, missglückt, missglückte, missglückten, nicht durch, abgebrochen wurden
  fail: hängen geblieben, hängengeblieben, nicht gelabelt, nicht gelabelt werden konnten
  fail: nicht markiert werden konnten
  error: fehler, fehlern, problem, probleme, fehlschlag, fehlschläge, störung
  wrong: falsch, schief
  happened: passiert, los, geschehen
  again: nochmal, nochmals, noch mal, noch einmal, noch ein mal, erneut, abermals, wieder, wiederhole
  again: wiederholen, wiederhol, noch mal bitte, aufs neue, von neuem, ein zweites mal, noch ein mal bitte
  try: versuch, versuche, versuchen, probier, probiere, probieren, probierst, versuchst, versucht
  undo: rückgängig, rückgängig machen, zurücknehmen, zurücksetzen, zurückdrehen, zurückrollen, ungeschehen
  undo: ungeschehen machen, rückgängig gemacht, alten zustand, alten zustand wieder, ursprünglichen zustand
  undo: urzustand, zurückgesetzt, zurückgenommen, revidiere, revidieren, widerrufen, widerrufe, zurückmachen
  undo: zurückgemacht, rückabwickeln
  undoable: umkehrbar, reversibel, widerrufbar, wieder rückgängig zu machen, rückgängig zu machen, endgültig
  undoable: zurücknehmbar
  can: kann ich, kann man, können wir, lässt sich, kann das, kann ich das, könnte ich, könnte man, lässt es sich
  back: zurück, zurück auf anfang
  take: nimm, nehmen, hol, dreh, roll
  put: stell, setz, setze, stelle, bring, leg, mach es, mach
  restore: wiederherstellen, stell wieder her, stelle wieder her, wieder her, herstellen
  restore: alten zustand wieder her, den alten zustand, zum alten zustand, ursprünglichen zustand wieder her
  before: wie vorher, wie es war, wie sie waren, wie zuvor, wie davor, wie am anfang, so wie vorher
  remove: entfern, entferne, entfernen, weg, nimm weg, lösch, lösche, abmachen, entfernt, runter, wegnehmen
  remove: wegmachen, weg machen
  label: label, labels, etikett, etiketten, markierung, markierungen, kennzeichen, schild
  change: änderung, änderungen, ändert sich, geändert werden, ändern, wird geändert
  will: wirst du, willst du, würdest du, hast du vor
  will do: machst du, wirst du machen, wirst du tun, hast du vor, willst du machen, willst du tun, tust du
  will do: wird gemacht, soll gemacht werden, wirst du damit machen, machst du damit, machst du jetzt
  will do: machst du dann, hast du damit vor, planst du, hast vor
  happens: passiert dann, passiert jetzt, passiert danach, passiert wenn, geschieht, passiert damit
  happens: genau passiert, passiert genau, passiert, passieren, als nächstes passiert, passiert als nächstes
  happens: geschieht dann, wird gemacht, kommt danach, kommt dann, folgt, passiert hier
  if_i: wenn ich
  yes: ja, weiter sage, zustimme
  confirm: bestätigt, freigegeben, genehmigt, zugestimmt, erlaubt, bestätige, ja gesagt, zugesagt, abgesegnet
  confirm: okay gegeben, ok gegeben, das ok gegeben, war das, die freigabe gegeben, erteilt, grünes licht gegeben
  continue: weitermachen, fortfahren, weiter, weitermache, mach weiter, starten, anfangen, mach
  then: dann
  in: in, im, drin, enthalten
  not: nicht, kein, keine
  not yet: noch nicht, erst mal nicht, erstmal nicht, vorerst nicht, noch nicht ganz
  not now: jetzt nicht, nicht jetzt, gerade nicht, momentan nicht, im moment nicht, zur zeit nicht, nicht sofort
  not now: jetzt noch nicht, nicht im moment, nicht gerade, gerade noch nicht, heute nicht mehr
  not now: in diesem moment nicht, vorläufig nicht, fürs erste nicht, derzeit nicht, jetzt gerade nicht
  not now: noch nicht starten, noch nicht anfangen, noch nicht loslegen, gerade jetzt nicht
  not now: jetzt im moment nicht, jetzt lieber nicht, lieber nicht jetzt, lieber noch nicht, besser noch nicht
  not now: jetzt besser nicht
  not today: heute nicht, nicht heute
  today: heute, diese woche
  tomorrow: morgen, nächste woche, ein andermal, ein anderes mal, erst morgen, morgen früh, morgen wieder
  tomorrow: morgen nochmal, übermorgen, am montag, montag, heute abend, heute nachmittag, nachher, nächstes mal
  tomorrow: in ein paar tagen, in einer stunde
  wait: warte, warten, wartet, stopp mal, halt mal, geduld, lass offen, warte noch, nicht so schnell
  wait: immer langsam, beschäftigt, ich bin gleich zurück, bin gleich zurück, bin gleich wieder da
  wait: gleich wieder da, lass es offen, lass das offen, lass es noch offen, komme später darauf zurück
  wait: komme darauf zurück, ich komme darauf zurück, komme später drauf zurück, keine eile, eilt nicht, hat zeit
  wait: abwarten, erst mal abwarten, erstmal abwarten, wart, stop mal kurz, verschieben, verschiebe es
  wait: warten wir noch, bitte noch warten, warte noch kurz, warte noch einen moment, ich sage bescheid
  wait: sag ich bescheid, ich sag bescheid, gib mir zeit, gib mir etwas zeit, keine hektik, nicht hetzen
  wait: mach langsam, pausiere, pause bitte, halte noch, noch warten, halte kurz inne, mache ich später
  wait: mach ich später, das mache ich später, machen wir später, das machen wir später, wir machen das später
  wait: ruhig bleiben, auf eis legen
  moment: moment, momentchen, momentmal, kleinen moment, augenblick, sekunde, minute, minuten, kurzen moment
  moment: sekündchen, stunde, stunden, bisschen, ein paar minuten, paar minuten, zwei minuten, fünf minuten
  moment: eine weile, augenblickchen, kurz zeit, zehn minuten, halbe stunde, eine halbe stunde
  need: brauche, brauch, muss
  pause: pause, mach pause, pausieren
  check: nachsehen, nachschauen, schauen, anschauen, ansehen, prüfen, überprüfen, checken, nachgucken, gucken
  check: lesen, durchsehen, sehen, klären, prüfe, schaue, lese, schau, sehe, seh, gucke, guck, durchlesen
  check: durchgehen, drüberschauen, drüber schauen, vergleichen, kontrollieren, kontrolliere, angucken, ansehe
  check: nochmal schauen, reinschauen, vergewissern, prüfe erst, schaue erst, schaue erst nach, schau erst nach
  check: checke, checke erst, lese erst, lies, durchsehe, nachprüfen, gegenprüfen, verifizieren, abklären
  think: überlegen, nachdenken, überlege, denke nach, drüber nachdenken, darüber nachdenken, darüber schlafen
  think: eine nacht darüber schlafen, drüber schlafen, überleg, muss überlegen, nachdenke, darüber nachdenke
  think: überlege noch, bedenken, muss nachdenken
  let: lass mich, lassen sie mich, ich muss, ich will, ich möchte
  check beforehand: erst nachsehen, erst schauen, erst prüfen, erst mal schauen, erst mal sehen, erst lesen
  check beforehand: erst nachschauen, erst checken, erst ansehen, schaue erst nach, schau erst nach, prüfe erst
  check beforehand: prüfe erst mal, schau mir erst, erst anschauen, erst angucken, erst abklären, erst klären
  check beforehand: erst prüfe, vorher prüfen, vorher ansehen, vorher anschauen, vorher nachsehen
  beforehand: erst, erstmal, vorher, zuerst
  ready: bereit, so weit bin
  not ready: noch nicht so weit, nicht so weit, noch nicht bereit, nicht bereit, noch nicht soweit, nicht soweit
  not ready: noch nicht fertig
  tell: melde mich, sage bescheid, sag bescheid, gebe bescheid
  ask: frag, frage, fragen
  answer: antworten, antworte, entscheiden, entscheide
  time: zeit
  more time: mehr zeit, noch zeit, länger zeit, etwas mehr zeit, noch etwas mehr zeit, noch mehr zeit
  more time: noch ein bisschen zeit, etwas zeit, ein bisschen mehr zeit, noch etwas zeit
  extend: verlängern, verlängere, verlänger, frist, die frist
  longer: länger
  maybe: vielleicht, eventuell, möglicherweise, womöglich, lieber
  know: weiß, weiss
  sure: sicher
  not sure: unsicher
  no: nein, nö, nee
  no idea: keine ahnung
  depends: kommt drauf an, kommt darauf an, es kommt darauf an, es kommt drauf an, je nachdem
  you_decide: entscheide du, was meinst du, wie du willst, deine entscheidung, was denkst du
  undecided: mal sehen, jein, unentschieden, unschlüssig, soll ich, schwer zu sagen, weiß noch nicht
  undecided: kann mich nicht entscheiden, schwierig, ich zögere, zwiegespalten
  just: nur, bloß
  the: die, diese, jene
  how far: wie weit
  what will do: wozu sage ich ja, wozu sage ich da ja, wozu stimme ich zu, was stimme ich zu, was bewirkt das
  what will do: was bewirkt weiter, was macht das
  not can: ich kann nicht, kann nicht, kann ich nicht, kann ich gerade nicht, kann gerade nicht
  not can: ich kann gerade nicht, kann jetzt nicht, kann ich jetzt nicht
  not answer: nicht entschieden, noch nicht entschieden, mich noch nicht entschieden
  what item: was ist dabei, was ist das, was sind das, was ist da drin, um was geht es, worum geht es
  what item: was gehört dazu
  any error: wo gab es probleme, gab es probleme
  all well: lief alles gut, alles gut gelaufen, ist alles gut gegangen, alles in ordnung
  take back: nimm zurück, nimm die zurück, nimm sie zurück
  which next: welche sind als nächstes dran
  wait: im meeting, bin im meeting, in einer besprechung, in einem meeting, am telefon, bin am telefon, unterwegs
  wait: bin unterwegs, gerade unterwegs, im auto, im zug, bin im zug, beim arzt, beim essen, bin gerade unterwegs
  wait: ich bin unterwegs, melde mich, ich melde mich, ruf zurück, schlechter empfang, keine zeit, hab keine zeit
  later: nach dem essen, nach der besprechung, nach dem meeting, wenn ich zuhause bin, wenn ich zurück bin, heute abend
  later: wenn ich zeit habe, wenn ich wieder da bin
  tomorrow: heute abend, heute nachmittag
  think: meinen chef fragen, meine chefin fragen, einen kollegen fragen, jemanden fragen, meine frau fragen, meinen mann fragen
  think: mit dem chef sprechen, rücksprache halten, erst meinen chef fragen
  answer: entscheide, ich entscheide, antworte
  moment: fünf minuten, zehn minuten
  restore: auf anfang, wieder auf anfang, zurück auf anfang, auf null, als wäre nichts gewesen, alles auf anfang
  undo: labels sollen weg, labels wieder runter, labels runter, label runter, die labels weg, labels weg, label weg
  status: wie ist es ausgegangen, wie ging es aus, wie lief es, ergebnis, das ergebnis, bei welchem stapel sind wir
  status: bei welchem batch sind wir, welcher stapel ist das, wie war es, wie ist es gelaufen, wie ist es gegangen
  well: geklappt, durchgelaufen, durch
  try again: noch eine chance, eine zweite chance, eine weitere chance, zweite chance
  until_when: läuft das ab, wann läuft das ab, läuft die frage ab, wann ist schluss, wie lange wartest du
  -: gib, gib mir, ups, huch, mir
`;
