import { foldName, type ReadingField } from './header-names.js';

/** A known layout of another system: how it is recognised, and what its columns mean. */
export interface Preset {
  readonly id: string;
  readonly name: string;
  /** Columns that a file of this layout has, all of them. */
  readonly headers: readonly string[];
  /** The column of each field; a column that is not named is not read. */
  readonly fields: Readonly<Partial<Record<ReadingField, readonly string[]>>>;
  /** Amounts are millionths. */
  readonly isInMicros?: true;
  /** Gross is the net amount with the commission of the agency, and no tax is in it. */
  readonly grossIs?: 'commission';
  /** Further columns by their names, as in a file of an unknown layout. */
  readonly isOpen?: true;
}

/** Layouts of advertising platforms and of agencies' systems, the most specific first. */
export const presets: readonly Preset[] = [
  {
    id: 'google-ad-manager-api',
    name: 'Ad Manager, report of its API',
    headers: ['Dimension.ORDER_ID'],
    fields: {
      seller_buy: ['Dimension.ORDER_ID'],
      package: ['Dimension.LINE_ITEM_ID'],
      po: ['DimensionAttribute.ORDER_PO_NUMBER'],
      day: ['Dimension.DATE'],
      description: ['Dimension.LINE_ITEM_NAME'],
      units: ['Column.AD_SERVER_IMPRESSIONS', 'Column.TOTAL_LINE_ITEM_LEVEL_IMPRESSIONS'],
      amount: [
        'Column.TOTAL_LINE_ITEM_LEVEL_CPM_AND_CPC_REVENUE',
        'Column.AD_SERVER_CPM_AND_CPC_REVENUE',
        'Column.TOTAL_LINE_ITEM_LEVEL_ALL_REVENUE',
        'Column.AD_SERVER_ALL_REVENUE',
      ],
    },
    isInMicros: true,
  },
  {
    id: 'google-ad-manager',
    name: 'Ad Manager, report of its pages',
    headers: ['Order ID', 'Line item ID', 'Total impressions'],
    fields: {
      seller_buy: ['Order ID'],
      package: ['Line item ID'],
      campaign: ['Order'],
      po: ['PO number'],
      day: ['Date'],
      description: ['Line item'],
      units: ['Total impressions'],
      amount: [
        'Total CPM and CPC revenue ($)',
        'Total CPM and CPC revenue',
        'Ad server CPM and CPC revenue',
        'Total CPM, CPC, CPD, and vCPM revenue',
      ],
    },
  },
  {
    id: 'xandr',
    name: 'Xandr, report service',
    headers: ['insertion_order_id', 'line_item_id', 'imps'],
    fields: {
      seller_buy: ['insertion_order_id'],
      package: ['line_item_id'],
      currency: ['advertiser_currency', 'currency'],
      day: ['day', 'hour', 'date'],
      description: ['line_item_name'],
      units: ['imps'],
      amount: ['media_cost', 'spend', 'cost'],
    },
  },
  {
    id: 'dv360',
    name: 'Display & Video 360, offline report',
    headers: ['Insertion Order ID', 'Line Item ID', 'Advertiser Currency'],
    fields: {
      seller_buy: ['Insertion Order ID'],
      campaign: ['Insertion Order'],
      package: ['Line Item ID', 'Line Item'],
      currency: ['Advertiser Currency'],
      day: ['Date'],
      description: ['Line Item'],
      units: ['Impressions'],
      amount: [
        'Billable Cost (Adv Currency)',
        'Billable Cost',
        'Revenue (Adv Currency)',
        'Media Cost (Advertiser Currency)',
        'Media Cost',
      ],
    },
  },
  {
    id: 'cm360',
    name: 'Campaign Manager 360',
    headers: ['Campaign ID', 'Placement ID', 'Site (CM360)'],
    fields: {
      seller_buy: ['Campaign ID'],
      package: ['Placement ID'],
      campaign: ['Campaign'],
      seller: ['Site (CM360)'],
      day: ['Date'],
      description: ['Placement'],
      units: ['Impressions'],
      amount: ['Media Cost'],
    },
  },
  {
    id: 'the-trade-desk',
    name: 'The Trade Desk, MyReports',
    headers: ['Ad Group ID', 'Advertiser Cost (Adv Currency)'],
    fields: {
      seller_buy: ['Campaign ID'],
      package: ['Ad Group ID'],
      campaign: ['Campaign'],
      currency: ['Advertiser Currency Code'],
      day: ['Date'],
      description: ['Ad Group'],
      units: ['Impressions'],
      amount: ['Advertiser Cost (Adv Currency)'],
    },
  },
  {
    id: 'amazon-dsp',
    name: 'Amazon DSP',
    headers: ['orderId', 'lineItemId', 'totalCost'],
    fields: {
      seller_buy: ['orderId'],
      package: ['lineItemId'],
      campaign: ['orderName'],
      currency: ['orderCurrency'],
      day: ['date'],
      description: ['lineItemName'],
      units: ['impressions'],
      amount: ['totalCost'],
    },
  },
  {
    id: 'basis-vendor-billing',
    name: 'Basis, vendor billing',
    headers: ['VN_CODE', 'INV_NUMBER', 'NET_AMT'],
    fields: {
      number: ['INV_NUMBER'],
      issued: ['INV_DATE'],
      seller: ['VN_NAME'],
      description: ['INV_DESC'],
      po: ['ORDER_ID'],
      net: ['NET_AMT'],
      commission: ['COMM_AMT'],
      gross: ['GROSS_AMT'],
      document_net: ['INV_TOTAL_NET'],
      document_tax: ['INV_TOTAL_TAX'],
    },
  },
  {
    id: 'prisma-buy-export',
    name: 'Prisma, buy export',
    headers: ['Placement number', 'IO number', 'Billable cost'],
    fields: {
      campaign: ['Campaign ID'],
      package: ['Placement number'],
      description: ['Placement name'],
      order: ['IO number'],
      seller: ['Supplier'],
      service_month: ['Buy month'],
      units: ['Billable units'],
      amount: ['Billable cost'],
    },
  },
  {
    id: 'mediaocean-ap',
    name: 'Mediaocean, accounts payable',
    headers: ['Invoice Number', 'Inv Date', 'MOS', 'Est'],
    fields: {
      number: ['Invoice Number'],
      issued: ['Inv Date'],
      seller: ['Vendor'],
      campaign: ['Prod'],
      order: ['Est'],
      service_month: ['MOS'],
      refers_to: ['Original Invoice #'],
      gross: ['Gross'],
      net: ['Net'],
    },
    grossIs: 'commission',
    isOpen: true,
  },
  {
    id: 'switchyard',
    name: 'our own layout',
    headers: ['amount'],
    fields: {
      number: ['invoice_number'],
      issued: ['issued_on'],
      due: ['due_on'],
      service_month: ['period'],
      currency: ['currency'],
      seller_buy: ['media_buy_id'],
      package: ['package_id'],
      po: ['po_number'],
      description: ['description'],
      units: ['units'],
      amount: ['amount'],
    },
  },
];

const ownColumns = new Set(Object.values(presets.at(-1)?.fields ?? {}).flatMap((names) => [...names]));

/**
 * The preset whose columns a file has. Our own layout is recognised by the exact names of all columns: others write
 * `Amount` too.
 */
export function presetOf(names: readonly string[]): Preset | undefined {
  const folded = new Set(names.map(foldName));
  return presets.find(({ id, headers }) =>
    id === 'switchyard'
      ? names.includes('amount') && names.every((name) => name === '' || ownColumns.has(name))
      : headers.every((header) => folded.has(foldName(header))),
  );
}
