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

/** The field of each column in the sellers' invoices. */
export const invoiceMapping = {
  invoice_number: 'Invoice',
  issued_on: 'Issued',
  period: 'Month',
  currency: 'Currency',
  media_buy_id: 'Order',
  package_id: 'Line item',
  po_number: 'PO',
  units: 'Impressions',
  amount: 'Net',
} as const;

/** The seller whose habit is a correction after its final report. */
export const restatingSeller = 'human';

/** How each kind of difference was settled in the closed months. */
export const settlements: Readonly<Record<string, { readonly as: string; readonly reason: string }>> = {
  duplicate_invoice: { as: 'credit', reason: 'The seller has sent a credit note for the second invoice.' },
  time_zone_cut: {
    as: 'corrected',
    reason: 'Billed with the next month: the seller counts days in its zone.',
  },
  missing_package: { as: 'corrected', reason: 'The seller bills the package with the next invoice.' },
  wrong_po: { as: 'corrected', reason: 'The seller has confirmed our PO number.' },
  over_delivery: { as: 'dispute', reason: 'We pay what was ordered; the rest is disputed.' },
  late_report: { as: 'corrected', reason: 'The seller has confirmed the later figure.' },
  missing_invoice: { as: 'corrected', reason: 'The invoice is promised for the next month.' },
};
export const usualSettlement = {
  as: 'accept',
  reason: 'The seller provided its log, and the amount is paid.',
} as const;

/** The price of one euro in dollars at the end of each month, oldest first; invented figures. */
export const euroRates = ['1.0921', '1.0985', '1.1043', '1.0997'] as const;
