import { currencyExponent, microsToDecimal, type Micros } from '@switchyard/money';
import { csvRow } from '@switchyard/values';
import { isSepa, type BankAccount } from './bank-account.js';

/** One transfer to a seller. */
export interface Transfer {
  /** Our payment id, at most 35 characters: the bank brings it back as `EndToEndId`. */
  readonly id: string;
  readonly seller: string;
  readonly creditor: BankAccount;
  readonly currency: string;
  readonly amountMicros: Micros;
  /** Numbers of the invoices that it pays. */
  readonly invoices: readonly string[];
}

export interface PaymentFile {
  /** At most 35 characters. */
  readonly messageId: string;
  /** RFC 3339, without fractions of a second. */
  readonly madeAt: string;
  /** `YYYY-MM-DD`: when the bank is asked to pay. */
  readonly payOn: string;
  readonly initiator: string;
  /** Our account for each currency. */
  readonly debtors: ReadonlyMap<string, BankAccount>;
  readonly transfers: readonly Transfer[];
}

/**
 * Writes a customer credit transfer initiation `pain.001.001.09` (ISO 20022): one payment information for each currency,
 * which is one account of ours. Euro between SEPA accounts is marked so, and every text has the characters of SEPA alone.
 * No address is written: banks demand a structured one or none.
 */
export function pain001({ messageId, madeAt, payOn, initiator, debtors, transfers }: PaymentFile): string {
  const currencies = [...new Set(transfers.map(({ currency }) => currency))].sort();
  const parts = currencies.map((currency, at) => {
    const own = transfers.filter((transfer) => transfer.currency === currency);
    const debtor = debtors.get(currency);
    if (debtor === undefined) throw new RangeError(`There is no account for ${currency}.`);
    const areSepa = currency === 'EUR' && isSepa(debtor) && own.every(({ creditor }) => isSepa(creditor));
    return element('PmtInf', [
      element('PmtInfId', `${messageId.slice(0, 32)}-${at + 1}`),
      element('PmtMtd', 'TRF'),
      element('BtchBookg', 'false'),
      element('NbOfTxs', String(own.length)),
      element('CtrlSum', sumText(own)),
      ...(areSepa ? [element('PmtTpInf', [element('SvcLvl', [element('Cd', 'SEPA')])])] : []),
      element('ReqdExctnDt', [element('Dt', payOn)]),
      element('Dbtr', [element('Nm', sepaText(debtor.name, 70))]),
      element('DbtrAcct', [element('Id', [element('IBAN', debtor.iban)]), element('Ccy', currency)]),
      element('DbtrAgt', [agentOf(debtor)]),
      element('ChrgBr', areSepa ? 'SLEV' : 'SHAR'),
      ...own.map(transferOf),
    ]);
  });
  const header = element('GrpHdr', [
    element('MsgId', messageId),
    element('CreDtTm', madeAt),
    element('NbOfTxs', String(transfers.length)),
    element('CtrlSum', sumText(transfers)),
    element('InitgPty', [element('Nm', sepaText(initiator, 70))]),
  ]);
  const body = element('CstmrCdtTrfInitn', [header, ...parts]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">${body}</Document>\n`;
}

function transferOf({ id, creditor, currency, amountMicros, invoices }: Transfer): string {
  const amount = `<InstdAmt Ccy="${currency}">${amountText(currency, amountMicros)}</InstdAmt>`;
  return element('CdtTrfTxInf', [
    element('PmtId', [element('EndToEndId', id)]),
    element('Amt', [amount]),
    ...(creditor.bic === undefined ? [] : [element('CdtrAgt', [agentOf(creditor)])]),
    element('Cdtr', [element('Nm', sepaText(creditor.name, 70))]),
    element('CdtrAcct', [element('Id', [element('IBAN', creditor.iban)])]),
    element('RmtInf', [element('Ustrd', remittanceOf(invoices))]),
  ]);
}

/** A bank without a known BIC is named as not provided. */
const agentOf = ({ bic }: BankAccount): string =>
  element('FinInstnId', [
    bic === undefined ? element('Othr', [element('Id', 'NOTPROVIDED')]) : element('BICFI', bic),
  ]);

/** Rows for a bank that takes a table: one per transfer. */
export function paymentCsv({ payOn, debtors, transfers }: PaymentFile): string {
  const head =
    'payment_id,pay_on,currency,amount,debtor_iban,creditor_name,creditor_iban,creditor_bic,remittance';
  const rows = transfers.map((transfer) => {
    const { id, creditor, currency, amountMicros, invoices } = transfer;
    return csvRow([
      id,
      payOn,
      currency,
      amountText(currency, amountMicros),
      debtors.get(currency)?.iban ?? '',
      sepaText(creditor.name, 70),
      creditor.iban,
      creditor.bic ?? '',
      remittanceOf(invoices),
    ]);
  });
  return [head, ...rows].map((row) => `${row}\r\n`).join('');
}

/** Text of remittance: the numbers of invoices as far as they fit in 140 characters, and how many more there are. */
export function remittanceOf(invoices: readonly string[]): string {
  const numbers = invoices.map((number) => sepaText(number, 140));
  const whole = numbers.join(' ');
  if (whole.length <= 140) return whole;
  let fits = numbers.length;
  const cut = (): string => `${numbers.slice(0, fits).join(' ')} and ${numbers.length - fits} more`;
  while (fits > 0 && cut().length > 140) fits -= 1;
  return cut().trim().slice(0, 140);
}

const letters: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  ø: 'oe',
  Ø: 'Oe',
  å: 'aa',
  Å: 'Aa',
  œ: 'oe',
  Œ: 'Oe',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  þ: 'th',
  '&': '+',
  _: '-',
};

/** A text in the characters that every bank of SEPA takes (EPC 217-08): letters by transliteration, others as a point. */
export function sepaText(text: string, atMost: number): string {
  const plain = text
    .normalize('NFC')
    .replaceAll(
      /./gsu,
      (character) => letters[character] ?? character.normalize('NFD').replaceAll(/\p{M}/gu, ''),
    )
    .replaceAll(/[^A-Za-z0-9/\-?:().,'+ ]/g, '.')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  // A text may not begin with a slash, nor hold two of them.
  const safe = plain.replaceAll(/\/{2,}/g, '/').replace(/^\//, '');
  return (safe === '' ? '.' : safe).slice(0, atMost).trim();
}

function amountText(currency: string, micros: Micros): string {
  const digits = currencyExponent(currency);
  const [whole = '0', part = ''] = microsToDecimal(micros).split('.');
  return digits === 0 ? whole : `${whole}.${part.padEnd(digits, '0')}`;
}

/** The control sum of amounts, whatever their currencies. */
function sumText(transfers: readonly Transfer[]): string {
  const sum = transfers.reduce((total, { amountMicros }) => total + amountMicros, 0n);
  const [whole = '0', part = ''] = microsToDecimal(sum).split('.');
  return `${whole}.${part.padEnd(2, '0')}`;
}

const element = (name: string, content: string | readonly string[]): string =>
  `<${name}>${typeof content === 'string' ? escaped(content) : content.join('')}</${name}>`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
