/** The script: clients with their brands and campaigns, and the buys of each month. Amounts are in the buy's currency. */
interface ScriptedCampaign {
  readonly client: string;
  readonly brand: { readonly domain: string; readonly name: string };
  readonly name: string;
  readonly po: string;
  readonly budget: string;
  readonly currency: 'USD' | 'EUR';
}

export interface ScriptedBuy {
  /** PO number of its campaign; if absent, it has no campaign. */
  readonly po?: string;
  readonly brand: string;
  readonly parts: readonly { readonly seller: string; readonly packages: number; readonly budget: number }[];
  /** Day of the month on which the flight begins, or `lately`: 15 days ago, on the third at the earliest. */
  readonly from: number | 'lately';
  /** Length of the flight; 0: it begins now. */
  readonly days: number;
  /** Domain of the third party whose count is owed. */
  readonly countedBy?: string;
}

const nova = { domain: 'nova.example', name: 'Nova' };
const grano = { domain: 'grano.example', name: 'Grano' };
const pedal = { domain: 'pedal.example', name: 'Pedal' };
const kite = { domain: 'kite.example', name: 'Kite' };

export const campaigns: readonly ScriptedCampaign[] = [
  {
    client: 'Nova Foods',
    brand: nova,
    name: 'Nova autumn launch',
    po: 'PO-2101',
    budget: '60000',
    currency: 'USD',
  },
  {
    client: 'Nova Foods',
    brand: grano,
    name: 'Grano breakfast',
    po: 'PO-2102',
    budget: '40000',
    currency: 'USD',
  },
  {
    client: 'Lakeside Bikes',
    brand: pedal,
    name: 'City bikes',
    po: 'PO-2201',
    budget: '50000',
    currency: 'USD',
  },
  {
    client: 'Kite Airways',
    brand: kite,
    name: 'Winter sun',
    po: 'PO-2301',
    budget: '45000',
    currency: 'EUR',
  },
];

/** The same in each month, so that a seller's habit is visible as one. `courier` continues into the next month. */
export const buysOfMonth: readonly ScriptedBuy[] = [
  {
    po: 'PO-2101',
    brand: nova.domain,
    parts: [{ seller: 'prompt', packages: 1, budget: 5200 }],
    from: 2,
    days: 7,
  },
  {
    po: 'PO-2101',
    brand: nova.domain,
    parts: [{ seller: 'courier', packages: 1, budget: 6100.5 }],
    from: 5,
    days: 30,
  },
  {
    po: 'PO-2102',
    brand: grano.domain,
    parts: [
      { seller: 'seed', packages: 1, budget: 3100 },
      { seller: 'auction', packages: 1, budget: 2400 },
    ],
    from: 1,
    days: 6,
  },
  {
    po: 'PO-2201',
    brand: pedal.domain,
    parts: [
      { seller: 'human', packages: 1, budget: 4800 },
      { seller: 'behind', packages: 2, budget: 2600 },
    ],
    from: 2,
    days: 5,
  },
  {
    po: 'PO-2301',
    brand: kite.domain,
    parts: [{ seller: 'slow', packages: 1, budget: 5400 }],
    from: 1,
    days: 7,
  },
];

/** Only in the month to close: a third party counts it, and counts less than its seller. */
export const countedBuy: ScriptedBuy = {
  po: 'PO-2102',
  brand: grano.domain,
  parts: [{ seller: 'prompt', packages: 1, budget: 2200 }],
  from: 12,
  days: 5,
  countedBy: 'adserver.example',
};

/** What the third party counts of it, in percent of its seller. */
export const countedPercent = 86;

/** Only in the open month: it still runs, and has no campaign. */
export const runningBuy: ScriptedBuy = {
  brand: 'harvest.example',
  parts: [{ seller: 'prompt', packages: 1, budget: 3900 }],
  from: 'lately',
  days: 28,
};

/** Above the limit of its brand, so that it waits for an approval. */
export const largeBuy: ScriptedBuy = {
  po: 'PO-2301',
  brand: kite.domain,
  parts: [{ seller: 'slow', packages: 1, budget: 15_000 }],
  from: 0,
  days: 0,
};
export const limit = {
  for: `brand:${kite.domain}`,
  amount: '30000',
  currency: 'EUR',
  above: 'ask',
} as const;

