import { parseDecimal } from '@switchyard/money';
import { err, ok, type Result } from '@switchyard/values';
import { isDay } from '../finance/period.js';
import { nodeAt, nodesAt, textAt, type XmlNode } from './xml-node.js';

/** One booked transaction of an account. */
export interface BankEntry {
  /** The same in every statement that repeats it: account, statement and its reference or place. */
  readonly key: string;
  readonly account: string;
  /** `YYYY-MM-DD`. */
  readonly bookedOn: string;
  readonly currency: string;
  /** Money that left the account is negative. */
  readonly amountMicros: bigint;
  readonly endToEndId?: string;
  /** A payment that came back. */
  readonly isReturn: boolean;
  /** What the bank says of it. */
  readonly text: string;
}

export interface BankStatement {
  readonly format: 'camt.053' | 'mt940';
  readonly entries: readonly BankEntry[];
  /** Entries that the bank has not booked yet: they are not read. */
  readonly pending: number;
}

type Read = Result<BankStatement, string>;

/** Transactions that one file may have: each is matched in a transaction of its own. */
const bankEntriesAtMost = 2_000;

const amountOf = (text: string): bigint | undefined => {
  const read = parseDecimal(text.trim());
  return read.ok && read.value >= 0n ? read.value : undefined;
};

/**
 * Reads `camt.053` of any version (ISO 20022): booked entries alone, each transaction of an entry for itself. The opening
 * balance and the entries must add up to the closing balance.
 */
export function readCamt053(root: XmlNode): Read {
  const statements = nodesAt(nodeAt(root, 'BkToCstmrStmt'), 'Stmt');
  if (statements.length === 0) return err('This XML document is no bank statement (camt.053).');
  const entries: BankEntry[] = [];
  let pending = 0;
  for (const statement of statements) {
    const account = textAt(statement, 'Acct', 'Id', 'IBAN') || textAt(statement, 'Acct', 'Id', 'Othr', 'Id');
    const id = textAt(statement, 'Id');
    let sum = 0n;
    for (const [at, entry] of nodesAt(statement, 'Ntry').entries()) {
      if (stateOf(entry) !== 'BOOK') {
        pending += 1;
        continue;
      }
      const read = camtEntries(entry, { account, id, at });
      if (typeof read === 'string') return err(read);
      sum += read.reduce((total, { amountMicros }) => total + amountMicros, 0n);
      entries.push(...read);
    }
    const [opening, closing] = [balanceOf(statement, ['OPBD', 'PRCD']), balanceOf(statement, ['CLBD'])];
    if (opening !== undefined && closing !== undefined && opening + sum !== closing)
      return err(`The balances of the statement ${id} do not agree with its entries.`);
    if (entries.length > bankEntriesAtMost)
      return err(`A bank statement may have ${bankEntriesAtMost} transactions at most.`);
  }
  return ok({ format: 'camt.053', entries: keyedApart(entries), pending });
}

/** Some banks give several entries of a statement one reference: each of them counts, and keeps its key at the next import. */
function keyedApart(entries: readonly BankEntry[]): readonly BankEntry[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const times = (seen.get(entry.key) ?? 0) + 1;
    seen.set(entry.key, times);
    return times === 1 ? entry : { ...entry, key: `${entry.key}#${times}` };
  });
}

/** `BOOK` as a text of its own, or in a code since version 8. */
const stateOf = (entry: XmlNode): string => textAt(entry, 'Sts', 'Cd') || textAt(entry, 'Sts');

const isDebit = (node: XmlNode | undefined): boolean => textAt(node, 'CdtDbtInd') === 'DBIT';

const signed = (node: XmlNode | undefined, micros: bigint): bigint => (isDebit(node) ? -micros : micros);

/** What a payment is for: texts, numbers of documents and references of the creditor. */
function remittanceOf(part: XmlNode): readonly string[] {
  const about = nodeAt(part, 'RmtInf');
  return [
    ...nodesAt(about, 'Ustrd'),
    ...nodesAt(about, 'Strd', 'RfrdDocInf', 'Nb'),
    ...nodesAt(about, 'Strd', 'CdtrRefInf', 'Ref'),
    ...nodesAt(about, 'Strd', 'AddtlRmtInf'),
  ].map(({ text }) => text.trim());
}

function balanceOf(statement: XmlNode, codes: readonly string[]): bigint | undefined {
  const balance = nodesAt(statement, 'Bal').find((one) =>
    codes.includes(textAt(one, 'Tp', 'CdOrPrtry', 'Cd')),
  );
  const micros = amountOf(textAt(balance, 'Amt'));
  return balance === undefined || micros === undefined ? undefined : signed(balance, micros);
}

