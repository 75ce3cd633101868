import { FOREIGN_AGAIN, FOREIGN_NEXT, FOREIGN_STOP, FOREIGN_YES } from './foreign';
import { CHINESE } from './vocabularies/chinese';
import { DUTCH } from './vocabularies/dutch';
import { ENGLISH } from './vocabularies/english';
import { FRENCH } from './vocabularies/french';
import { GERMAN } from './vocabularies/german';
import { ITALIAN } from './vocabularies/italian';
import { PORTUGUESE } from './vocabularies/portuguese';
import { SPANISH } from './vocabularies/spanish';
import { ACTION_WORDS, AMOUNT_WORDS, ANSWER_WORDS, CARDINALS, SMALL_WORDS } from './words';

/**
 * The words to which misspelt ones are corrected, by their meanings: a word that is close to two meanings is not
 * corrected. The list has no words that reverse a limit or a negation.
 */
const COMMANDS = `
  go_on: ahead continue continuing proceed proceeding resume confirm confirmed approve approved
  go_on: weitermachen fortfahren continuer continuez continuar prosseguir doorgaan
  end: cancel cancelled canceling stop abort quit terminate nevermind
  end: abbrechen annuler annulez cancelar annuleren stoppen
  yes: yes okay yeah
  no: nope never
  undo: undo revert restore reverse rollback
  again: retry again repeat rerun wiederholen erneut opnieuw
  failed: failed failures errors
  limit: only except without skip exclude leave remove sauf excepto tranne exceto behalve
  time: wait later tomorrow moment minute minutes tonight meeting
  asked: status progress happened remaining overview which what when show
  everything: everything
  batch: batch
  list: list
  operation: operation
  going: going
  items: items emails
  number: number
  label: label labels
  labelled: labelled
  labelling: labelling labeling archiving
  whole: whole entire
  permanently: permanently completely definitely
  change: change changes
  changed: changed
  answer: answer
  first: first
  last: last
  next: next
  second: second
  before: before
  after: after
  please: please thanks
  these: the that this these those
  they: they them
  with: with
  not: not
  and: and
  but: but
  good: good right
`;

/** Mistakes of more than one letter, or in a word that is too short for a guess. */
const MISSPELT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    definately: 'definitely',
    definatly: 'definitely',
    definitly: 'definitely',
    moer: 'more',
    shure: 'sure',
    suer: 'sure',
    kepp: 'keep',
    agead: 'ahead',
    goin: 'going',
    thign: 'thing',
    ahed: 'ahead',
    haed: 'ahead',
    alrigth: 'alright',
    corect: 'correct',
    stpo: 'stop',
    cacnel: 'cancel',
    yse: 'yes',
    yeha: 'yeah',
    pleese: 'please',
    whoel: 'whole',
    opertaion: 'operation',
    operaton: 'operation',
    wrok: 'work',
    anymroe: 'anymore',
    permanantly: 'permanently',
    thansk: 'thanks',
  }),
);

/** Other words and names that are one typing mistake away from a command. */
const OTHER_WORDS = `
  libelling approver approvers oaky annular bach bath behave buy buys cancer carcel chance chances chanced chang changer chango chante chanted charge
  charged charges conform conformed confira confiam confiem confirme confirmer confirmez confirmen confirmei confirmem
  contenue contigue continual continuo continuas continuan continuam continuai continuem continuen continuei continuel
  continui continus continuat ernest exceso excerto exclure exclue excluye esclude fabled filed fist foiled fortführen
  frist god germinate lapels lasst lat lats latter alter lave leve lit lsat melting meting minste minuet minuets minuses
  net nudo numbed ont pease pleas regaining remore remota remote repeal repent reheat resume restare retaining rettore
  revere reveres reverb reverie revers reverso reversa reverte saf shoppen sip sop sow stappen states stats statue statur
  statut stoop stompen stopfen stopper stopped stopten tanks tanne tat tem tese thank thanos thee thinks thy tis trance
  tranen tranny transe udo uno wit wen terminale terminato terminata terminate terminati terminat terminare terminase
  doodgaan doorgaat behalte nad
`;

