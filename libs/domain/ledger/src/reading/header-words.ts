import { isCurrency } from '@switchyard/money';

/** Words of headers and labels by what they say, in the languages of invoices, in lower case and without accents. */
const words = {
  net: 'net netto neto netta excl exkl ekskl exclusive excluding excludes excluded ht hors ex before without ohne sin senza zonder bez sem utan uden imponibile imposable liquido haric pretax taxable',
  gross:
    'gross brutto bruto lordo incl inkl inclusive including included ttc with con mit com avec inclus comprise dahil aftertax',
  tax: 'vat tax taxes gst cgst sgst igst utgst hst pst qst mwst ust umsatzsteuer mehrwertsteuer tva taxe iva btw moms mva kdv ptu podatek dph afa alv tps tvq tvh igv itbis igic ppn sst ddv pdv pvn vsk impuesto impuestos imposta imposte imposto impostos steuer steuern steuerbetrag mwstbetrag',
  money:
    'amount amounts amt media total totals revenue revenues cost costs spend spent spending payout payouts charge charges sum value betrag summe gesamt gesamtbetrag endbetrag kosten montant montants cout prix preis price importe coste valor importo totale costo bedrag totaal subtotal subtotaal belopp totalt summa kwota wartosc razem suma tutar toplam tutari tutarı castka celkem osszeg belop',
  count:
    'impression impressions imps impr ads click clicks view views viewable conversions quantity qty units impressionen klicks vertoningen impresiones clics',
  unit: 'unit unitario unitaria unitaire einzel einzelpreis stuckpreis each per cpm cpc cpv cpa ecpm ecpc stuk stuksprijs jednostkowa cena unitprice prijs rate avg average',
  planned:
    'planned contract contracted budget budgeted plan forecast estimated ordered booked goal target geplant prevu presupuesto',
  paper:
    'invoice rechnung rechnungs facture factura fattura factuur faktura fakturen document bill fatura nota beleg',
  number: 'number no nr num numero nummer n id numer cislo numara #',
  day: 'date datum fecha data dato tarih tarihi day',
  due: 'due payable vencimiento vencimento scadenza fallig faellig echeance vervaldatum forfallodatum',
  code: 'id ids code codes name key idnr nummer number no nr registration status reason type class category exempt reverse text description',
  share:
    'rate percent percentage prozent satz steuersatz taux tipo porcentaje aliquota aliquota stawka tarief sats orani pourcentage pct',
} as const;

export type HeaderWord = keyof typeof words;

const byWord: ReadonlyMap<string, ReadonlySet<HeaderWord>> = (() => {
  const found = new Map<string, Set<HeaderWord>>();
  for (const [kind, list] of Object.entries(words) as [HeaderWord, string][])
    for (const word of list.split(' ')) found.set(word, (found.get(word) ?? new Set()).add(kind));
  return found;
})();

/** Words in lower case without accents; `VAT19` is `vat 19`. Currencies and shares such as `19 %` are left out. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/\d+(?:[.,]\d+)?\s*%/g, ' ')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ı', 'i')
    .replaceAll('ł', 'l')
    .replaceAll(/[’'`.]/g, '')
    .split(/[^\p{L}\p{N}#]+/u)
    .filter((word) => word !== '' && !/^\d+$/.test(word) && !isCurrency(word.toUpperCase()));

/** Whether a text may say a total; false for almost all others. */
export const isLikeTotal = (text: string): boolean => mayBeTotal.test(text);

export const kindsOf = (word: string): ReadonlySet<HeaderWord> => byWord.get(word) ?? none;
const none: ReadonlySet<HeaderWord> = new Set();

