import type { Schemas } from '../../../generated/routes.js';
import { StatusBadge } from '../../../parts/status.js';

export type ClientInvoice = Schemas['client_invoice'];

export const kindsOfDocument: Readonly<Record<ClientInvoice['kind'], string>> = {
  invoice: 'Invoice',
  credit_note: 'Credit note',
};

const states: Readonly<Record<ClientInvoice['state'], readonly [words: string, tone: string]>> = {
  draft: ['Draft', 'accent'],
  issued: ['Issued', 'warn'],
  part_paid: ['Paid in part', 'warn'],
  paid: ['Paid', 'good'],
};

/** Where a document to a client is in its life; one that is late says so. */
export function DocumentState({
  of: { state, kind, due_on: due },
  today = new Date().toISOString().slice(0, 10),
}: {
  readonly of: Pick<ClientInvoice, 'state' | 'kind' | 'due_on'>;
  readonly today?: string;
}) {
  const isLate =
    kind === 'invoice' && (state === 'issued' || state === 'part_paid') && (due ?? today) < today;
  const [words, tone] = states[state];
  return <StatusBadge of={isLate ? `${words}, overdue` : words} tone={isLate ? 'bad' : tone} />;
}

/** How a document is called on its page: a draft has no number yet. */
export const documentName = ({ number, kind, client }: ClientInvoice): string =>
  number === undefined ? `Draft for ${client}` : `${kindsOfDocument[kind]} ${number}`;

export const ruleKinds = {
  cost_plus: 'Cost plus a percentage',
  commission: 'Commission, a percentage of gross',
  fixed_month: 'Fixed fee for each month',
  fixed_campaign: 'Fixed fee for each campaign',
  cpm: 'Fee for 1,000 impressions',
} as const;

export const bases = {
  delivered: 'What was delivered',
  third_party: 'What a third party counted, where one counts',
  invoiced: 'What sellers have invoiced',
  planned: 'The plan, and the difference later',
} as const;

export const taxes = {
  S: 'Standard rate',
  Z: 'Zero rate',
  E: 'Exempt',
  AE: 'Reverse charge',
  O: 'Outside of the scope of tax',
} as const;