const wordsIn = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

const MEANING_OF = new Map(
  COMMANDS.trim()
    .split('\n')
    .flatMap((line) => {
      const [meaning = '', words = ''] = line.trim().split(': ');
      return words.split(' ').map((word) => [word, meaning] as const);
    }),
);
const ALL_COMMANDS = [...MEANING_OF.keys()];

/** Words that are not corrected. */
const knownWords = (): ReadonlySet<string> =>
  new Set([
    ...MEANING_OF.keys(),
    ...wordsIn(OTHER_WORDS),
    ...[ANSWER_WORDS, SMALL_WORDS, ACTION_WORDS, AMOUNT_WORDS, CARDINALS].flatMap((words) => [...words]),
    ...[FOREIGN_AGAIN, FOREIGN_NEXT, FOREIGN_STOP, FOREIGN_YES].flatMap(wordsIn),
    ...[ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, CHINESE].flatMap(wordsIn),
  ]);

let vocabulary: ReadonlySet<string> | undefined;

const MIN_LETTERS = 3;
/** For commands that may lack a letter within them, or have one twice. */
const MIN_LETTERS_DROPPED = 4;
/** For commands in which a letter may be wrong, or whose last one may be missing. */
const MIN_LETTERS_CHANGED = 6;
/** A word that is not part of an address, an id or a name with a dash. */
const WORD = /(?<![^\s,.;:!?()])[A-Za-z]+(?![^\s,.;:!?()…])/g;

/**
 * Corrects the misspelt commands of a message: words that are in no vocabulary and in no name of an open item, and one
 * typing mistake away from commands of one meaning.
 * @param names The words of the names of the open items.
 */
export function asSpelt(text: string, names: ReadonlySet<string> = new Set()): string {
  // Built on first use: most processes read no message.
  const words = (vocabulary ??= knownWords());
  return text.replace(WORD, (written) => {
    const word = written.toLowerCase();
    if (word.length < MIN_LETTERS || words.has(word) || names.has(word)) return written;
    return MISSPELT.get(word) ?? meantBy(word) ?? written;
  });
}

/** Corrects words that are in no vocabulary, and one typing mistake away from one word of the names of the open items. */
export function asNamed(plain: string, names: ReadonlySet<string>): string {
  const words = (vocabulary ??= knownWords());
  return plain.replace(/\p{L}{5,}/gu, (word) => {
    if (words.has(word) || names.has(word)) return word;
    const [meant, ...others] = [...names].filter((name) => name.length >= 5 && isSlipOf(word, name));
    return others.length === 0 && meant !== undefined ? meant : word;
  });
}

function meantBy(word: string): string | undefined {
  const near = ALL_COMMANDS.filter(
    (command) => (command[0] === word[0] || command[0] === word[1]) && isSlipOf(word, command),
  );
  return new Set(near.map((command) => MEANING_OF.get(command))).size === 1 ? near[0] : undefined;
}

/** Whether a word is a command with two letters swapped or one doubled, or, in a long one, one missing or wrong. */
function isSlipOf(word: string, command: string): boolean {
  if (Math.abs(word.length - command.length) > 1) return false;
  let same = 0;
  while (same < word.length && word[same] === command[same]) same += 1;
  const [left, right] = [word.slice(same), command.slice(same)];
  if (left.length === right.length) {
    if (left === `${right[1]}${right[0]}${right.slice(2)}`) return true;
    return same > 0 && command.length >= MIN_LETTERS_CHANGED && left.slice(1) === right.slice(1);
  }
  if (command.length < MIN_LETTERS_DROPPED) return false;
  if (left.length > right.length) return left[0] === word[same - 1] && left.slice(1) === right;
  return left === right.slice(1) && (left !== '' || command.length >= MIN_LETTERS_CHANGED);
}
