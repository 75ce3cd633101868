/** The notions of expressions, for meanings.ts. */
export const DUTCH = `
  -: het, een, op de, van, te, op, voor, met, en, zo, dit, dat, er maar, er, ik, je, jij, u, we, wij, me, mij
  -: ons, mijn, jouw, is, zijn, was, waren, wordt, worden, werd, heb, heeft, hebben, had, hebt, kun, kun je
  -: kunt u, kunnen, zou, wil, wilt, moet, moeten, mag, alsjeblieft, alstublieft, aub, graag, bedankt, hallo, ok
  -: oké, hier, daar, precies, ook, dan, nou, even, eens, maar even, gewoon, ze, hen, hun, hem, het allemaal
  -: over, om, ben, af, nu, doe, ervan, kan ik antwoorden, zeg, gezegd, de, die, deze, maak, kunnen we, zouden
  -: zal, zullen, hadden, geweest, geworden, word, wordt er, gaat, gaan, ging, komt, komen, kwam, blijft, blijven
  -: zit, zitten, staat, staan, geef, geef me, geef mij, geeft, krijgen, krijgt, aan, bij, uit, onder, tussen
  -: naar, in het, ermee, erover, erop, daarmee, eraan, eraf, erbij, ervoor, hierover, hiermee, echt, eigenlijk
  -: momenteel, huidige, iemand, elke, elk, onze, jullie, zij, haar, waar, waarheen, of, zeg eens, vertel
  -: vertel me, wou, wilde, willen, zegt, hoor, toch, maken, gemaakt, allang, ene, jou, mijne, zodat, nu nog
  -: maar, laat
  which: welke, welk, welke daarvan
  what: wat
  who: wie
  why: waarom, hoezo, hoe komt
  how: hoe
  how_many: hoeveel, hoe veel
  many: veel
  any: waren er, zijn er, iets
  until_when: tot wanneer, hoe lang heb ik, hoe lang heb ik nog, hoeveel tijd heb ik, hoeveel tijd heb ik nog
  until_when: wanneer verloopt, wanneer verloopt het, tot hoe laat
  show: toon, laat zien, zien, bekijken, mag ik zien, bekijk, kan ik zien, ik wil zien, laat me zien, som op
  show: tonen
  list: lijst, de lijst, overzicht, lijstje
  item: mail, mails, email, emails, bericht, berichten, kaart, kaarten, afspraak, afspraken, rij, rijen, item
  item: items
  batch: batch, batches, groep, groepen, partij, partijen, reeks, ronde, rondes
  number: twee, drie, vier, vijf, zes, zeven, acht, negen, tien, twintig, beide, paar, elf, twaalf, vijftien
  number: nummer, nummers, enkele, een paar
  first: eerste
  beforehand: eerst
  last: laatste, vorige
  next: volgende, hierna
  all: alles, alle, allemaal
  left: over, nog over, resteren, resteert, resten, resten er, rest, resterende, ontbreken, te gaan, overblijven
  left: openstaan, te doen, blijven over, blijft er over, blijven er over, overgebleven, nog te gaan, nog te doen
  left: te verwerken, te labelen, nog resterend, blijft over
  still: nog
  more: meer, verdere
  later: daarna, achteraf, later, straks, dadelijk, zo meteen, dalijk, op een later moment, een andere keer
  later: wat later, iets later, zometeen, straks pas
  done: gedaan, klaar, verwerkt, gewijzigd, veranderd, gelabeld, gearchiveerd, verplaatst, verwijderd, gemarkeerd
  done: wat je gedaan hebt, toegevoegd, afgerond, gelukt, geslaagd, gezet, hebt toegevoegd
  done: die je hebt toegevoegd, uitgevoerd, behandeld, aangepast, bewerkt, begonnen, gestart, doorgevoerd
  done: aangeraakt, klaar zijn, afgehandeld
  do: gebeuren, doen
  far: tot nu toe, ver, tot dusver
  already: al, reeds
  status: status, voortgang, stand, hoe staat het, waar zijn we, hoe staat het ermee, hoe staan we ervoor
  status: hoe ver zijn we, hoe ver is het, samenvatting, overzicht, tussenstand, laatste stand, enig nieuws
  status: nieuws, waar staan we
  going: hoe gaat het, hoe loopt het, gaat het goed
  finished: klaar, ben je klaar, is het klaar, afgelopen
  well: gelukt, goed gegaan, gewerkt, is gelukt, goed, goed gelukt, correct, naar wens, geslaagd
  how long: hoe lang, hoe lang duurt
  fail: mislukt, mislukte, mislukten, gefaald, gefaalde, niet gelukt, niet gelukte, niet gewerkt, met fouten
  fail: met een fout, fout gegaan, misgegaan, misging, fout ging, hadden fouten, is er misgegaan
  fail: niet goed gegaan, met problemen, hadden problemen, mislukt zijn, niet gelukt zijn, niet doorgegaan
  fail: faalde, faalden, gaven een fout, gaf een fout, een fout gaven, geweigerd
  error: fout, fouten, probleem, problemen, storing
  wrong: mis, verkeerd, ging er mis
  happened: gebeurd, gebeurde
  again: opnieuw, weer af, nog een keer, nog eens, nogmaals, weer, nog een keertje, nogmaals eens, herhaal
  again: herhalen
  try: probeer, proberen
  undo: ongedaan, maak ongedaan, ongedaan maken, terugdraaien, draai terug, ongedaan gemaakt, draai
  undo: teruggedraaid, terug te zetten, terugzetten, ongedaan te maken, oude toestand, terug naar hoe het was
  undo: maak alles ongedaan, alles ongedaan, draai alles terug, draai om
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
  happens: gebeurt, gebeurt er, zal er gebeuren, gaat er gebeuren, gebeurt nu, gebeurt dan, gebeurt daarna
  happens: zou er gebeuren, gebeurt hierna
  if_i: als ik
  yes: ja, ja zeg, doorga
  confirm: bevestigd, goedgekeurd, akkoord gegeven, ja gezegd, heeft ja gezegd, toestemming gegeven
  confirm: het akkoord gegeven, groen licht gegeven, vrijgegeven, ok gegeven, goedkeuring gegeven
  continue: doorgaan, verder, verdergaan, ga door, starten, beginnen, ga verder, door
  in: in, erin
  not: niet, geen
  not yet: nog niet
  not now: nu niet, niet nu, nu even niet, op dit moment niet, nu nog niet, voorlopig niet, voorlopig nog niet
  not now: op dit ogenblik niet, niet op dit moment, vandaag niet meer, momenteel niet, niet meteen
  not now: nu liever niet
  not today: vandaag niet, niet vandaag
  today: vandaag
  tomorrow: morgen, volgende week, een andere keer, morgenochtend, maandag, vanavond, vanmiddag, overmorgen
  tomorrow: volgende keer, over een uur, over een paar dagen
  wait: wacht, wachten, even wachten, wacht even, wacht eens, geduld, hou even, niet zo snel, rustig aan
  wait: ik ben bezig, bezig, ik ben druk, ik kom zo terug, ik kom erop terug, kom erop terug, kom later terug
  wait: laat het open, laat het nog open, laat het even, geen haast, heeft geen haast, het kan wachten
  wait: kan wachten, geef me even, wacht nog even, nog even wachten, even geduld, ik zit in een vergadering
  wait: laten we wachten
  moment: moment, momentje, een moment, ogenblik, een ogenblik, ogenblikje, seconde, minuut, minuten, minuutje
  moment: minuutjes, paar minuten, een paar minuten, uur, een uur, vijf minuten, twee minuten, eventjes
  need: nodig
  pause: pauze, pauzeer
  check: kijken, nakijken, bekijken, controleren, checken, lezen, nalezen, doorlezen, doornemen, nakijk, kijk
  check: ik kijk, controleer, check, nagaan, vergelijken, bekijk, naar kijken, even kijken, eens kijken
  check: eerst kijken
  think: nadenken, denken, denk na, over nadenken, erover nadenken, erover na te denken, nadenken over
  think: erover denken, ik denk erover na, denk erover na, ben aan het nadenken, er een nachtje over slapen
  think: er nog over nadenken, over na te denken
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
  undecided: zal ik, even zien, ik twijfel, twijfel, moeilijk te zeggen, weet nog niet, ben er nog niet uit
  just: alleen, slechts
  the: de, die, deze
  how far: hoe ver
  what change: wat verandert, welke verandering, welke wijziging, wat wijzigt
  what will do: waar zeg ik ja op, waar zeg ik ja tegen, wat doet doorgaan, wat doet dat, wat doet dit
  what will do: wat ben je van plan, wat ga je ermee doen
  what item: wat zit erin, wat zit er in, wat is het, wat zijn het, waar gaat het om, om welke gaat het
  not can: ik kan niet, kan niet, kan ik niet, nu kan ik niet, ik kan nu niet, kan nu niet
  not answer: niet beslist, nog niet beslist, nog niet besloten
  not know: weet niet, weet ik niet, weet het niet, weet het nog niet, ik weet het nog niet, zou het niet weten
`;
