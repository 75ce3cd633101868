/** The notions of expressions, for meanings.ts. */
export const PORTUGUESE = `
  -: o, a, os, as, um, uma, uns, de, do, da, dos, das, em, na, nos, nas, e, por, para, pra, com, que, este, esta
  -: isto, isso, esse, esses, essa, eles, elas, me, te, se, lhe, meu, seu, eu, você, vocês, tu, há, tem, tenho
  -: foi, foram, é, são, está, estão, era, eram, ser, qual é, vai, vou, vão, pode, podes, poderia, quero, queria
  -: preciso, favor, obrigado, obrigada, olá, oi, ok, lá, aqui, aí, exatamente, também, então, bem, como, pouco
  -: ter, sou, estou, devo, deixa, deu, disse, disser, agora, ao, aos, à, às, pelo, pela, pelos, num, numa, dele
  -: dela, deles, nosso, sua, seus, suas, minha, teu, tua, nós, ele, ela, aquilo, aquele, cada, sobre, desde
  -: entre, realmente, atual, atualmente, exato, alguém, alguns, algumas, onde, ou, diz, diga, dá, dê, dar, dou
  -: gostaria, queremos, quer, queres, poderíamos, podem, podemos, poder, seria, será, serão, sido, estava
  -: estavam, esteve, tinha, tiveram, ficou, ficaram, ficar, indo, ir, deram, houver, tens, temos, cara, olha, né
  -: já que, estás, estamos, mesmo, possível, mas, porém, fomos, sendo, seriam, fossem, faço, fazemos, faremos
  -: farei, vamos fazer, neste, nesta, nisso, nisto, desse, desses, deste, destes, pé, dizer, explica, explique
  -: sabe, sabes, saber, pergunta rápida, uma pergunta, curiosidade, deveria, deveriam, devemos, deve, devem
  -: ontem, quando puder, se puder, rápido, bastante, tanto, viria, vem, vêm, vir, saiu, saíram, tendo, teria
  -: teriam, teríamos, rapidinho
  which: qual, quais
  what: o que, que, o quê
  who: quem
  why: por que, por quê, porque, porquê
  how: como
  how_many: quanto, quantos, quanta, quantas
  much: muito
  many: muitos, muitas
  any: houve, teve, algum, alguma coisa, algo
  until_when: até quando, até quando posso, quanto tempo tenho, quanto tempo me resta, quando expira
  until_when: quando vence, até que horas, qual o prazo, qual é o prazo
  show: mostre, mostra, mostrar, ver, posso ver, liste, vê los, vê las, listar, quero ver, gostaria de ver, lê
  show: leia, me lembra, me lembre, apresenta
  list: lista, conteúdo, detalhe
  item: email, emails, mail, mails, mensagem, mensagens, evento, eventos, cartão, cartões, linha, linhas, item
  item: itens, elementos
  batch: lote, lotes, grupo, grupos, bloco, blocos
  number: dois, duas, três, quatro, cinco, seis, sete, oito, nove, dez, vinte, ambos, onze, doze, quinze, número
  number: números, uns, um par
  first: primeiro, primeira, primeiros, primeiras
  beforehand: antes, primeiro quero, primeiro preciso, primeiro vou, primeiro tenho que
  last: último, última, últimos, últimas, anterior, anteriores
  next: próximo, próximos, próxima, próximas, seguintes, seguinte
  all: tudo, todos, todas, toda
  left: faltam, falta, restam, resta, restantes, pendentes, por fazer, sobram, por processar, sobraram, sobrou
  left: restou, restaram, faltando, por vir, por etiquetar, faltam ainda, ainda faltam, por confirmar
  left: sem processar, ainda por fazer, faltariam, faltará, ficaram por fazer
  still: ainda
  more: mais, outro, outros
  later: depois, mais tarde, daqui a pouco, logo, já já, em breve, mais daqui a pouco, em outro momento
  later: um pouco mais tarde, logo mais, em outra hora, daqui um pouco, num instante, em um minuto, num minuto
  later: em um momento
  done: feito, feitos, fez, fizeste, já fez, processado, processados, alterado, alterados, marcados, arquivados
  done: movidos, completos, o que você fez, concluído, concluídos, prontos, já foi feito, colocou, deram certo
  done: mudado, mudou, movido, marcou, arquivou, concluiu, processou, realizado, realizados, etiquetados
  done: etiquetou, começou, completou, que você colocou, adicionou, que você adicionou, passaram, deu certo
  done: com sucesso, feita, feitas, feito até agora, o que foi feito, acabou de fazer, você acabou de fazer
  done: o que você acabou de fazer, etiquetada, etiquetadas, processada, processadas, alteradas, modificado
  done: modificados, atualizado, atualizados, aplicado, aplicados, executado, executados, concluída, tratados
  done: tratado, completado, completados, terminado, terminados
  do: fazer, faça, faz
  far: até agora, até aqui, até o momento
  already: já
  status: estado, status, progresso, andamento, em que ponto estamos, onde estamos, situação
  status: como está o progresso, como estamos, a quantas anda, a quantas andamos, resumo, novidades, como anda
  status: como vão as coisas, qual a situação, em que pé estamos, em que pé está, como foi, como foram
  status: como correu, como correram, balanço, como tem ido, como tá, como tá indo, como está o andamento
  going: como vai, como está indo, como está, como anda
  finished: já terminou, terminou, acabou, já acabou, terminaste
  all well: deu tudo certo, correu tudo bem, tudo deu certo, tudo bem, tudo correu bem
  well: certo, bem, deu certo, deu tudo certo, funcionou, funcionaram, correu bem, correu tudo bem, deram certo
  well: correto, corretamente
  how long: quanto demora, quanto tempo, quanto tempo demora, quanto tempo leva
  fail: falhou, falharam, falhado, falhados, com erro, com erros, deram erro, deu erro, tiveram erro
  fail: não funcionou, não funcionaram, não deram certo, não deu certo, mal sucedidos, falhos, não passou
  fail: não passaram, com problemas, tiveram problemas, fracassou, fracassaram, não foi, não foram, dando erro
  fail: dá erro, rejeitados, que não funcionaram, deram problema, deram problemas, deu problema, deu problemas
  fail: não puderam, não pôde, não foi possível, não foram feitos, não foram processados, não foram etiquetados
  fail: emperrados, travados, defeituosos, malsucedidos, fracassados, incorretos, que deram erro, erraram
  error: erro, erros, problema, problemas, falhas, falha
  wrong: errado, mal
  happened: aconteceu, houve, ocorreu
  again: de novo, novamente, outra vez, mais uma vez, repete, repita, repetir
  try: tenta, tente, tentar
  retry: refaça, refaz, refazer, reprocesse, reprocessar, reprocessa, volte a tentar, volta a tentar
  retry: voltar a tentar, tente novamente, reexecute, refaçam, tenta mais uma vez
  undo: desfaz, desfaça, desfazer, reverte, reverta, reverter, volta atrás, volte atrás, voltar atrás
  undo: o que era antes, como era antes, ao que era antes, voltar ao que era, estado anterior, ao estado anterior
  undo: marcha ré, retroceder, desarquive, desmarca, desmarque, desfeito, desfaça tudo, reverter tudo, revertido
  undo: volta ao estado anterior, voltar ao estado anterior, retorna, retorne
  undoable: reversível, dá para desfazer, dá pra desfazer, definitivo, dá para voltar atrás, dá pra voltar atrás
  undoable: desfeito
  can: posso, dá para, dá pra, pode se, é possível, podemos, tem como, há como, tem jeito de, consigo
  annul: anula, cancela, anular
  back: de volta, atrás
  take: traz
  put: coloca, coloque, põe, volta, volte, devolve, devolva, deixa, deixe, bota
  restore: restaura, restaure, restaurar, restabelece
  before: como antes, como estava, como estavam, como era
  remove: tira, tire, remove, remova, retira, apaga
  label: etiqueta, etiquetas, marcador, marcadores, estrela, estrelas, rótulo, rótulos
  change: alteração, alterações, mudança, mudanças, mudar, muda
  will: vai, vais
  will do: vai fazer, vais fazer, fará, você faz, pretende fazer, vai ser feito
  happens: acontece, vai acontecer, acontecerá, acontecer, vai acontecer com, acontece depois, aconteceria
  happens: vai ocorrer, vai rolar, rola, vem depois, vem a seguir, segue, virá depois
  if_i: se eu, quando eu, se
  yes: sim, disser que sim, continuar, confirmar
  confirm: confirmou, aprovou, aceitou, autorizou, disse sim, disse que sim, deu o ok, deu permissão, deu o aval
  confirm: confirmado por, liberou
  continue: continue, continua, continuar, comece, continues
  in: dentro, no
  not: não, nenhum
  not yet: ainda não, não ainda
  not now: agora não, não agora, por enquanto não, no momento não, por agora não, neste momento não, por ora não
  not now: agora ainda não, hoje já não, de momento não, não imediatamente, não nesse momento, agora não obrigado
  not now: não comece ainda, não começa ainda, não inicie ainda, não faça ainda, não faça nada ainda
  not now: ainda não obrigado, desta vez não, essa semana não, não por agora, não por enquanto
  not today: hoje não, não hoje
  today: hoje
  tomorrow: amanhã, semana que vem, outro dia, outra hora, amanhã de manhã, segunda feira, hoje à noite
  tomorrow: hoje à tarde, depois de amanhã, na próxima vez, daqui a uma hora, daqui a alguns dias
  wait: espera, espere, esperar, calma, aguarda, aguarde, pera, peraí, não tão rápido, estou ocupada, ocupado
  wait: já volto, volto já, volto depois, volto mais tarde, deixa pendente, deixe pendente, deixa em espera
  wait: sem pressa, não tem pressa, segura, estou em reunião, vamos esperar, melhor esperar, deixa para depois
  wait: deixa pra depois, fica para depois, faço isso depois, faço depois, faço isso mais tarde, farei depois
  wait: farei isso depois, fazemos depois, vamos fazer depois, adia, adiar, adie, adiamos, vamos adiar
  wait: deixa para mais tarde, deixa pra mais tarde, deixar para depois, posterga, postergar
  wait: espera mais um pouco, te digo quando, eu digo quando, eu te digo, eu te aviso, me dá um tempo
  wait: me dá tempo, dá um tempo, sem correria, paciência
  moment: momento, momentinho, minuto, minutos, um segundo, instante, minutinho, um tempinho, uns minutos, hora
  moment: dois minutos, cinco minutos, um instantinho, segundinho
  need: preciso, me dá, dê me, preciso de
  pause: pausa, pausar
  check: verificar, ver, conferir, olhar, checar, ler, dar uma olhada, conferi los, verificá los, confiro
  check: verifico, vejo, leio, comparar, revisar, reviso, analisar, ter certeza, me certificar, checo
  check: dar uma conferida, verificar a lista, ver a lista, ler a lista, examinar, dou uma olhada, vou ver
  check: vou conferir, vou verificar, consultar
  check beforehand: preciso verificar, preciso ver, preciso conferir, ver primeiro, verificar primeiro
  check beforehand: conferir primeiro, ver antes, verificar antes
  think: pensar, vou pensar, pensando, refletir, tenho que pensar, preciso pensar, pensar melhor, vou pensar nisso
  let: deixa eu, deixe me, deixa me, preciso, tenho que, quero, vou, gostaria de
  ready: pronto, pronta
  ask: pergunte, pergunta
  tell: te digo, aviso, te digo depois, depois te digo, te conto, digo depois
  answer: responder, decidir, respondo, decido
  time: tempo
  more time: mais tempo, um pouco mais de tempo, mais um tempo, um tempo a mais, mais prazo, tempo extra
  extend: prolonga, prorroga, estende, prazo
  maybe: talvez, quem sabe, melhor
  know: sei
  sure: certeza, certo
  not sure: sem certeza
  depends: depende
  no idea: não faço ideia
  you_decide: você decide, o que acha, como quiser
  undecided: vamos ver, estou em dúvida, tenho dúvidas, difícil dizer, não tenho certeza ainda, sei lá
  just: só, somente, apenas
  no: não mesmo
  the: os que, as que
  what item: do que se trata, quais são esses, o que tem, o que há, o que contém, o que está, quais seriam
  what item: que emails são, que emails seriam, quais emails estão
  what change: que mudança, o que muda, o que vai mudar, que alteração, quais mudanças
  what will do: o que você vai fazer, o que faz continuar, a que digo sim, o que pretende fazer, o que você faz
  what will do: o que vais fazer
  not can: não posso, agora não posso, não posso agora, não dá agora, agora não dá
  not answer: não decidi, ainda não decidi, não me decidi
  not know: não sei, ainda não sei, não sei ainda, sei lá, não faço ideia
  the fail: os falhados, os que falharam
  -: me dá, dá, dê, me dê, ops, me, pra, aos, pros, o meu, um pouco
  wait: em reunião, estou em reunião, numa reunião, no telefone, ao telefone, estou ao telefone, estou no telefone, ocupado
  wait: ocupada, estou ocupado, dirigindo, estou dirigindo, no trem, na rua, te ligo depois, sem tempo, espera, espera aí
  later: depois, mais tarde, depois do almoço, depois da reunião, quando eu voltar, quando chegar em casa, daqui a pouco
  later: quando eu puder, quando eu tiver tempo, logo mais
  tomorrow: hoje à noite, amanhã, hoje à tarde, amanhã de manhã, segunda
  not now: agora não, agora não dá, agora não posso, por enquanto não, não agora, no momento não
  not yet: ainda não
  answer: decido, respondo, te respondo
  tell: te digo, eu te digo, te aviso, eu aviso, te falo
  think: perguntar ao meu chefe, falar com meu chefe, falar com o chefe, pensar, pensar nisso, vou pensar, deixa eu pensar
  check: verificar, conferir, dar uma olhada, olhar
  moment: minutos, cinco minutos, dois minutos, dez minutos, um minuto, um minutinho, um segundo, um momento
  restore: como se nada tivesse acontecido, como se nunca tivesse acontecido, como estava, como era antes, volta tudo
  undo: tira todas as etiquetas, tira as etiquetas, remove as etiquetas, retira as etiquetas, tira os marcadores
  status: como terminou, como foi, como acabou, o resultado, resultado, em que lote estamos, qual lote é esse, onde estamos
  status: em que ponto estamos, em que pé estamos, quantos já foram, no que deu
  well: deu certo, deram certo
  all well: deu tudo certo, foi tudo bem, tudo certo
  until_when: quando expira, expira, até quando, quanto tempo tenho, quanto tempo eu tenho, quanto tempo me resta
  try again: mais uma chance, outra chance, uma segunda chance, mais uma tentativa
  fail: falhas, que falharam, deram erro, deu erro, não deram certo, não foram
`;
