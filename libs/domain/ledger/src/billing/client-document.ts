import { createHash } from 'node:crypto';
import { microsToDecimal } from '@switchyard/money';
import { canonicalJson, type JsonObject } from '@switchyard/values';
import { taxesOf, type ClientLine } from './bill-client.js';

const format = 'switchyard.client-invoice.1';

/** The address of a party. */
export interface PartyAddress {
  readonly street: string;
  readonly postCode: string;
  readonly city: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/** Who bills or is billed. */
export interface DocumentParty {
  readonly name: string;
  readonly address: PartyAddress;
  readonly taxId?: string;
  /** What the client asks us to name. */
  readonly reference?: string;
  /** Of who bills: where clients pay. */
  readonly iban?: string;
  readonly bic?: string;
}

/** A document to a client, as its renderings show it. Amounts of a credit note are negative. */
export interface ClientDocument {
  readonly kind: 'invoice' | 'credit_note';
  /** Absent: a draft. */
  readonly number?: string;
  readonly issuedOn?: string;
  readonly dueOn?: string;
  readonly serviceFrom: string;
  readonly serviceTo: string;
  readonly currency: string;
  readonly entity: DocumentParty;
  readonly client: DocumentParty;
  /** As the client sees them. */
  readonly lines: readonly ClientLine[];
  readonly netMicros: bigint;
  readonly taxMicros: bigint;
  readonly grossMicros: bigint;
  /** The number of the invoice that it credits. */
  readonly refersTo?: string;
  readonly reason?: string;
}

/** The document as the text that its digest and its signature cover: every rendering says the same. */
export function clientDocumentText(document: ClientDocument): JsonObject {
  const { kind, number, issuedOn, dueOn, currency, lines, refersTo, reason } = document;
  return {
    ...{ format, kind, ...(number !== undefined && { number }) },
    ...(issuedOn !== undefined && { issued_on: issuedOn }),
    ...(dueOn !== undefined && { due_on: dueOn }),
    ...{ service_from: document.serviceFrom, service_to: document.serviceTo, currency },
    ...{ entity: partyText(document.entity), client: partyText(document.client) },
    lines: lines.map(({ description, netMicros, taxHundredths, taxCategory }) => ({
      ...{ description, net: microsToDecimal(netMicros), tax_percent: String(taxHundredths / 100) },
      tax_category: taxCategory,
    })),
    taxes: taxesOf(currency, lines).map(({ baseMicros, taxMicros, taxHundredths, taxCategory }) => ({
      ...{ base: microsToDecimal(baseMicros), tax: microsToDecimal(taxMicros) },
      ...{ tax_percent: String(taxHundredths / 100), tax_category: taxCategory },
    })),
    net: microsToDecimal(document.netMicros),
    tax: microsToDecimal(document.taxMicros),
    gross: microsToDecimal(document.grossMicros),
    ...(refersTo !== undefined && { refers_to: refersTo }),
    ...(reason !== undefined && { reason }),
  };
}

const partyText = ({ name, address, ...more }: DocumentParty): JsonObject => ({
  name,
  address: {
    ...{ street: address.street, post_code: address.postCode, city: address.city, country: address.country },
  },
  ...(more.taxId !== undefined && { tax_id: more.taxId }),
  ...(more.reference !== undefined && { reference: more.reference }),
  ...(more.iban !== undefined && { iban: more.iban }),
  ...(more.bic !== undefined && { bic: more.bic }),
});

/** SHA-256 of the canonical text (RFC 8785), hexadecimal. */
export const documentDigest = (document: JsonObject): string =>
  createHash('sha256').update(canonicalJson(document), 'utf8').digest('hex');