/** What the words of a header say together: `Amount excl. VAT` is net, `VAT %` is a share and no amount. */
export function fieldOfWords(
  name: string,
):
  | 'net'
  | 'gross'
  | 'tax'
  | 'tax_rate'
  | 'price'
  | 'number'
  | 'issued'
  | 'due'
  | 'amount'
  | 'none'
  | undefined {
  const list = wordsOf(name);
  const all = list.map(kindsOf);
  const has = (kind: HeaderWord): boolean => all.some((kinds) => kinds.has(kind));
  if (list.length === 0 || list.length > 8) return undefined;
  const isShare = has('share') || /%|percent/i.test(name.replaceAll(/\d+(?:[.,]\d+)?\s*%/g, ''));
  if (has('tax') && isShare && !has('code')) return 'tax_rate';
  if (has('tax') && (isShare || has('code'))) return 'none';
  if (has('planned')) return 'none';
  if (has('money') && perUnit.test(name)) return 'price';
  if (has('unit') && (has('money') || has('net') || has('gross') || all.length === 1)) return 'price';
  if (has('due') && has('day')) return 'due';
  if (has('paper') && has('day') && !has('money')) return 'issued';
  if (has('paper') && has('number') && !has('money') && !has('tax') && list.length <= 4) return 'number';
  if (has('tax') && has('net')) return 'net';
  if (has('tax') && has('gross')) return 'gross';
  if (has('tax')) return all.every((kinds) => kinds.size > 0) ? 'tax' : undefined;
  for (const kind of ['net', 'gross'] as const)
    if (all.length > 1 && all.every((kinds) => kinds.has(kind))) return kind;
  if (!has('money') || isShare) return undefined;
  if (has('net') === has('gross')) return has('paper') && list.length <= 3 ? 'amount' : undefined;
  return has('net') ? 'net' : 'gross';
}

/** What one unit costs: `Kosten pro Ergebnis`, `Coût par clic`. */
const perUnit =
  /(?<!\p{L})(?:per|pro|par|por|je|al|pour)\s+(?:klick|clic|click|ergebnis|result|r[ée]sult|risult|tausend|thousand|mille|mil(?!\p{L})|impression|impresi|conver|konver|aufruf|view|vue|install|lead|st[üu]ck|unit|einheit|unidad|sekunde|second|spot|1[., ]?000)/iu;

/** Words that stand beside a total without making it another thing. */
const besideTotals = new Set(
  'account accounts campaign campaigns result results row rows line lines item items report page all of for from the and und aller alle positionen to pay payable due carried forward balance owed customer client order orders media this generale general final document faktura zu zahlen a payer pagar da pagare te betalen do zaplaty att betala zahlbetrag rechnungsbetrag endbetrag overall amt zzgl'.split(
    ' ',
  ),
);

const totalWords = new Set(
  'total totals grandtotal subtotal subtotals sum summe zwischensumme gesamt gesamtsumme gesamtbetrag endsumme endbetrag rechnungsbetrag zahlbetrag nettobetrag bruttobetrag nettosumme bruttosumme totaux soustotal suma totale totaal subtotaal eindtotaal totalt summa razem toplam celkem gesamtnetto gesamtbrutto subtotale subtotalt delsumma ialt ukupno spolu osszesen yhteensa'.split(
    ' ',
  ),
);

const easternTotals =
  /^(?:合計|総合計|小計|総計|合计|总计|小计|합계|총계|итого|всего|σύνολο|الإجمالي|المجموع|i alt(?!\p{L}))/iu;

/** What is to be paid, and what one page hands to the next. */
const paidOrCarried =
  /(?<!\p{L})(?:[àa] payer|a pagar|por pagar|da pagare|te betalen|do zap[łl]aty|att betala|at betale|zu zahlen|(?:carried|brought) forward|[üu]bertrag|[àa] reporter|a riportare|suma y sigue)(?!\p{L})/iu;

/** Letters that every label of a total has: most cells are decided by them. */
const mayBeTotal =
  /payer|pagar|betal|zap[łl]|forward|[üu]bertrag|report|riport|sigue|tot|sum|gesamt|razem|toplam|celkem|betrag|i ?alt|ukupno|spolu|[öo]ssz|yhte|[合총]|итого|всего|σύνολο|الإ|المج|\bdue\b|payable|balance|zahl|f[äa]e?llig|venc|scadenza|ch[ée]ance|verval|forfal|[合小总総]/i;