/** Codes of a transaction that takes one back: of a payment that was returned, or recalled (ISO 20022, external codes). */
const returnCodes = new Set(['RRTN', 'RPCR']);

function camtEntries(
  entry: XmlNode,
  { account, id, at }: { readonly account: string; readonly id: string; readonly at: number },
): readonly BankEntry[] | string {
  const amount = nodeAt(entry, 'Amt');
  const micros = amountOf(amount?.text ?? '');
  const bookedOn = (textAt(entry, 'BookgDt', 'Dt') || textAt(entry, 'BookgDt', 'DtTm')).slice(0, 10);
  if (amount === undefined || micros === undefined || !isDay(bookedOn))
    return `The entry ${at + 1} of the statement ${id} has no amount or no day.`;
  // Only the bank's own reference is unique. Places, and numbers of statements, begin anew each year.
  const place = textAt(entry, 'NtryRef') || String(at + 1);
  const reference = textAt(entry, 'AcctSvcrRef') || `${bookedOn}|${place}`;
  const key = [account, id, reference].join('|');
  const currency = amount.attributes['Ccy'] ?? '';
  const whole = signed(entry, micros);
  const code = textAt(entry, 'BkTxCd', 'Domn', 'Fmly', 'SubFmlyCd');
  const isReversal = /^(?:true|1)$/.test(textAt(entry, 'RvslInd')) || returnCodes.has(code);
  const about = textAt(entry, 'AddtlNtryInf');
  const parts = nodesAt(entry, 'NtryDtls').flatMap((details) => nodesAt(details, 'TxDtls'));
  const base = { account, bookedOn, currency };
  if (parts.length === 0)
    return [{ ...base, key, amountMicros: whole, isReturn: isReversal, text: about.slice(0, 500) }];
  const read = parts.map((part, nth): BankEntry | undefined => {
    const own = nodeAt(part, 'Amt') ?? nodeAt(part, 'AmtDtls', 'TxAmt', 'Amt');
    // A transaction alone has the amount of its entry: its own one may be before charges, or in another currency.
    const ofPart = parts.length === 1 ? micros : amountOf(own?.text ?? '');
    if (ofPart === undefined) return undefined;
    const isOut = parts.length > 1 && textAt(part, 'CdtDbtInd') !== '' ? isDebit(part) : whole < 0n;
    const endToEndId = textAt(part, 'Refs', 'EndToEndId');
    return {
      ...base,
      key: parts.length === 1 ? key : `${key}|${nth + 1}`,
      amountMicros: isOut ? -ofPart : ofPart,
      isReturn: isReversal || nodeAt(part, 'RtrInf') !== undefined,
      text: [...remittanceOf(part), textAt(part, 'AddtlTxInf'), about]
        .filter(Boolean)
        .join(' ')
        .slice(0, 500),
      ...(endToEndId !== '' && endToEndId !== 'NOTPROVIDED' && { endToEndId }),
    };
  });
  const known = read.filter((one) => one !== undefined);
  const sum = known.reduce((total, { amountMicros }) => total + amountMicros, 0n);
  // A batch whose parts are in another currency, or are not told, stands as one entry.
  return known.length === parts.length && sum === whole
    ? known
    : [{ ...base, key, amountMicros: whole, isReturn: isReversal, text: about.slice(0, 500) }];
}

/** Statement line of MT940: value day, book day, sign, amount, type, references. */
const line61 = /^(\d{6})(\d{4})?(R?[CD])[A-Z]?(\d{1,15},\d{0,6})[A-Z]([A-Z0-9]{3})(.*?)(?:\/\/(.*))?$/;

/** Reads MT940 (SWIFT): several statements of several accounts. Each opening balance and its lines must add up to the closing one. */
export function readMt940(text: string): Read {
  const fields = fieldsOf(text);
  if (!fields.some(([tag]) => tag === '60F' || tag === '60M'))
    return err(
      fields.some(([tag]) => tag === '34F' || tag === '13D')
        ? 'This is a report within a day (MT942), which the bank has not closed. Import its statement (MT940).'
        : 'This is no bank statement (MT940).',
    );
  const entries: BankEntry[] = [];
  let [account, id, currency] = ['', '', ''];
  let balance: bigint | undefined;
  let place = 0;
  let isInside = false;
  for (const [tag, value] of fields) {
    if (tag === '25') account = value.trim();
    else if (tag === '28C' || tag === '28') [id, place] = [value.trim(), 0];
    else if (tag === '60F' || tag === '60M') {
      isInside = true;
      currency = value.slice(7, 10);
      balance = balance940(value);
    } else if (tag === '61') {
      const read = entry940(value, { account, id, currency, place: (place += 1) });
      if (read === undefined) return err(`The line ${place} of the statement ${id} cannot be read.`);
      if (balance !== undefined) balance += read.amountMicros;
      entries.push(read);
    } else if (tag === '86' && isInside) {
      const last = entries.at(-1);
      if (last !== undefined) entries[entries.length - 1] = withDetails(last, value);
    } else if (tag === '62F' || tag === '62M') {
      if (balance === undefined || balance !== balance940(value))
        return err(`The balances of the statement ${id} do not agree with its entries.`);
      // A text behind the closing balance is about the statement.
      [balance, isInside] = [undefined, false];
    }
    if (entries.length > bankEntriesAtMost)
      return err(`A bank statement may have ${bankEntriesAtMost} transactions at most.`);
  }
  if (isInside) return err(`The statement ${id} has no closing balance: the file was cut off.`);
  return ok({ format: 'mt940', entries, pending: 0 });
}

