import {
  ciiText,
  taxesOf,
  type ClientDocument,
  type ClientLine,
  type DocumentParty,
} from '@switchyard/ledger';
import { moneyText } from '@switchyard/money';
import type { ClientInvoiceDetail } from '@switchyard/store';
import type { PageDocument } from '@switchyard/tables';
import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { dayText } from './day-text.js';

/** The members of a listed document that its page shows. */
interface ListedInvoice {
  readonly kind: ClientDocument['kind'];
  readonly number?: string | undefined;
  readonly currency: string;
  readonly issued_on?: string | undefined;
  readonly due_on?: string | undefined;
  readonly refers_to?: string | undefined;
  readonly reason?: string | undefined;
}

/** A stored document with the lines that its client sees. */
export function clientDocumentOf(
  listed: ListedInvoice,
  found: ClientInvoiceDetail,
  lines: readonly ClientLine[],
  totals: Pick<ClientDocument, 'netMicros' | 'taxMicros' | 'grossMicros'>,
): ClientDocument {
  return {
    kind: listed.kind,
    currency: listed.currency,
    ...defined({ number: listed.number, issuedOn: listed.issued_on, dueOn: listed.due_on }),
    ...defined({ refersTo: listed.refers_to, reason: listed.reason }),
    ...{ serviceFrom: found.serviceFrom, serviceTo: found.serviceTo, lines, ...totals },
    ...{ entity: partyOf(found.parties.entity), client: partyOf(found.parties.client) },
  };
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

function partyOf(stored: JsonObject): DocumentParty {
  const address = isJsonObject(stored['address']) ? stored['address'] : {};
  const present = (name: string): string | undefined => textOf(stored[name]) || undefined;
  return {
    name: textOf(stored['name']),
    address: {
      street: textOf(address['street']),
      postCode: textOf(address['post_code']),
      city: textOf(address['city']),
      country: textOf(address['country']),
    },
    ...defined({ taxId: present('tax_id'), reference: present('reference') }),
    ...defined({ iban: present('iban'), bic: present('bic') }),
  };
}

const titles = { invoice: 'Invoice', credit_note: 'Credit note' } as const;

/** The page of an invoice or a credit note to a client. `digest`: of the text that all its renderings say. */
export function clientInvoicePage(
  document: ClientDocument,
  {
    digest,
    madeAt,
    organization,
    checkAt,
  }: {
    readonly digest: string;
    readonly madeAt: string;
    readonly organization: string;
    /** Absent of a draft. */
    readonly checkAt?: string;
  },
): PageDocument {
  const { kind, number, currency, entity, client, lines, issuedOn, dueOn, refersTo, reason } = document;
  const money = (micros: bigint): string => moneyText(micros, currency);
  const fact = (name: string, value: string | undefined): readonly (readonly [string, string])[] =>
    value === undefined ? [] : [[name, value]];
  const taxes = taxesOf(currency, lines);
  const rate = ({ taxCategory, taxHundredths }: (typeof taxes)[number] | ClientLine): string =>
    exemptions[taxCategory] ?? `${String(taxHundredths / 100)} %`;
  return {
    language: 'en',
    from: entity.name,
    title:
      number === undefined
        ? `Draft of ${kind === 'invoice' ? 'an invoice' : 'a credit note'}`
        : `${titles[kind]} ${number}`,
    madeAt,
    parties: [
      { name: 'From', lines: partyLines(entity) },
      { name: 'To', lines: partyLines(client) },
    ],
    facts: [
      ...fact('Date', issuedOn && dayText(issuedOn)),
      ...fact('Due', kind === 'invoice' ? dueOn && dayText(dueOn) : undefined),
      ['Service days', `${dayText(document.serviceFrom)} to ${dayText(document.serviceTo)}`],
      ['Currency', currency],
      ...fact('Your reference', client.reference),
      ...fact('Credits invoice', refersTo),
    ],
    tables: [
      {
        name: kind === 'invoice' ? 'What we bill' : 'What we credit',
        columns: [
          { name: 'Description', share: 6 },
          { name: 'Tax', share: 1.6, isFigure: true },
          { name: `Amount, ${currency}`, share: 2, isFigure: true },
        ],
        rows: lines.map((line) => [line.description, rate(line), money(line.netMicros)]),
        sums: [
          ['Without tax', '', money(document.netMicros)],
          ...taxes.map((tax) => [`Tax on ${money(tax.baseMicros)}`, rate(tax), money(tax.taxMicros)]),
          ['Total', '', money(document.grossMicros)],
        ],
      },
    ],
    notes: [
      ...(reason === undefined ? [] : [`Reason: ${reason}`]),
      ...taxes.flatMap(({ taxCategory }) =>
        taxCategory === 'AE' ? ['The recipient owes the tax (reverse charge).'] : [],
      ),
      ...(kind === 'invoice' && entity.iban !== undefined
        ? [
            `Please pay to ${groups(entity.iban)}${entity.bic === undefined ? '' : `, ${entity.bic}`}${number === undefined ? '' : `, and name ${number}`}.`,
          ]
        : []),
      'The days of media are local days of the time zone of each seller.',
    ],
    proof: [
      `Made by ${organization}. SHA-256 of the text of this document (RFC 8785): ${digest}`,
      ...(checkAt === undefined ? [] : [`Check it without signing in: ${checkAt}`]),
      'The e-invoice (UBL 2.1, EN 16931), the workbook and the page on the web say the same.',
    ],
    ...(number !== undefined && { eInvoice: ciiText(document) }),
  };
}

const exemptions: Partial<Record<ClientLine['taxCategory'], string>> = {
  E: 'exempt',
  AE: 'reverse charge',
  O: 'no tax',
};

const partyLines = ({ name, address, taxId }: DocumentParty): readonly string[] => [
  name,
  address.street,
  `${address.postCode} ${address.city}`.trim(),
  address.country,
  ...(taxId === undefined ? [] : [`Tax number ${taxId}`]),
];

/** An IBAN in groups of four, as people read it. */
const groups = (iban: string): string => iban.replaceAll(/(.{4})(?=.)/g, '$1 ');
