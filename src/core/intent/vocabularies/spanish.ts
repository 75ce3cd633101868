/** The notions of expressions, for meanings.ts. */
export const SPANISH = `
  -: el, la, lo, los, las, un, una, unos, unas, de, del, a, al, en, y, e, por, para, con, que, este, esta, esto
  -: estos, estas, ese, esa, eso, esos, esas, ellos, me, te, se, le, les, nos, mi, tu, su, sus, yo, usted, ha
  -: han, he, has, hay, había, es, son, está, están, fue, fueron, era, ser, va, vas, voy, van, puedes, puede
  -: podrías, quiero, quisiera, tengo, tienes, favor, gracias, hola, ok, vale, ahí, aquí, exactamente, también
  -: entonces, pues, bueno, bien, como, cómo, poco, así, deja, hacia, vez, sea, cuál es, salió, estoy, tengo que
  -: debo, hay que, ti, alguno, veces, digo, dijo, ahora, podría, pudiera, estaba, estaban, estuvo, sido, siendo
  -: serán, será, sería, tenía, tuvo, tuvieron, tiene, tienen, nuestro, nosotros, ella, ellas, él, ello, aquellos
  -: aquel, cada, sobre, desde, entre, sin embargo, muy, realmente, actual, actualmente, exacto, cosa, hombre
  -: oye, mira, dime, diga, dígame, dame, deme, da, den, dan, alguien, algunos, algunas, vemos, vea, quisieras
  -: querría, quería, gustaría, fuera, haya, hayan, hayas, o, u, donde, dónde, sola, mismo, misma, porfa, porfis
  -: pueden, podemos, poder, siento, estás, estamos, vamos, pero, volver, vuelves, haré, haremos, hará, hago
  -: hacemos, hagamos, serían, sean, estuvieran, hubiera, estaría, tanto, bastante, una pregunta, pregunta rápida
  -: curiosidad, sabes, saber, decir, decirme, explícame, explica, cuéntame, cuenta, parece, parecen, debería
  -: deberían, deben, debe, tendría, tenemos, ayer, en total, cuando puedas, si puedes, rápido, vayan, venir
  -: viene, vienen, mando, quedó, quedaron, anda
  which: cuál, cuáles, qué correos, quiénes, quiénes son
  what: qué, que es lo que, lo que
  who: quién, quiénes
  why: por qué, porque, por que
  how: cómo
  how_many: cuánto, cuántos, cuánta, cuántas, qué tanto
  much: mucho
  many: muchos, muchas
  any: hubo, hay, algún, alguno, ha habido, algo
  until_when: hasta cuándo, hasta cuándo puedo, cuánto tiempo tengo, cuánto tiempo me queda, cuándo caduca
  until_when: cuándo expira, cuándo vence, hasta qué hora
  show: muéstrame, muestra, muestre, enséñame, enseña, mostrar, ver, puedo ver, déjame ver la, quiero ver
  show: dime cuáles, verlos, verlas, verlo, lístalos, enumera, quisiera ver, me enseñas, me muestras
  show: puedes mostrarme, enséñamelos, muéstramelos, muéstralos, listar, lee, léeme, recuérdame, repíteme
  list: lista, la lista, listado, la lista de correos, contenido, detalle
  item: correo, correos, mail, mails, email, emails, mensaje, mensajes, evento, eventos, tarjeta, tarjetas, fila
  item: filas, elemento, elementos
  batch: lote, lotes, grupo, grupos, bloque, bloques, tanda, tandas
  number: dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, veinte, ambos, once, doce, quince, número
  number: números, par, varios
  first: primero, primer, primera, primeros, primeras
  beforehand: antes, primero que nada, primero quiero, primero tengo que, primero necesito, primero debo
  beforehand: primero voy a
  last: último, última, últimos, últimas, anterior, anteriores
  next: siguiente, siguientes, próximo, próximos, próxima, próximas
  all: todo, todos, toda, todas
  left: quedan, queda, faltan, falta, restan, resta, pendiente, pendientes, restantes, por hacer, por procesar
  left: por etiquetar, por delante, por terminar, sobran, por confirmar, sin hacer, sin procesar, faltarían
  left: faltará
  still: todavía, aún
  more: más, otro, otros
  later: después, luego, más tarde, más adelante, al rato, enseguida, pronto, en un rato, en otro rato
  later: luego luego, un poco más tarde, ahorita, más rato, en otro momento, en un momento, en un minuto
  later: dentro de un rato
  done: hecho, hechos, hechas, hiciste, llevas, procesado, procesados, cambiado, cambiados, marcado, marcados
  done: archivados, movidos, completado, completados, lo que hiciste, lo que has hecho, listos, etiquetados
  done: que pusiste, se ha hecho, se hizo, salieron, salió, bien salieron, salieron bien, procesaste, etiquetaste
  done: archivaste, moviste, terminado, terminados, realizado, realizados, completó, empezado, cambió, cambiaste
  done: movido, tocado, quitaste, pusiste, añadiste, que añadiste, funcionaron, funcionó, correctos, llevas hecho
  done: hecho ya, exitosos, etiquetado, etiquetadas, etiquetar, archivado, procesadas, completadas, terminadas
  done: cambiadas, modificado, modificados, actualizado, actualizados, hechos ya, hecho hasta, realizadas
  done: aplicado, aplicados, ejecutado, ejecutados, borrado, borrados, se hicieron, hicieron, hizo
  done: acabas de hacer, lo que acabas de hacer, tratados
  do: hacer, haz, procesar
  far: hasta ahora, hasta el momento, hasta aquí
  already: ya
  status: estado, progreso, avance, en qué punto estamos, dónde estamos, por dónde vas, situación, en qué vamos
  status: por dónde vamos, cómo va la cosa, dónde vamos, cómo marcha, qué tal, qué tal va, resumen, qué tal vamos
  status: novedades, alguna novedad, cómo va el progreso, cómo está yendo, cómo ha ido, cómo fue, qué tal fue
  status: cómo estuvo, cómo te fue, qué tal te fue, balance
  going: cómo va, cómo vas, qué tal va, cómo vamos, cómo va todo, cómo va eso
  finished: ya terminaste, terminaste, has terminado, ya está, está terminado, ha terminado, acabaste, ya acabaste
  all well: salió todo bien, fue todo bien, fue todo correcto, todo salió bien, todo bien, todo ha ido bien
  well: bien, salió bien, funcionó, funcionaron, fue bien, bien todo, ha ido bien, fue todo bien, ha funcionado
  well: salieron bien, fueron bien, correctamente, correcto
  how long: cuánto tarda, cuánto tiempo, cuánto tardará, cuánto tiempo tarda
  fail: falló, fallaron, fallado, fallidos, fallido, fallidas, fallaba, fallan, fallo, con error, con errores
  fail: dieron error, dio error, tuvieron errores, tuvo error, no funcionó, no funcionaron, no salieron
  fail: no se pudieron, no han funcionado, erróneos, no salió, no salieron bien, no se pudo, no se ha podido
  fail: no se han podido, fracasaron, fracasó, dan error, da error, con problemas, tuvieron problemas
  fail: no fueron bien, rechazados, que no funcionaron, fallando, dio problemas, dieron problemas, no funcionan
  fail: no pudieron, no pudo, no fue posible, no quedaron, no se hicieron, no se hizo, no se procesaron
  fail: no se etiquetaron, con fallos, atascados, defectuosos, fracasados, malogrados, que fallaran, fallara
  fail: incorrectos
  error: error, errores, problema, problemas, fallos
  wrong: salió mal, ha salido mal, mal
  happened: pasó, ha pasado, ocurrió, sucedió
  again: otra vez, de nuevo, nuevamente, una vez más, repite, repita, repetir
  try: intenta, intente, intentar, inténtalo, intentarlo, prueba, pruebe, probar, inténtelo
  retry: reintenta, reintente, reintentar, reinténtalo, vuelve a intentar, vuelve a intentarlo, vuelva a intentar
  retry: vuelve a procesar, vuelve a hacer, vuelve a probar, rehaz, reprocesa, volver a intentar
  retry: volver a intentarlo, volver a procesar, vuelve a hacerlos, vuelve a intentarlos, haz de nuevo
  retry: hazlos de nuevo, haz otra vez, hazlos otra vez, reinténtalos, rehacer, volver a probar
  retry: vuelve a ejecutar, vuélvelo a intentar, vuélvelos a intentar, reprocesar
  undo: deshaz, deshacer, deshacerlo, deshazlo, deshaga, revierte, revertir, revertirlo, vuelve atrás
  undo: volver atrás, vuelva atrás, da marcha atrás, marcha atrás, como al principio, devuelve todo, desetiqueta
  undo: desarchiva, da la vuelta, retrocede, retroceder, revertirlos, deshacerlos, deshágalo, reviértelo
  undo: desházlo, al estado anterior, estado anterior, deshaz lo anterior, deshacer lo anterior, deshagamos
  undo: deshecho, revertidos, revierta, echa atrás, echar atrás, volver al estado anterior, regrésalos, regresar
  undoable: reversible, se puede deshacer, se puede revertir, deshacerse, se puede revertir luego, revertible
  undoable: definitivo, se puede volver atrás
  can: puedo, se puede, podemos, se podrá, es posible, podré, se podría, podría, habrá forma de, hay forma de
  can: hay manera de
  annul: anula, cancela, anular, cancelar
  back: atrás, de vuelta
  take: retira
  put: pon, ponlos, ponlo, poner, devuélvelos, devuélvelo, devuelve, regresa, déjalos, déjalo, deja, regresar
  put: regrésalos, vuelve
  put back: devuélvelos a su sitio, devuélvelos
  restore: restaura, restaurar, restablece, restaure, restáuralos
  before: como antes, como estaban, como estaba, como era, a como estaban
  remove: quita, quite, elimina, borra, quitar, quítales, saca, quitarles, quítaselo, sácales
  label: etiqueta, etiquetas, marca, marcas, estrella, estrellas
  change: cambio, cambios, cambiar, cambia, modificaciones
  will: vas a, va a, piensas
  will do: vas a hacer, va a hacer, vas hacer, harás, hará, haces, piensas hacer, vas a hacer con
  happens: pasa, pasará, va a pasar, ocurre, sucede, ocurrirá, pasaría, ocurriría, pasa luego, sucederá, seguirá
  happens: viene después, viene ahora
  if_i: si, cuando
  yes: sí, digo sí, digo que sí, continúo, confirmo
  confirm: confirmó, aprobó, aceptó, autorizó, confirmado, aprobado, dijo que sí, dio el visto bueno, dio permiso
  confirm: dio el ok, validó
  continue: sigas, continúes, continúe, sigue, continuar, seguir, empieces, hagas, siga
  in: en, dentro
  not: no, ningún
  not yet: todavía no, aún no, todavía, aún, no todavía, no aún
  not now: ahora no, no ahora, de momento no, por ahora no, por el momento no, ahora mismo no, en este momento no
  not now: de momento mejor no, hoy ya no, por lo pronto no, ahorita no, ya no hoy, no en este momento
  not now: no inmediatamente, ahora no gracias, no por ahora, esta vez no, no empieces todavía, no empieces aún
  not now: no comiences todavía, no lo hagas todavía, no lo hagas aún, no hagas nada todavía, no hagas nada aún
  not now: todavía no gracias, esta semana no
  not today: hoy no, no hoy
  today: hoy
  tomorrow: mañana, la próxima semana, otro día, otro momento, en otro momento, mañana por la mañana, lunes
  tomorrow: esta tarde, esta noche, pasado mañana, la próxima vez, en una hora, en unos días
  wait: espera, espere, esperar, espérate, aguarda, aguarde, aguanta, espérame, no tan rápido, estoy ocupada
  wait: ocupado, ya vuelvo, vuelvo luego, luego vuelvo, ahora vuelvo, déjalo pendiente, déjalo en espera
  wait: dejémoslo para luego, no hay prisa, sin prisa, tranquilo, calma, estoy en una reunión, esperemos
  wait: mejor espera, deja que espere, dejarlo para después, lo haré más tarde, lo hago luego, lo hago después
  wait: lo hago más tarde, lo haré luego, lo haré después, lo hacemos luego, lo hacemos más tarde
  wait: dejémoslo para después, lo dejamos para luego, posponer, posponlo, pospón, pospongamos, aplaza, aplázalo
  wait: aplacemos, aplazar, sin apuro, no hay apuro, tómate tu tiempo, te digo cuándo, yo te digo, yo te aviso
  wait: déjame un momento, dame tiempo, dame un tiempo, ya te diré, ya lo haré, ya veré
  moment: momento, momentito, minuto, minutos, un segundo, un rato, instante, segundos, ratito, hora
  moment: un par de minutos, cinco minutos, dos minutos, segundito
  need: necesito, dame, tengo
  pause: pausa, pausar, haz una pausa
  check: revisar, revisarlo, ver, mirar, comprobar, verificar, revisarlos, leer, mirarlo, comprobarlo
  check: verificarlo, revisarla, mirarla, echar un vistazo, echarle un vistazo, reviso, miro, compruebo, verifico
  check: leo, leerlo, leerla, leerlos, asegurarme, comparar, revise, verlo antes, revisarlo bien, revisa
  check: revisando, mirando, chequear, chequearlo, echo un vistazo, consultar, consultarlo, repasar, repasarlo
  check: examinar, ver la lista, leer la lista
  check beforehand: tengo que revisar, tengo que mirar, primero quiero ver
  think: pensar, pensarlo, lo pienso, me lo pienso, pensármelo, pensando, tengo que pensarlo, pensar en ello
  think: darle una vuelta, consultarlo con la almohada, pensarlo bien, que lo piense, reflexionar
  let: déjame, déjeme, tengo que, quiero, quisiera, necesito, voy a, debo
  ready: listo, lista, preparado
  ask: pregúntame, pregunta, pregúnteme
  tell: te digo, aviso, te digo algo, te cuento, ya te digo, ya te aviso, luego te digo, te diré
  answer: responder, contestar, decidir, respondo, decido
  time: tiempo
  more time: más tiempo, un poco más de tiempo, más rato, algo más de tiempo, más plazo, tiempo extra
  extend: amplía, prolonga, ampliar, plazo, extiende
  maybe: quizás, quizá, tal vez, mejor, puede ser, posiblemente
  know: sé
  sure: seguro, segura
  depends: depende
  no idea: ni idea
  you_decide: tú decides, como quieras, qué opinas, qué crees
  undecided: a ver, ya veremos, no lo tengo claro, no lo veo claro, dudo, tengo dudas, difícil decir, ni idea
  just: solo, sólo, solamente
  the: los que, las que, los dos que
  what change: qué cambio, qué cambios, qué cambia, qué cambiará
  what will do: qué les vas a hacer, qué haces, qué harías, qué hará, a qué digo que sí, a qué le digo que sí
  what will do: qué hace continuar
  not can: no puedo, ahora no puedo, ahora mismo no puedo, no puedo ahora
  not answer: no decidido, no me he decidido, no he decidido, no lo he decidido, todavía no he decidido
  not know: no sé, no lo sé, aún no lo sé, todavía no lo sé, no sabría, ni sé
  what item: de qué se trata, qué son, qué hay, qué incluye, qué contiene, qué trae, cuáles serían
  what item: qué correos serían, qué correos son, de qué correos, qué viene
  how_many more: cuántos más
  the fail: los fallidos, las fallidas
  wait: en una reunión, estoy en una reunión, estoy al teléfono, al teléfono, ocupado, ocupada, estoy ocupado, conduciendo
  wait: estoy conduciendo, en el tren, en camino, te llamo luego, no tengo tiempo, en el coche
  later: después de comer, después de la reunión, cuando llegue a casa, cuando vuelva, cuando pueda, cuando tenga tiempo
  tomorrow: esta noche, esta tarde
  answer: decido, lo decido, te contesto, te respondo
  tell: te digo, luego te digo, te aviso, te lo digo
  not now: ahora no, ahora mismo no, ahora no puedo
  think: preguntar a mi jefe, preguntarle a mi jefe, consultarlo, consultar con mi jefe
  restore: como si nada, como si no hubiera pasado nada, como si nunca hubiera pasado, a dejarlo como estaba, vuelve a dejarlo
  undo: quita todas las etiquetas, quita las etiquetas, fuera las etiquetas, borra las etiquetas, quítales la etiqueta
  status: cómo terminó, cómo acabó, cómo fue, cómo salió, el resultado, resultado, en qué lote estamos, por dónde vamos
  status: cuántos van, cuántos llevamos, qué lote es este, en qué lote vamos
  well: salió bien, salieron bien, fue bien
  all well: salió todo bien, todo bien
  until_when: cuándo caduca, cuándo expira, caduca, expira, hasta cuándo
  try again: otra oportunidad, una segunda oportunidad, dales otra oportunidad, dale otra oportunidad
  fail: no salieron, no salió, fallidos, fallos
  -: dame, ups
`;