/** The two people of finance: one acts, and the other agrees to what takes two. */
export const finance = 'noor';
export const colleague = 'mira';

/** What was agreed with sellers about their invoices, and how one of them cuts its months. */
export const agreements = [
  { seller: 'human', commission: '15', bills: 'gross', reason: 'Insertion order, page 2' },
  { seller: 'prompt', fees: '5', reason: 'Mail of their sales team' },
] as const;
export const calendars = [
  { seller: 'human', billing_calendar: 'broadcast', reason: 'Their contract, section 4' },
] as const;

/** Accounts of ours by currency, and of sellers. */
export const bankAccounts: Readonly<Record<'currency' | 'seller', Readonly<Record<string, string>>>> = {
  currency: { USD: 'DE89370400440532013000', EUR: 'DE02120300000000202051' },
  seller: {
    prompt: 'GB29NWBK60161331926819',
    slow: 'DE75512108001245126199',
  },
};

const address = { street: 'Hafenstr. 1', post_code: '20457', city: 'Hamburg', country: 'DE' };
export const legalEntity = {
  ...{ name: 'Practice Agency GmbH', address, tax_id: 'DE123456789', series: 'PA-', currency: 'USD' },
  iban: bankAccounts.currency['USD'] ?? '',
};

/** How each client is billed, and the rule of what it pays. */
export const billedClients = [
  {
    client: 'Nova Foods',
    billing: { name: 'Nova Foods AG', address: { ...address, street: 'Speicherstr. 9' }, tax_percent: '19' },
    rule: { kind: 'cost_plus', percent: '8' },
  },
  {
    client: 'Lakeside Bikes',
    billing: {
      ...{ name: 'Lakeside Bikes Inc.', tax_percent: '0', tax_category: 'O' },
      address: { street: '12 Lake Street', post_code: '60601', city: 'Chicago', country: 'US' },
    },
    rule: { kind: 'commission', percent: '15' },
  },
  {
    client: 'Kite Airways',
    billing: { name: 'Kite Airways GmbH', address: { ...address, street: 'Rollweg 3' }, tax_percent: '19' },
    rule: { kind: 'cost_plus', percent: '10', basis: 'invoiced' },
  },
] as const;

/** Answers to questions about sellers' files, by their ids. Which days are billed follows from the seller's calendar. */
export const answers: Readonly<Record<string, string>> = { dates: 'month_first' };

/** Sellers whose invoices of the first month are paid. */
export const paidSellers: readonly string[] = ['prompt', 'courier', 'slow'];

/** A duplicate is disputed in the closed months, until the seller's credit note comes. */
export const duplicate = {
  kind: 'duplicate_invoice',
  reason: 'You have billed these lines twice.',
  answer: 'You are right. The second invoice is credited.',
  end: 'The credit note came.',
} as const;

/** The seller whose habit is a correction after its final report. */
export const restatingSeller = 'human';

/** What its invoice has above the order is disputed, and the case is open. */
export const overDelivery = 'over_delivery';

/** How each kind of difference was settled in the closed months. */
export const settlements: Readonly<Record<string, { readonly as: string; readonly reason: string }>> = {
  time_zone_cut: {
    as: 'corrected',
    reason: 'Billed with the next month: the seller counts days in its zone.',
  },
  missing_package: { as: 'corrected', reason: 'The seller bills the package with the next invoice.' },
  wrong_po: { as: 'corrected', reason: 'The seller has confirmed our PO number.' },
  [overDelivery]: { as: 'dispute', reason: 'We pay what was ordered; the rest is disputed.' },
  late_report: { as: 'corrected', reason: 'The seller has confirmed the later figure.' },
  missing_invoice: { as: 'corrected', reason: 'The invoice is promised for the next month.' },
};
export const usualSettlement = {
  as: 'accept',
  reason: 'The seller provided its log, and the amount is paid.',
} as const;

/** The price of one euro in dollars at the end of each month, oldest first; invented figures. */
export const euroRates = ['1.0921', '1.0985', '1.1043', '1.0997'] as const;
