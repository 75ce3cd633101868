/** The notions of expressions, for meanings.ts. */
export const FRENCH = `
  -: le, la, l, les, quel est, un, une, des, du, de, d, à, au, aux, en, y, et, pour, par, sur, avec, ce, ça, c
  -: cela, ces, cet, cette, il, elle, ils, elles, on, je, j, tu, vous, nous, me, m, moi, te, t, toi, se, s, leur
  -: lui, mon, ma, mes, ton, ta, tes, ont, a, as, ai, avez, est, es, êtes, sont, suis, était, étaient, été, sera
  -: est ce que, qu, que, qui, peux, pouvez, pourriez vous, voudrais, veux, dois, faut, s il te plaît
  -: s il vous plaît, stp, svp, merci, bonjour, salut, ok, là, ici, deux là, exactement, aussi, alors, donc, bien
  -: ne, n, puis, va, sommes nous, en sommes nous, fois, dis, dit, maintenant, seront, serait, fut, étais, avait
  -: avaient, avoir, être, vais, vont, allons, irai, faudrait, eux, si possible, très, vraiment, petit, petite
  -: peu, quelqu un, quelques, certains, chaque, entre, chez, vers, depuis, pendant, où, ou, voilà, hein, dites
  -: en fait, actuellement, actuel, exact, ceux ci, celles ci, ci, vos, nos, votre, notre, ses, son, sa, parmi
  -: dont, même, mêmes, possible, puisse, pourrait, pourrais, pouvoir, voudrait, donner, donne moi, donnez moi
  -: donne, coup, afin, passer, passé, passée, passés, va être, mais, est ce que ça, rends, rendez, rendre, viens
  -: venez, vient, venir, fera, ferai, ferons, feras, ferez, font, faisons, opération, quelle, ceux de
  -: prochainement, tellement, assez, seul, seule, quand même, sais tu, savez vous, savoir, une question, curieux
  -: bref, rapidement, vite fait, grand, par rapport, est il possible, eu, pourras tu, pourra, faudra, devrait
  -: devrais, doit, doivent, devons, devez, dire, parle, explique, dessus, dessous, hier, celui là
  which: lesquels, lesquelles, quels, quelles, lequel, laquelle, quel, quelle
  what: qu est ce qui, qu est ce que, quoi, que, qu, ce qui
  who: qui, qui est ce qui, qui a
  why: pourquoi
  how: comment, où
  how_many: combien
  many: beaucoup
  any: y a t il, y a t il eu, il y a eu, il y a, quelque chose
  until_when: jusqu à quand, jusqu à quand puis je, jusqu à quand est ce que je peux, combien de temps ai je
  until_when: combien de temps j ai, combien de temps me reste t il, combien de temps il me reste
  until_when: quelle est la date limite, quand expire, quand est ce que ça expire, il me reste combien de temps
  show: montre, montrez, montrer, affiche, affichez, voir, fais voir, puis je voir, liste moi, énumère
  show: faire voir, je peux voir, je veux voir, lis moi, rappelle moi
  list: liste, aperçu, liste des mails, liste des éléments, contenu, détail
  item: mail, mails, email, emails, message, messages, événement, événements, carte, cartes, ligne, lignes
  item: élément, éléments, courriels, courriel
  batch: lot, lots, groupe, groupes, bloc, blocs, batch, série, séries
  number: deux, trois, quatre, cinq, six, sept, huit, neuf, dix, vingt, onze, douze, quinze, numéro, numéros
  number: plusieurs, quelques
  first: premier, première, premiers, premières
  beforehand: d abord, avant
  last: dernier, dernière, derniers, dernières, précédent, précédente
  next: suivant, suivante, suivants, suivantes, prochain, prochains, prochaine, prochaines, ensuite
  all: tout, tous, toutes, toute
  left: reste, restent, restant, restants, restantes, manque, manquent, à faire, à traiter, en attente
  left: reste encore, à faire encore, restera, qui restent, qui reste, manquants, manquantes, à venir
  left: il reste quoi, reste quoi, encore à faire, encore à traiter, à confirmer, pas encore traités, pas traités
  still: encore, toujours
  more: plus, autre, autres
  later: après, ensuite, par la suite, plus tard, tout à l heure, bientôt, un peu plus tard
  later: une autre fois peut être, dans un moment, dans une minute, dans un instant, dans quelques minutes
  later: dans un petit moment
  done: fait, faits, faite, faites, traité, traités, traitées, modifié, modifiés, terminés, marqué, marqués
  done: archivé, archivés, déplacé, supprimé, étiqueté, étiquetés, ce que tu as fait, ce que vous avez fait
  done: que tu as mis, que tu as fait, que tu as ajoutées, que tu as ajoutés, ajouté, déjà fait, réussi, réussis
  done: passé, passée, passés, abouti, déjà faits, effectué, effectués, accompli, accomplis, fini, finis
  done: commencé, bougé, changé, changés, touché, étiquetées, labellisés, ajoutées, qui ont été faits, terminée
  done: terminées, traitée, a été changé, modifiée, modifiées, déplacés, supprimés, ajoutés, fait jusqu ici
  done: viens de faire, venez de faire, tu viens de faire, vous venez de faire, précédemment fait
  done: traités jusqu ici, appliqué, appliqués, mis, posé, posées, posés
  do: faire, fais
  far: jusqu ici, jusqu à présent, jusque là, jusqu à maintenant, loin
  already: déjà
  status: statut, état, avancement, progression, où en es tu, où en est on, où en sommes nous, où en êtes vous
  status: on en est où, tu en es où, où ça en est, point, quel est le statut, on en est à combien, où on en est
  status: on en est là, à combien, on est où, où en est ce, situation, bilan, quoi de neuf, des nouvelles
  status: comment ça avance, où en est l opération, où en est le lot, comment ça s est passé
  status: ça s est passé comment, comment s est passé, comment c était, point d étape, récapitulatif, récap
  status: tu en es à combien, vous en êtes où
  going: comment ça avance, comment ça se passe, ça se passe comment, comment ça va, comment avance, avance
  finished: c est fini, fini, terminé, as tu fini, est ce fini, tu as fini, avez vous fini, est ce que c est fini
  all well: tout s est bien passé, tout a bien marché, tout a marché, est ce que ça a marché, ça a marché
  well: s est bien passé, bien passé, marché, fonctionné, réussi, bien allé, correctement, passé, bien passés
  how long: combien de temps, ça prend combien de temps, dans combien de temps
  fail: échoué, échoués, échouées, échoue, ratés, raté, ratées, en erreur, avec des erreurs, avec erreur
  fail: pas marché, n ont pas marché, n a pas marché, pas fonctionné, n ont pas fonctionné, n a pas fonctionné
  fail: pas réussi, pas passé, pas passés, planté, eu des erreurs, eu une erreur, échouent, échecs, échec
  fail: pas abouti, n ont pas abouti, pas été, en panne, foiré, foirés, ne sont pas passés, pas pu
  fail: n ont pas pu être, qui bloquent, posé problème, ont posé problème, rejetés, en défaut, loupés, loupé
  fail: qui ont raté, bloqués, bloqué, restés bloqués, pas pris, non traités, non passés, avec problème
  fail: avec des problèmes, problématiques, défaillants, défectueux, qui ont posé problème, ça n a pas marché
  fail: n a pas abouti, fautifs, erronés, tombés en erreur
  error: erreur, erreurs, problème, problèmes, souci, soucis
  wrong: mal passé, mal tourné, de travers, ne va pas
  happened: s est passé, est arrivé, s est il passé
  again: encore une fois, à nouveau, de nouveau, une nouvelle fois, une fois de plus, encore un essai, répète
  again: répétez, encore un coup, une deuxième fois, une seconde fois, derechef
  try: essaie, essaye, essayez, essayer, tente, tentez
  retry: réessaie, réessaye, réessayez, réessayer, recommence, recommencez, recommencer, relance, relancez
  retry: relancer, refais, refaites, refaire, retente, retentez, retenter, réexécute, retraite, retraitez
  retry: réessaient, réessayons, ressaie, rejoue, rejouez
  undo: défais, défaites, défaire, reviens en arrière, revenez en arrière, revenir en arrière, retour en arrière
  undo: annule ce que tu as fait, annulez ce que vous avez fait, inverse, reviens sur, annuler après
  undo: annuler ensuite, annuler plus tard, marche arrière, état d avant, l état d avant, état initial
  undo: l état initial, à l état initial, à l état d avant, revienne en arrière, fais marche arrière
  undo: annuler ce que tu as fait, revenir à l état d avant, désétiquette, désarchive, reviens à l état précédent
  undo: état précédent, l état précédent, revenir à l état précédent, annule les changements faits
  undo: annuler ce qui a été fait, annule ce qui a été fait, annule tout ce que tu as fait
  undo: annuler tout ce que tu as fait, défaisons, défait, revert, remets à zéro, remettre comme avant
  undoable: réversible, annulable, annuler plus tard, défaire après coup, faire marche arrière, récupérable
  undoable: définitif
  can: peut on, puis je, est ce que je peux, est ce qu on peut, peut il, est il possible de, on peut, je peux
  can: possible de
  annul: annule, annulez, annuler
  back: en arrière, en place, à leur place
  take: prends, reprends, ramène
  put: remets, remettez, remettre, remet, replace, replacez, rends, rends moi, rendez moi
  put back: remets en place, remets les en place, remets à leur place
  restore: restaure, restaurez, rétablis, rétablissez, restaurer, rétablir, rétablis l état, tout remettre
  restore: remettre tout
  before: comme avant, comme c était, comme ils étaient, comme elles étaient, comme au début, dans l état d avant
  before: tel que c était
  remove: enlève, enlevez, retire, retirez, supprime, ôte, enlever, retirer
  label: étiquette, étiquettes, libellé, libellés, label, labels, étoile, étoiles, marque, marques
  change: changement, changements, modification, modifications, changer, change
  will: allez vous, va, vas
  will do: vas tu faire, allez vous faire, tu vas faire, tu fais, fais tu, tu comptes faire, vas tu en faire
  happens: se passe, se passe t il, va se passer, va t il se passer, arrive, arrivera, se passera
  happens: il se passe quoi, se passera t il, se passe quoi, se passe ensuite, ça donne, va se passer ensuite
  happens: suit, vient ensuite, vient après, se passera ensuite
  if_i: si je, quand je
  yes: oui, dis continue, confirme
  confirm: confirmé, approuvé, validé, accepté, autorisé, a dit oui, dit oui, donné le feu vert, donné son accord
  confirm: donné l accord, a confirmé, feu vert
  continue: continue, continuez, continuer, commencer, commence, poursuis
  in: dans, dedans
  not: pas, aucun, aucune
  not yet: pas encore, pas tout à fait
  not now: pas maintenant, pas tout de suite, pas pour le moment, pas pour l instant, pas là, pas immédiatement
  not now: pas là maintenant, pas ce soir, plus aujourd hui, pas dans l immédiat, pour l instant non
  not now: pour le moment non, pour l instant pas, non pas maintenant, pas en ce moment, pas cette fois
  not now: pas de suite, ne commence pas encore, ne lance pas encore, ne démarre pas encore, ne fais rien encore
  not now: ne fais encore rien, pas encore merci, pas cette semaine
  not today: pas aujourd hui
  today: aujourd hui
  tomorrow: demain, la semaine prochaine, une autre fois, un autre jour, demain matin, lundi, ce soir
  tomorrow: cet après midi, après demain, la prochaine fois, dans une heure, dans quelques jours
  wait: attends, attendez, attendre, patiente, patientez, patience, minute papillon, deux secondes, pas si vite
  wait: doucement, une petite minute, un petit moment, occupé, occupée, je reviens, je reviens vers toi
  wait: je reviens plus tard, je reviendrai, laisse en attente, mets en attente, garde ça en attente
  wait: mettez en attente, on attend, attendons, rien ne presse, ça peut attendre, une minute papillon
  wait: laisse ouvert, on y revient, on y reviendra, en réunion, je suis en réunion, attends que je vérifie
  wait: attends que je regarde, attendez que je vérifie, on fera ça plus tard, je ferai ça plus tard
  wait: je le ferai plus tard, je le fais plus tard, on le fera plus tard, on verra ça plus tard
  wait: remettons à plus tard, remettons ça à plus tard, reporte, reportons, différer, pas de précipitation
  wait: prends ton temps, prenons notre temps, tout doux, du calme, je te fais signe, je te dis quand
  wait: je te dirai quand, je dirai quand, stop un instant, ne bouge pas encore, garde ça pour plus tard
  wait: ça attendra, laisse moi du temps, laisse moi le temps
  moment: instant, moment, minute, minutes, une seconde, secondes, deux minutes, cinq minutes, heure
  moment: quelques minutes, une petite seconde
  need: besoin, il me faut, donne, donne moi, laisse
  pause: pause, fais une pause, mets en pause
  check: vérifier, vérifie, regarder, regarde, regarde d abord, voir, lire, contrôler, jeter un œil
  check: jeter un oeil, relire, jette un œil, jette un oeil, m assurer, relis, examiner, contrôle, comparer
  check: vérifie d abord, lire d abord, vérifier la liste, y jeter un œil, lire la liste, revérifier
  check: contrôler d abord, jeter un coup d œil, regarder la liste, étudier
  check beforehand: dois vérifier, dois regarder, vais vérifier, vais regarder, vérifier avant, vérifie d abord
  check beforehand: regarde d abord, vérifier d abord, regarder d abord, contrôler d abord, lire d abord
  think: réfléchir, réfléchis, réfléchisse, penser, faut que je réfléchisse, le temps de réfléchir
  think: besoin de réfléchir, réfléchir encore
  let: laisse moi, laissez moi, dois, je dois, je veux, je vais, je voudrais, il faut que je
  ready: prêt, prête
  ask: demande, redemande, demandez
  tell: dirai, dirais, on verra, verrai
  answer: répondre, répondrai, décider, déciderai, réponds
  time: temps
  more time: plus de temps, davantage de temps, encore du temps, encore un peu de temps, un peu plus de temps
  more time: un délai, temps supplémentaire, du temps en plus, plus longtemps
  extend: prolonge, prolongez, prolonger, délai
  maybe: peut être, peut-être, éventuellement, plutôt, possible, peut être bien, il se peut
  know: sais
  sure: sûr, sûre, certain, certaine
  no: non, nan
  no idea: aucune idée, pas d idée, je n ai pas d idée, pas la moindre idée
  depends: dépend
  you_decide: à toi de voir, comme tu veux, qu en penses tu, qu est ce que tu en penses, comme vous voulez
  undecided: on verra, faut voir, bof, je réfléchis encore, hésite, difficile à dire, pas convaincu, mouais
  just: seulement, uniquement, juste, que ceux
  the: ceux, celles, celui
  what change: quel changement, c est quoi le changement, quels changements
  what will do: que fais tu, qu allez vous faire, ça fait quoi, ça va faire quoi, à quoi je dis oui
  what will do: à quoi dis je oui, que fait continuer
  not can: je ne peux pas, peux pas, je peux pas, ne peux pas, pas possible
  not answer: pas décidé, pas encore décidé, n ai pas décidé
  not know: sais pas, j en sais rien, je n en sais rien, sais pas trop, ne sais pas
  what item: c est quoi, qu est ce que c est, de quoi s agit il, qu y a t il, il y a quoi, qu est ce qu il y a
  what item: quels sont ceux ci, c est quels mails, c est qui
  what left: il reste quoi, reste quoi
  put before: rends comme avant, rends moi comme avant
  wait: en réunion, je suis en réunion, au téléphone, je suis au téléphone, occupé, je suis occupé, un appel, j ai un appel
  wait: en voiture, dans le train, en route, au volant, je conduis, je te rappelle, je vous rappelle, pas le temps
  later: après le déjeuner, après la réunion, quand je serai rentré, quand je rentre, ce soir, plus tard dans la journée
  tomorrow: ce soir, cet après midi
  not now: pas tout de suite, pas maintenant, pas dans l immédiat
  answer: je décide, décide, je répondrai, je réponds
  tell: je te dis, je vous dis, je te dis ça, je vous dis ça, je te dirai, je vous dirai
  think: demander à mon chef, demander à ma cheffe, demander à un collègue, en parler à mon chef
  restore: comme si de rien n était, comme si rien ne s était passé, tout comme avant
  undo: enlève toutes les étiquettes, enlève les étiquettes, retire les étiquettes, retire toutes les étiquettes
  status: ça a donné quoi, qu est ce que ça a donné, comment ça s est passé, le résultat, résultat, ça s est bien passé
  status: à quel lot on est, quel lot, à quel lot sommes nous, on en est à quel lot
  well: passé, passés, bien passé
  all well: tout est passé, tout est bon
  until_when: ça expire quand, quand est ce que ça expire, ça expire, jusqu à quand, quel délai
  try again: une deuxième chance, une seconde chance, une autre chance, encore une chance
  fail: échecs, les échecs
  -: donne, laisse moi, aux, oups
`;