/** Fields by their tags; a line without a tag continues the one before. */
function fieldsOf(text: string): readonly (readonly [tag: string, value: string])[] {
  const fields: [string, string][] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const found = /^:(\d{2}[A-Z]?):(.*)$/.exec(line);
    const last = fields.at(-1);
    if (found !== null) fields.push([found[1] ?? '', found[2] ?? '']);
    else if (line.startsWith('-') && line.length < 3) continue;
    else if (last !== undefined && last[1].length < 5_000) last[1] += `\n${line}`;
  }
  return fields;
}

function balance940(value: string): bigint | undefined {
  const [, sign, amount] = /^([CD])\d{6}[A-Z]{3}(\d{1,15},\d{0,6})/.exec(value) ?? [];
  const micros = amountOf((amount ?? '').replace(',', '.').replace(/\.$/, ''));
  return micros === undefined ? undefined : sign === 'D' ? -micros : micros;
}

function entry940(
  value: string,
  about: {
    readonly account: string;
    readonly id: string;
    readonly currency: string;
    readonly place: number;
  },
): BankEntry | undefined {
  const [line = '', ...more] = value.split('\n');
  const [, valueDay = '', bookDay, sign = '', amount = '', , reference = '', bank = ''] =
    line61.exec(line.trimEnd()) ?? [];
  const micros = amountOf(amount.replace(',', '.').replace(/\.$/, ''));
  if (micros === undefined) return undefined;
  const year = 2000 + Number(valueDay.slice(0, 2));
  const [month, date] = [
    bookDay?.slice(0, 2) ?? valueDay.slice(2, 4),
    bookDay?.slice(2) ?? valueDay.slice(4),
  ];
  // A booking in January of a value day in December is of the next year, and the reverse.
  const turn = Number(month) - Number(valueDay.slice(2, 4));
  const bookedOn = `${turn < -6 ? year + 1 : turn > 6 ? year - 1 : year}-${month}-${date}`;
  if (!isDay(bookedOn)) return undefined;
  // RD takes a debit back: money comes in again.
  const isOut = sign === 'D' || sign === 'RC';
  return {
    // Numbers of statements begin anew each year.
    key: [
      about.account,
      bookedOn,
      about.id,
      bank.trim().slice(0, 16) || String(about.place),
      about.place,
    ].join('|'),
    account: about.account,
    bookedOn,
    currency: about.currency,
    amountMicros: isOut ? -micros : micros,
    isReturn: sign === 'RD',
    text: [reference, ...more]
      .map((part) => part.trim())
      .filter(Boolean)
      .join(' '),
  };
}

/** Text of `:86:`, whose parts `?20` to `?29` and `?60` to `?63` belong together in the German form. */
function withDetails(entry: BankEntry, value: string): BankEntry {
  const joined = value.replaceAll('\n', '');
  const parts = joined.split('?');
  const text =
    parts.length > 2
      ? parts
          .slice(1)
          .filter((part) => /^(2\d|6[0-3])/.test(part))
          .map((part) => part.slice(2))
          .join('')
      : joined;
  const endToEndId = /(?:EREF\+|\/EREF\/)\s*([A-Za-z0-9-]{1,35}?)(?=[A-Z]{4}\+|[^A-Za-z0-9-]|$)/.exec(
    text,
  )?.[1];
  return {
    ...entry,
    text: [entry.text, text].filter(Boolean).join(' ').slice(0, 500),
    isReturn: entry.isReturn || /\b(RETURN|RUECKUEB|RUECKLASTSCHRIFT|RETOURE)/i.test(joined),
    ...(endToEndId !== undefined && endToEndId !== 'NOTPROVIDED' && { endToEndId }),
  };
}
