/**
 * The words of six other languages that limit, count and order items, by their English equivalents. Words that mean
 * something else in another of these languages, or in English, are left out.
 */
const WORDS: Readonly<Record<string, string>> = {
  the: 'der die das den dem le la les el los las il lo gli os het',
  only: 'nur bloß seulement uniquement solo sólo solamente únicamente só somente apenas alleen slechts soltanto',
  except:
    'außer ausser ohne sauf sans excepté hormis menos excepto salvo sin tranne eccetto senza exceto sem behalve zonder',
  not: 'nicht pas não niet',
  number: 'nummer nr numéro numero número',
  first:
    'erste ersten erster erstes premier première premiers premières primer primero primera primeros primeras primo primi primeiro primeira primeiros primeiras eerste',
  second: 'zweite zweiten zweites deuxième seconde segundo segunda secondo tweede',
  third: 'dritte dritten drittes troisième tercero tercera tercer terzo terza terceiro terceira derde',
  fourth: 'vierte vierten viertes quatrième cuarto cuarta quarto quarta vierde',
  fifth: 'fünfte fünften fünftes cinquième quinto quinta vijfde',
  last: 'letzte letzten letzter letztes dernier dernière derniers dernières último última últimos últimas ultimo ultima ultimi ultime laatste',
  one: 'eins uno één',
  two: 'zwei beiden deux dos due dois duas twee',
  three: 'drei trois tres tre três drie',
  four: 'vier quatre cuatro quattro quatro',
  five: 'fünf cinq cinco cinque vijf',
  six: 'sechs seis sei zes',
  seven: 'sieben sept siete sette sete zeven',
  eight: 'acht huit ocho otto oito',
  nine: 'neun neuf nueve nove negen',
  ten: 'zehn dix diez dieci dez tien',
  and: 'und et y e en',
  but: 'aber mais pero ma maar mas',
  all: 'alle alles tous tout toutes todos todo todas tutti tutto tutte',
  half: 'hälfte moitié mitad metà metade helft',
  yes: 'ja oui sí sì sim',
  continue: 'weiter continuez continuer continúa sigue continua doorgaan',
  leave: 'lass laisse lascia deixa laat',
  skip: 'überspring überspringe überspringen auslassen streich streiche saute sautez sauter salta omite omitir ometti pula',
  remove:
    'enlève enlevez retire retirez quita quite saca saque togli togliere elimina tira tire remova haal verwijder',
  others: 'anderen übrigen autres demás altri altre outros outras anderen overige',
  rest: 'rest reste resto',
  do: 'mach fais faites haz haga fai faça faz doe',
  fine: 'passt stimmt',
  out: 'weg aus raus heraus weglassen rauslassen fuori eruit',
  with: 'mit con avec met com',
};
/** Articles and courtesies that are removed. */
const NOTHING =
  /(?:^| )(?:bitte|s'il (?:te|vous) pla[iî]t|svp|stp|por favor|per favore|graag|alsjeblieft|de|del|della|dei|i|o)(?= |$)/g;
/** Words for "out" of several words. */
const OUT = /(?:^| )(?:de côté|de lado|de fora|fuori|eruit|er uit)(?= |$)/g;
const EXCEPT = /(?:^| )(?:bis auf|à part|a parte|a excepción de)(?= |$)/g;
const ENGLISH = new Map(
  Object.entries(WORDS).flatMap(([english, words]) =>
    words.split(' ').map((word) => [word, english] as const),
  ),
);

/** Replaces the words of other languages in a message with English ones. */
export function inEnglish(plain: string): string {
  return plain
    .replace(EXCEPT, ' except')
    .replace(OUT, ' out')
    .replace(NOTHING, '')
    .trim()
    .split(' ')
    .map((word) => word.replace(/^(?:l|d|dell|all)'(?=.)/, ''))
    .map((word) => ENGLISH.get(word) ?? word)
    .join(' ');
}
