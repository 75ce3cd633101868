/** The plainest answers of more languages: an assent or a "please" before a word that acts or ends, and no more. */
export const PLAIN_LANGUAGES: readonly Record<'yes' | 'no' | 'please' | 'go' | 'end', string>[] = [
  {
    yes: 'tak|dobrze|jasne|okej',
    no: 'nie',
    please: 'proszę|dziękuję|dzięki',
    go: 'kontynuuj(?:my)?|proszę kontynuować|śmiało|idź dalej|możesz kontynuować',
    end: 'anuluj(?: wszystko)?|przerwij(?: wszystko)?|zatrzymaj(?: to| wszystko)?|nie kontynuuj',
  },
  {
    yes: 'ja|okej|visst',
    no: 'nej',
    please: 'tack|snälla',
    go: 'fortsätt(?: gärna)?|kör(?: på)?|gå vidare|du kan fortsätta',
    end: 'avbryt(?: allt| det)?|stoppa(?: det| allt)?|sluta|avsluta(?: det)?',
  },
  {
    yes: 'ja|ok|fint',
    no: 'nei|nej',
    please: 'tak|takk',
    go: 'fortsæt(?: bare)?|fortsett(?: gjerne)?|gå videre|kør(?: bare)?|kjør(?: på)?',
    end: 'afbryd(?: det| alt)?|avbryt(?: alt| det)?|annull(?:er|ér)|stop (?:det|alt)|stopp (?:det|alt)',
  },
  {
    yes: 'kyllä|joo',
    no: 'ei',
    please: 'kiitos',
    go: 'jatka(?:kaa)?|voit jatkaa',
    end: 'peruuta(?: kaikki)?|keskeytä|lopeta(?: kaikki)?',
  },
  {
    yes: 'ano|dobře',
    no: 'ne',
    please: 'prosím|díky|děkuji',
    go: 'pokračuj(?:te)?|můžeš pokračovat',
    end: 'zruš(?:it|te)?(?: to| vše)?|přestaň|zastav(?:te)?(?: to)?|ukonči(?: to)?',
  },
  {
    yes: 'да|хорошо|ок|давай',
    no: 'нет',
    please: 'пожалуйста|спасибо',
    go: 'продолжай(?:те)?|можно продолжать|поехали',
    end: 'стоп|отмена|отмени(?:те)?(?: вс[её])?|прекрати(?:те)?|останови(?:сь|тесь|те)?(?: это| вс[её])?',
  },
  {
    yes: 'evet|tamam',
    no: 'hayır',
    please: 'lütfen|teşekkürler',
    go: 'devam(?: et(?:in)?| edin| edebilirsin)?',
    end: 'iptal(?: et(?:in)?| edin)?|durdur(?:un)?',
  },
];
