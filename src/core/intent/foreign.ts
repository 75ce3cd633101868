import { LANGUAGES, type Language } from './languages';
import { PLAIN_LANGUAGES } from './plain-languages';
import { any, pause } from './words';

function confirmations({ assents, acts, yes, approvals, run, batch, courtesy }: Language): string {
  const kindly = `(?:${pause} ${any(...courtesy)})?`;
  return any(
    `(?:${any(...assents, approvals)}${pause} ){0,2}(?:${any(...courtesy)}${pause} )?(?:${any(...acts)} , )?${any(...acts, `${any(run)} ${any(batch)}`)}${kindly}(?: , ${any(...assents)})?`,
    `${any(...yes)}${kindly}|(?:${any(...yes)}${pause} )?${any(approvals)}${kindly}`,
  );
}

function nextOnes({ assents, acts, courtesy, next, joint, run: verbs }: Language): string {
  const kindly = any(...courtesy);
  const before = `(?:${any(...assents)}${pause} ){0,2}(?:${kindly}${pause} )?`;
  const run = any(joint, verbs);
  const act = any(`${any(...acts)} ${run}`, verbs, ...acts);
  const after = `(?: ${any(...acts)})?(?:${pause} ${kindly})?`;
  return any(
    `${before}(?:${act}${pause} )?${any(next)}${after}`,
    // "This batch" by itself may be the subject of something else.
    `${before}${any(act, ...assents)}${pause} this batch${after}`,
    `${before}(?:${run} )?this batch (?:bitte )?${any(...acts)}(?:${pause} ${kindly})?`,
  );
}

/** The open batch by its size: "the next ten", "these ten", "all ten". */
export const foreignBySize = (size: number): string =>
  any(
    ...LANGUAGES.map((language) => {
      const count = size === 10 ? any(String(size), language.ten) : String(size);
      const items = `(?: ${any(language.items)})?`;
      return nextOnes({ ...language, next: any(language.few).replaceAll('#', `${count}${items}`) });
    }),
  );

function againOnes({ assents, yes, courtesy, again }: Language): string {
  const kindly = any(...courtesy);
  return `(?:${any(...assents, ...yes)}${pause} ){0,1}(?:${kindly}${pause} )?${any(again)}(?:${pause} ${kindly})?`;
}

/** Without the pause "no" may negate ("no cancelar"), except before an imperative of another language. */
function refusals(language: Language): string {
  const { no, stops, wishes, refusals: others, objects, courtesy, leave, work } = language;
  const after = `(?:${any(...no)} , )?(?:${any(...courtesy)}${pause} )?`;
  const kindly = `(?:${pause} ${any(...courtesy)})?`;
  return any(
    `${after}(?:${wishes} (?:${any(...courtesy)} )?)?${any(...stops)}(?: ${any(...objects)}){0,2}${kindly}`,
    `${after}${any(...others)}${kindly}`,
    `${after}${any(leave)} ?${any(work)}${kindly}`,
  );
}

/** A plain no of each language, also doubled, with thanks. */
const plainNo = any(
  `nein(?:${pause} nein)?|nein${pause} danke|non|non${pause} merci|no${pause} (?:gracias|grazie)|(?:não|nao)(?:${pause} obrigad[oa])?`,
  `nee|nee${pause} (?:bedankt|dank (?:je|u))`,
);
const imperatives = any(
  'nein (?:stopp?|abbrechen|aufhören|(?:lieber |bitte |besser )?(?:doch )?nicht)|non (?:arrête|arrêtez|annule|annulez)|nee stop|stop (?:bitte|jetzt|sofort)',
);

const plainly = (word: string, please: string): string =>
  `(?:${any(please)}${pause} )?${any(word)}(?:${pause} ${any(please)})?`;

export const FOREIGN_YES = any(
  ...LANGUAGES.map(confirmations),
  ...PLAIN_LANGUAGES.map(({ yes, go, please }) => `(?:${any(yes)}${pause} )?${plainly(go, please)}`),
);
/** The next batch. Without its noun, it is requested only with a courtesy. */
export const FOREIGN_NEXT = any(
  ...LANGUAGES.map(nextOnes),
  `nächste[rn]?${pause} bitte|suivant(?:${pause} s'il (?:vous|te) pla[iî]t)?`,
  `siguiente(?:${pause} por favor)?|volgende(?:${pause} graag)?`,
);
export const FOREIGN_AGAIN = any(...LANGUAGES.map(againOnes));
export const FOREIGN_NO = plainNo;
export const FOREIGN_STOP = any(
  ...LANGUAGES.map(refusals),
  // Without the pause, "no" negates.
  ...PLAIN_LANGUAGES.map(({ no, end, please }) => `(?:${any(no)} , )?${plainly(end, please)}`),
  imperatives,
);
/** The words that name the end by themselves. */
export const FOREIGN_ENDS = any(
  ...[...LANGUAGES.flatMap(({ stops }) => stops), ...PLAIN_LANGUAGES.map(({ end }) => end)],
  'lass|vergiss|reicht|genug|assez|suffit|tomber|basta|chega|olvídalo|déjalo|lascia|deixa|esquece|laat|schluss',
);
/** The words that name the action by themselves. */
export const FOREIGN_ACTS = any(
  ...[...LANGUAGES.flatMap(({ acts }) => acts), ...PLAIN_LANGUAGES.map(({ go }) => go)],
);