/** What a label says of the sum beside it; undefined if it is no label of a total. */
export function totalOfWords(text: string): 'any' | 'net' | 'gross' | 'tax' | undefined {
  if (text === '' || text.length > 60 || !mayBeTotal.test(text)) return undefined;
  if (easternTotals.test(text) || paidOrCarried.test(text)) return 'any';
  const list = wordsOf(text.replaceAll(/[^\p{L}\p{N}\s#%.,]/gu, ' '));
  if (list.length === 0) return undefined;
  const kinds = list.map(kindsOf);
  const has = (kind: HeaderWord): boolean => kinds.some((one) => one.has(kind));
  const isDue = has('due') && (has('money') || has('net') || list.includes('balance'));
  if (!list.some((word) => totalWords.has(word)) && !isDue) return undefined;
  const known = list.every(
    (word, at) => besideTotals.has(word) || totalWords.has(word) || (kinds[at]?.size ?? 0) > 0,
  );
  if (!known) return undefined;
  if (has('tax')) return has('net') ? 'net' : has('gross') ? 'gross' : 'tax';
  if (list.some((word) => word.startsWith('netto')) || has('net')) return 'net';
  return list.some((word) => word.startsWith('brutto')) || has('gross') ? 'gross' : 'any';
}

/** Whether a text begins or ends with the word of a total, as `Total A-77` and `Autumn total` do. */
export const namesTotal = (text: string): boolean => {
  if (!mayBeTotal.test(text)) return false;
  const list = wordsOf(text);
  const [first = '', second = ''] = list;
  return (
    [first, list.at(-1) ?? ''].some((word) => totalWords.has(word)) ||
    (first === 'grand' && totalWords.has(second))
  );
};

const subtotal =
  /^(?:sub[\s-]?tota(?:ls?|al|le|lt)|zwischensumme|sous[\s-]?total|delsumma)(?!\p{L})|(?<!\p{L})(?:sub[\s-]?tota(?:ls?|al|le|lt)|zwischensumme|sous[\s-]?total|delsumma)$/iu;

/** Whether a text says that it is a part of a total, as `Autumn subtotal` does: nothing that is bought is called so. */
export const isSubtotal = (text: string): boolean => text.length <= 160 && subtotal.test(text.trim());

/** Whether a row below a table has a number of its rows or their average, and nothing that is owed. */
export const isStatistic = (texts: readonly string[]): boolean => {
  const [first = '', ...others] = texts;
  return statistic.test(first) && others.length > 0 && others.every((text) => /^[\d\s.,%€$£-]+$/.test(text));
};

const statistic =
  /^(?:count|row count|rows|records?|average|avg\.?|mean|median|minimum|maximum|anzahl(?: zeilen)?|durchschnitt|mittelwert|moyenne|promedio|promedios)\s*:?$/iu;

/** Whether a text says a tax and nothing else, as `TVA 20 %` does. */
export const isTaxLabel = (text: string): boolean => {
  const list = text.length > 60 ? [] : wordsOf(text);
  return (
    list.some((word) => kindsOf(word).has('tax')) &&
    list.every((word) => kindsOf(word).has('tax') || besideTotals.has(word) || isIncluded(word))
  );
};

/** A tax that the amounts have in them: `of which VAT 19 %`, `darin enthalten 7 % MwSt.`. */
export const saysTaxInside = (text: string): boolean =>
  text.length <= 60 &&
  taxInside.test(text) &&
  wordsOf(text).some((word) => kindsOf(word).has('tax')) &&
  totalOfWords(text) === undefined;

const taxInside =
  /(?<!\p{L})(?:of which|thereof|davon|darin|hierin|enthalten(?:e[rsn]?)?|included?|including|dont|di cui|de los cuales|inclui[dr]\p{L}*|waarvan|w tym|varav|herav|heraf|z toho)(?!\p{L})/iu;

const isIncluded = (word: string): boolean =>
  /^(?:of|which|thereof|davon|darin|hierin|sind|ist|enthalten(?:e[rsn]?)?|included?|including|dont|di|cui|los|cuales|waarvan|w|tym|varav|herav|heraf)$/.test(
    word,
  );
