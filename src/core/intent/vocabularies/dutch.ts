/** The notions of expressions, for meanings.ts. */
export const DUTCH = `
  -: het, een, op de, van, te, op, voor, met, en, zo, dit, dat, er, ik, je, jij, u, we, wij, me, mij, ons, mijn
  -: jouw, is, zijn, was, waren, wordt, worden, werd, heb, heeft, hebben, had, hebt, kun, kunt u, kunnen, zou
  -: wil, wilt, moet, moeten, mag, alsjeblieft, alstublieft, aub, graag, bedankt, hallo, ok, oké, hier, daar
  -: precies, ook, dan, nou, even, eens, gewoon, ze, hen, hun, hem, het allemaal, over, om, ben, af, nu, doe
  -: ervan, zeg, gezegd, de, die, deze, maak, zouden, zal, zullen, hadden, geweest, geworden, word, gaat, gaan
  -: ging, komt, komen, kwam, blijft, blijven, zit, zitten, staat, staan, geef, geeft, krijgen, krijgt, aan, bij
  -: uit, onder, tussen, naar, in het, ermee, erover, erop, daarmee, eraan, eraf, erbij, ervoor, hierover
  -: hiermee, echt, eigenlijk, momenteel, huidige, iemand, elke, elk, onze, jullie, zij, haar, waar, waarheen, of
  -: vertel, wou, wilde, willen, zegt, hoor, toch, maken, gemaakt, allang, ene, jou, mijne, zodat, maar, laat
  -: gegaan, gingen, doet, deed, deden, kom, weet je, weten, zeggen, uitleggen, leg uit, uitleg, vraagje
  -: nieuwsgierig, gisteren, als je kunt, als het kan, vlug, best, behoorlijk, zonet, net, zojuist, tot, tijdens
  -: sinds, waarvan, hetzelfde, moest, moesten, hoort, horen, hierin, daarin, hiervan, daarvan, mogen, mocht
  which: welke, welk
  what: wat
  who: wie
  why: waarom, hoezo, hoe komt
  how: hoe
  how_many: hoeveel, hoe veel
  many: veel
  any: waren er, zijn er, iets
  until_when: tot wanneer, hoe lang heb ik, hoe lang heb ik nog, hoeveel tijd heb ik, hoeveel tijd heb ik nog
  until_when: wanneer verloopt, wanneer verloopt het, tot hoe laat
  show: toon, zien, bekijken, bekijk, kan ik zien, som op, tonen, laten zien, lees voor, herinner me, noem
  list: lijst, de lijst, overzicht, lijstje, inhoud, de inhoud
  item: mail, mails, email, emails, bericht, berichten, kaart, kaarten, afspraak, afspraken, rij, rijen, item
  item: items
  batch: batch, batches, groep, groepen, partij, partijen, reeks, ronde, rondes
  number: twee, drie, vier, vijf, zes, zeven, acht, negen, tien, twintig, beide, paar, elf, twaalf, vijftien
  number: nummer, nummers, enkele
  first: eerste
  beforehand: eerst
  last: laatste, vorige
  next: volgende, hierna
  all: alles, alle, allemaal
  left: over, nog over, resteren, resteert, resten, rest, resterende, ontbreken, te gaan, overblijven, openstaan
  left: te doen, blijven over, blijft er over, blijven er over, overgebleven, nog te gaan, nog te doen
  left: te verwerken, te labelen, nog resterend, blijft over, nog gedaan worden, moet er nog gedaan worden
  left: te bevestigen, nog over zijn, onafgemaakt, nog open, staan nog open, nog niet gedaan, resterend, blijven
  left: blijft, blijven er
  still: nog
  more: meer, verdere
  later: daarna, achteraf, later, straks, dadelijk, zo meteen, dalijk, op een later moment, een andere keer
  later: wat later, iets later, zometeen, straks pas, een beetje later, op een ander moment, over een minuutje
  later: over een minuut, over een tijdje, binnenkort
  done: gedaan, klaar, verwerkt, gewijzigd, veranderd, gelabeld, gearchiveerd, verplaatst, verwijderd, gemarkeerd
  done: wat je gedaan hebt, toegevoegd, afgerond, gelukt, geslaagd, gezet, die je hebt toegevoegd, uitgevoerd
  done: behandeld, aangepast, bewerkt, begonnen, gestart, doorgevoerd, aangeraakt, klaar zijn, afgehandeld
  done: wat je net deed, wat je deed, bijgewerkt, toegepast, getagd, gesorteerd, uitgevoerde, voltooid, compleet
  done: doorgelopen, verwijderde
  do: gebeuren, doen
  far: tot nu toe, ver, tot dusver
  already: al, reeds
  status: status, voortgang, stand, hoe staat het, waar zijn we, hoe staat het ermee, hoe staan we ervoor
  status: hoe ver zijn we, hoe ver is het, samenvatting, overzicht, tussenstand, laatste stand, enig nieuws
  status: nieuws, waar staan we, hoe is het gegaan, hoe ging het, hoe is het verlopen, hoe verliep het
  status: hoe vordert het, voortgangsrapport, update, stand van zaken, de stand van zaken
  status: een overzicht van de stand
  going: hoe gaat het, hoe loopt het, gaat het goed
  finished: klaar, ben je klaar, is het klaar, afgelopen
  well: gelukt, gewerkt, is gelukt, goed, goed gelukt, correct, naar wens, geslaagd, goed verlopen, goed gelopen
  how long: hoe lang, hoe lang duurt
  fail: mislukt, mislukte, mislukten, gefaald, gefaalde, niet gelukt, niet gelukte, niet gewerkt, met fouten
  fail: met een fout, fout gegaan, misgegaan, misging, fout ging, hadden fouten, niet goed gegaan, met problemen
  fail: hadden problemen, niet gelukt zijn, niet doorgegaan, faalde, faalden, gaven een fout, gaf een fout
  fail: een fout gaven, geweigerd, gaven fouten, gaf fouten, gaven problemen, gaven een probleem, niet gelabeld
  fail: niet verwerkt, vastgelopen, werkten niet, werkte niet, lukte niet, lukten niet, niet lukten, niet lukte
  fail: niet werkten, misliepen, mis liepen, probleemgevallen, gebroken, geweigerde
  error: fout, fouten, probleem, problemen, storing
  wrong: mis, verkeerd
  happened: gebeurd, gebeurde
  again: opnieuw, nog een keer, nog eens, nogmaals, weer, nog een keertje, herhaal, herhalen
  try: probeer, proberen
  undo: ongedaan, terugdraaien, draai terug, draai, teruggedraaid, terug te zetten, terugzetten, oude toestand
  undo: terug naar hoe het was, maak alles ongedaan, alles ongedaan, draai alles terug, terug draaien
  undo: draai weer terug, herroep, herroepen, maak weer ongedaan, terugnemen
  undoable: omkeerbaar, terug te draaien, ongedaan te maken, definitief, onomkeerbaar
  can: kan ik, kan men, kunnen we, kan dit, kan dat, kan het, kan je
  back: terug
  take: neem, haal, breng, nemen
  put: zet, leg, plaats
  restore: herstel, herstellen
  before: zoals eerst, zoals het was, zoals ze waren, zoals voorheen, zoals het eerst was, hoe het was
  before: naar hoe het was
  remove: verwijder, haal weg, weg, haal
  label: label, labels, etiket, etiketten, ster, sterren, markering, markeringen
  change: wijziging, wijzigingen, verandering, veranderingen, verandert, wordt veranderd
  will: ga je, zul je
  will do: ga je doen, doe je, ga je ermee doen, ben je van plan, zul je doen
  happens: gebeurt, zal er gebeuren, gaat er gebeuren, gebeurt daarna, zou er gebeuren, gebeurt hierna
  happens: komt hierna, volgt, komt daarna, komt dan
  if_i: als ik
  yes: ja, doorga
  confirm: bevestigd, goedgekeurd, akkoord gegeven, ja gezegd, heeft ja gezegd, toestemming gegeven
  confirm: het akkoord gegeven, groen licht gegeven, vrijgegeven, ok gegeven, goedkeuring gegeven
  continue: doorgaan, verder, verdergaan, ga door, starten, beginnen, ga verder, door, begin, begint
  in: in, erin
  not: niet, geen
  not yet: nog niet
  not now: nu niet, niet nu, nu even niet, op dit moment niet, nu nog niet, voorlopig niet, voorlopig nog niet
  not now: op dit ogenblik niet, niet op dit moment, vandaag niet meer, momenteel niet, niet meteen
  not now: nu liever niet, begin nog niet, nog niet beginnen, nog niet starten, start nog niet, doe nog niets
  not now: nog niets doen, nu nog even niet, nog niet dank je, deze keer niet, deze week niet
  not today: vandaag niet, niet vandaag
  today: vandaag
  tomorrow: morgen, volgende week, een andere keer, morgenochtend, maandag, vanavond, vanmiddag, overmorgen
  tomorrow: volgende keer, over een uur, over een paar dagen
  wait: wacht, wachten, geduld, hou even, niet zo snel, rustig aan, bezig, ik ben druk, ik kom zo terug
  wait: ik kom erop terug, kom erop terug, kom later terug, laat het open, laat het nog open, laat het even
  wait: geen haast, heeft geen haast, het kan wachten, kan wachten, geef me even, wacht nog even
  wait: nog even wachten, ik zit in een vergadering, laten we wachten, ik doe het later, ik doe dat later
  wait: doe ik later, dat doe ik later, we doen het later, dat doen we later, laten we het later doen, uitstellen
  wait: stel het uit, stel uit, stellen we uit, laten we uitstellen, nog wachten, wacht nog, wacht nog een beetje
  wait: een beetje geduld, rustig blijven, neem de tijd, geef me tijd, geef me de tijd, ik zeg wel wanneer
  wait: zeg ik wel, zet het in de wacht, in de wacht, zet op pauze, parkeer het, hou het open
  moment: moment, momentje, ogenblik, ogenblikje, seconde, minuut, minuten, minuutje, minuutjes, paar minuten
  moment: een paar minuten, uur, vijf minuten, twee minuten, eventjes
  need: nodig
  pause: pauze, pauzeer
  check: kijken, nakijken, bekijken, controleren, checken, lezen, nalezen, doorlezen, doornemen, nakijk, kijk
  check: controleer, check, nagaan, vergelijken, bekijk, eerst kijken, eerst controleren, eerst nakijken
  check: eerst checken, eerst lezen, nagekeken, nog even kijken, overlezen, bestuderen, de lijst bekijken
  think: nadenken, denken, denk na, over nadenken, erover na te denken, nadenken over, ik denk erover na
  think: denk erover na, er een nachtje over slapen, er nog over nadenken, over na te denken
  let: laat me, laat mij, ik moet, ik wil, ik ga, wil ik, ik zou graag, moet ik
  ready: zover
  not ready: nog niet klaar, niet klaar, nog niet zover, niet zover
  ask: vraag, vragen
  answer: antwoorden, beslissen, antwoord
  tell: laat weten, laat het later weten, laat het weten, laat het je weten, ik laat het weten, ik zeg het later
  tell: zeg ik later
  time: tijd
  more time: meer tijd, langer de tijd, wat meer tijd, iets meer tijd, meer bedenktijd, extra tijd, nog wat tijd
  more time: nog even tijd
  extend: verleng, verlengen
  maybe: misschien, wellicht, liever
  know: weet
  sure: zeker
  no: nee
  no idea: geen idee
  depends: hangt ervan af, het hangt ervan af, dat hangt ervan af, ligt eraan, hangt er van af
  you_decide: wat vind jij, wat denk je
  undecided: zal ik, even zien, twijfel, moeilijk te zeggen, weet nog niet, ben er nog niet uit
  just: alleen, slechts
  the: de, die, deze
  how far: hoe ver
  what change: wat verandert, welke verandering, welke wijziging, wat wijzigt
  what will do: waar zeg ik ja op, waar zeg ik ja tegen, wat doet doorgaan, wat doet dat, wat doet dit
  what will do: wat ben je van plan, wat ga je ermee doen
  what item: wat zit erin, wat zit er in, wat is het, wat zijn het, waar gaat het om, om welke gaat het
  what item: wat zit er in de batch, welke mails zouden dat zijn, welke zouden het zijn, wat zijn dat
  not can: ik kan niet, kan niet, kan ik niet, nu kan ik niet, ik kan nu niet, kan nu niet
  not answer: niet beslist, nog niet beslist, nog niet besloten
  not know: weet niet, weet ik niet, weet het niet, weet het nog niet, ik weet het nog niet, zou het niet weten
  all well: is alles goed gegaan, ging alles goed, alles goed gegaan
  take back: neem terug, neem dat terug, neem het terug
  retry: doe opnieuw, doe nog eens, doe nog een keer, opnieuw doen, opnieuw uitvoeren, voer opnieuw uit
  retry: opnieuw proberen, herprobeer
  the fail: de mislukte, de mislukten, de gefaalde
  check beforehand: eerst controleren, eerst nakijken, eerst checken, eerst lezen, eerst bekijken, eerst nagaan
  check beforehand: eerst kijken, eerst zien
  -: geef ze, oeps, mij, m n, mijn, nog wat, een beetje
  wait: in een vergadering, zit in een vergadering, in gesprek, aan het bellen, ik ben aan het bellen, aan de telefoon
  wait: ik zit in een vergadering, in de auto, in de trein, onderweg, ik ben onderweg, ik bel terug, geen tijd, druk
  later: na de lunch, na het eten, na de vergadering, als ik thuis ben, als ik terug ben, als ik tijd heb
  tomorrow: vanavond, vanmiddag
  answer: beslis, ik beslis
  think: mijn baas vragen, aan mijn baas vragen, een collega vragen, overleggen, even overleggen
  tell: laat het je later weten, laat het je weten, laat je weten, ik laat het je weten, ik laat het je later weten
  restore: alsof er niets gebeurd is, alsof het nooit gebeurd is, alles weer zoals eerst, zet alles terug
  undo: haal de labels er af, labels eraf, labels weg, haal de labels er weer af, haal alle labels weg
  status: hoe is het afgelopen, hoe is het gegaan, hoe ging het, het resultaat, resultaat, bij welke batch zijn we
  status: welke batch is dit, hoe is het geworden
  all well: alles gelukt, is alles gelukt, goed gegaan allemaal
  until_when: verloopt dit, wanneer verloopt dit, verloopt, hoe lang wacht je
  try again: nog een kans, een tweede kans, nog een poging
`;
