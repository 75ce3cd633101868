/** The notions of expressions, for meanings.ts. */
export const FRENCH = `
  -: le, la, l, les, quel est, un, une, des, du, de, d, à, au, aux, en, y, et, pour, par, sur, avec, ce, ça, c
  -: cela, ces, cet, cette, il, elle, ils, elles, on, je, j, tu, vous, nous, me, m, moi, te, t, toi, se, s, leur
  -: lui, mon, ma, mes, ton, ta, tes, ont, a, as, ai, avez, est, es, êtes, sont, suis, était, étaient, été, sera
  -: a t, ont t, est ce que, est ce, qu, que, qui, peux tu, peux, pouvez vous, pouvez, pourrais tu, pourriez vous
  -: voudrais, veux, dois, faut, s il te plaît, s il vous plaît, stp, svp, merci, bonjour, salut, ok, là, ici
  -: deux là, exactement, aussi, alors, donc, bien, déjà bien, je veux, je voudrais, encore un peu, ne, n, un peu
  -: puis, va, moi la, sommes nous, en es tu, en sommes nous, fois, est il, sont ils, ont ils, as tu, avez vous
  -: êtes vous, dis, dit, maintenant, seront, serait, fut, étais, avait, avaient, avoir, être, vais, vont, allons
  -: irai, faudrait, il faut, faut il, eux, si possible, très, vraiment, petit, petite, peu, quelqu un, quelques
  -: certains, chaque, entre, chez, vers, depuis, pendant, où, ou, voilà, hein, dites, dis moi, dites moi
  -: en fait, actuellement, actuel, exact, ceux ci, celles ci, ci, vos, nos, votre, notre, ses, son, sa, parmi
  -: dont, même, mêmes, possible, puisse, pourrait, pourrais, pouvoir, voudrait, donner, donne moi, donnez moi
  -: donne, coup, afin, passer, passé, passée, passés, combien ça, a été, ont été, va être, vont être, à l
  -: aussi bien, mais, est ce que ça, du coup
  which: lesquels, lesquelles, quels, quelles, lequel, laquelle, quel, quelle, c est lesquels, ce sont lesquels
  which: ce sont quels, quels sont, quelles sont
  what: qu est ce qui, qu est ce que, quoi, que, qu, ce qui
  who: qui, qui est ce qui, qui a
  why: pourquoi
  how: comment, où
  how_many: combien, combien de, combien d, combien y a t il de, combien en, à combien
  many: beaucoup
  any: y a t il, y a t il eu, il y a eu, il y a, quelque chose
  until_when: jusqu à quand, jusqu à quand puis je, jusqu à quand est ce que je peux, combien de temps ai je
  until_when: combien de temps j ai, combien de temps me reste t il, combien de temps il me reste
  until_when: quelle est la date limite, quand expire, quand est ce que ça expire, il me reste combien de temps
  show: montre, montrez, montrer, affiche, affichez, voir, fais voir, puis je voir, liste moi, énumère
  show: peux tu me montrer, faire voir, je peux voir, je veux voir
  list: liste, la liste, aperçu, liste des mails, liste des éléments
  item: mail, mails, email, emails, message, messages, événement, événements, carte, cartes, ligne, lignes
  item: élément, éléments, courriels, courriel
  batch: lot, lots, groupe, groupes, bloc, blocs, batch, série, séries
  number: deux, trois, quatre, cinq, six, sept, huit, neuf, dix, vingt, onze, douze, quinze, numéro, numéros
  number: plusieurs, quelques
  first: premier, première, premiers, premières
  beforehand: d abord, avant ça, avant
  last: dernier, dernière, derniers, dernières, précédent, précédente
  next: suivant, suivante, suivants, suivantes, prochain, prochains, prochaine, prochaines, ensuite
  all: tout, tous, toutes, toute
  left: reste, restent, restant, restants, restantes, reste t il, restent ils, manque, manquent, à faire
  left: à traiter, en attente, reste encore, à faire encore, restera, qui restent, qui reste, manquants
  left: manquantes, à venir, en reste, il reste quoi, reste quoi, il reste
  still: encore, toujours
  more: plus, autre, autres
  later: après, ensuite, par la suite, plus tard, tout à l heure, bientôt, un peu plus tard
  done: fait, faits, faite, faites, as fait, avez fait, traité, traités, traitées, modifié, modifiés, terminés
  done: marqué, marqués, archivé, archivés, déplacé, supprimé, étiqueté, étiquetés, ce que tu as fait
  done: ce que vous avez fait, que tu as mis, que tu as fait, que tu as ajoutées, que tu as ajoutés, ajouté
  done: déjà fait, réussi, réussis, passé, passée, passés, abouti, déjà faits, effectué, effectués, accompli
  done: accomplis, fini, finis, commencé, bougé, changé, changés, touché, étiquetées, labellisés, ajoutées
  done: qui ont été faits
  do: faire, fais
  far: jusqu ici, jusqu à présent, jusque là, jusqu à maintenant, loin
  already: déjà
  status: l avancement, statut, état, avancement, progression, où en es tu, où en est on, où en sommes nous
  status: où en êtes vous, on en est où, tu en es où, où ça en est, point, quel est le statut
  status: on en est à combien, où on en est, on en est là, à combien, on est où, où en est ce, situation, bilan
  status: quoi de neuf, des nouvelles, comment ça avance
  going: ça avance, comment ça avance, comment ça se passe, ça se passe comment, comment ça va, comment avance
  going: avance
  finished: c est fini, fini, terminé, as tu fini, est ce fini, tu as fini, avez vous fini, est ce que c est fini
  all well: tout s est bien passé, tout a bien marché, tout a marché, est ce que ça a marché, ça a marché
  well: s est bien passé, bien passé, marché, fonctionné, réussi, bien marché, bien allé, a marché, ça a marché
  well: ont marché, correctement, passé, bien passés
  how long: combien de temps, ça prend combien de temps, dans combien de temps
  fail: échoué, échoués, échouées, échoue, ratés, raté, ratées, en erreur, en échec, avec des erreurs
  fail: avec erreur, pas marché, n ont pas marché, n a pas marché, pas fonctionné, n ont pas fonctionné
  fail: n a pas fonctionné, pas réussi, pas passé, pas passés, planté, eu des erreurs, eu une erreur, échouent
  fail: échecs, échec, les échecs, ont planté, a planté, pas abouti, n ont pas abouti, a échoué, ont échoué
  fail: pas été, en panne, foiré, foirés, ne sont pas passés, pas pu, n ont pas pu être, qui bloquent
  fail: posé problème, ont posé problème, rejetés, en défaut
  error: erreur, erreurs, problème, problèmes, souci, soucis
  wrong: mal passé, mal tourné, de travers, ne va pas
  happened: s est passé, est arrivé, s est il passé
  again: encore une fois, à nouveau, de nouveau, une nouvelle fois, une fois de plus, encore un essai, répète
  again: répétez
  try: essaie, essaye, essayez, essayer, tente, tentez
  retry: réessaie, réessaye, réessayez, réessayer, recommence, recommencez, recommencer, relance, relancez
  retry: relancer, refais, refaites, refaire, retente, retentez, retenter, réexécute, retraite, retraitez
  undo: défais, défaites, défaire, reviens en arrière, revenez en arrière, revenir en arrière, retour en arrière
  undo: annule ce que tu as fait, annulez ce que vous avez fait, inverse, reviens sur, annuler après
  undo: annuler ensuite, annuler plus tard, marche arrière, état d avant, l état d avant, état initial
  undo: l état initial, à l état initial, à l état d avant, revienne en arrière, fais marche arrière
  undo: annuler ce que tu as fait, revenir à l état d avant, désétiquette, désarchive
  undoable: réversible, annulable, annuler plus tard, défaire après coup, faire marche arrière, récupérable
  undoable: définitif
  can: peut on, puis je, est ce que je peux, est ce qu on peut, peut il, est il possible de, on peut, je peux
  can: possible de
  annul: annule, annulez, annuler
  back: en arrière, en place, à leur place
  take: prends, reprends, ramène
  put: remets, remettez, remettre, remet, replace, replacez
  put back: remets en place, remets les en place, remets à leur place
  restore: restaure, restaurez, rétablis, rétablissez, restaurer, rétablir, rétablis l état, tout remettre
  restore: remettre tout
  before: comme avant, comme c était, comme ils étaient, comme elles étaient, comme au début, dans l état d avant
  before: tel que c était
  remove: enlève, enlevez, retire, retirez, supprime, ôte, enlever, retirer
  label: étiquette, étiquettes, libellé, libellés, label, labels, étoile, étoiles, marque, marques
  change: changement, changements, modification, modifications, changer, change
  will: vas tu, allez vous, tu vas, va, vas
  will do: vas tu faire, allez vous faire, tu vas faire, tu fais, fais tu, tu comptes faire, vas tu en faire
  happens: se passe, se passe t il, va se passer, va t il se passer, arrive, arrivera, se passera
  happens: il se passe quoi, se passera t il, se passe quoi, se passe ensuite, ça donne
  if_i: si je, quand je
  yes: oui, dis oui, dis continue, confirme
  confirm: confirmé, approuvé, validé, accepté, autorisé, a dit oui, dit oui, donné le feu vert, donné son accord
  confirm: donné l accord, a confirmé, a validé, a approuvé, feu vert
  continue: continue, continuez, continuer, commencer, commence, poursuis
  in: dans, dedans
  not: pas, aucun, aucune
  not yet: pas encore, pas tout à fait
  not now: pas maintenant, pas tout de suite, pas pour le moment, pas pour l instant, pas là, pas immédiatement
  not now: pas là maintenant, pas ce soir, plus aujourd hui, pas dans l immédiat, pour l instant non
  not now: pour le moment non, pour l instant pas, non pas maintenant
  not today: pas aujourd hui
  today: aujourd hui
  tomorrow: demain, la semaine prochaine, une autre fois, un autre jour, demain matin, lundi, ce soir
  tomorrow: cet après midi, après demain, la prochaine fois, dans une heure, dans quelques jours
  wait: attends, attendez, attendre, patiente, patientez, patience, minute papillon, deux secondes, pas si vite
  wait: doucement, une petite minute, un petit moment, je suis occupé, occupé, occupée, je reviens
  wait: je reviens vers toi, je reviens plus tard, je reviendrai, laisse en attente, mets en attente
  wait: garde ça en attente, mettez en attente, on attend, attendons, rien ne presse, ça peut attendre
  wait: une minute papillon, laisse ouvert, on y revient, on y reviendra, en réunion, je suis en réunion
  moment: instant, un instant, moment, un moment, une minute, minute, minutes, une seconde, petit moment
  moment: secondes, petit instant, un petit instant, deux minutes, cinq minutes, heure, une heure
  moment: quelques minutes, une petite seconde
  need: besoin, il me faut, donne, donne moi, laisse
  pause: pause, fais une pause, mets en pause
  check: vérifier, vérifie, regarder, regarde, regarde d abord, voir, lire, contrôler, jeter un œil
  check: jeter un oeil, relire, je regarde, vais regarder, jette un œil, jette un oeil, m assurer, relis
  check: je vérifie, examiner, contrôle, comparer, regarder ça, vérifie d abord, lire d abord
  check beforehand: dois vérifier, dois regarder, vais vérifier, vais regarder, vérifier avant
  think: réfléchir, réfléchis, réfléchisse, y réfléchir, penser, vais réfléchir, je vais réfléchir
  think: faut que je réfléchisse, y penser, réfléchir un peu, le temps de réfléchir, besoin de réfléchir
  think: réfléchir encore
  let: laisse moi, laissez moi, dois, je dois, je veux, je vais, je voudrais, il faut que je
  ready: prêt, prête
  ask: demande, redemande, demandez
  tell: dirai, dirais, on verra, verrai
  answer: répondre, répondrai, décider, déciderai, réponds
  time: temps
  more time: plus de temps, davantage de temps, encore du temps, encore un peu de temps, un peu plus de temps
  more time: un délai, temps supplémentaire, du temps en plus, plus longtemps
  extend: prolonge, prolongez, prolonger, délai, le délai
  maybe: peut être, peut-être, éventuellement, plutôt, possible, peut être bien, il se peut
  know: sais
  sure: sûr, sûre, certain, certaine
  no: non, nan
  no idea: aucune idée, pas d idée, je n ai pas d idée, pas la moindre idée
  depends: ça dépend, cela dépend, dépend
  you_decide: à toi de voir, comme tu veux, qu en penses tu, qu est ce que tu en penses, comme vous voulez
  undecided: on verra, faut voir, bof, je réfléchis encore, j hésite, hésite, difficile à dire, pas convaincu
  undecided: mouais
  just: seulement, uniquement, juste, que ceux
  the: ceux, celles, celui, ceux là, celles là
  what change: quel changement, c est quoi le changement, quels changements
  what will do: que fais tu, qu allez vous faire, ça fait quoi, ça va faire quoi, à quoi je dis oui
  what will do: à quoi dis je oui, que fait continuer
  not can: je ne peux pas, peux pas, je peux pas, ne peux pas, pas possible
  not answer: pas décidé, pas encore décidé, n ai pas décidé
  not know: sais pas, j en sais rien, je n en sais rien, sais pas trop, ne sais pas
  what item: c est quoi, qu est ce que c est, de quoi s agit il, qu y a t il, il y a quoi, qu est ce qu il y a
  what left: il reste quoi, reste quoi
`;
