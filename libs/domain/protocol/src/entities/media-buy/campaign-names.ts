import type { JsonObject } from '@switchyard/values';
import { extName } from '../../message/form.js';
import { objectAt, textAt } from '../../message/pick.js';

/** One member of a request that may name a campaign. */
export interface CampaignName {
  readonly field: string;
  readonly value: string;
  /**
   * What of a campaign it is compared with; `any` is its id, its reference or its PO number. `own` is the buyer's own
   * reference of the buy, which is a campaign's by chance alone.
   */
  readonly names: 'any' | 'po_number' | 'estimate' | 'own';
}

/** What a request says of the campaign that its buy belongs to. */
export interface CampaignNames {
  /** Said to us: it names a campaign, or the request is refused. */
  readonly explicit?: CampaignName;
  /** Members that the protocol has for other purposes, the clearest one first. */
  readonly loose: readonly CampaignName[];
  /** The buyer's own reference, which rules of the organization go by. */
  readonly reference?: string;
}

/** Reads a request in whatever form: the member that names a campaign, and those that may. */
export function readCampaignNames(args: JsonObject): CampaignNames {
  const context = objectAt(args, 'context');
  const explicit = textAt(objectAt(objectAt(args, 'ext'), extName), 'campaign_id');
  const own = textAt(args, 'buyer_ref') ?? textAt(context, 'buyer_ref');
  const poNumber = textAt(args, 'po_number');
  const candidates: readonly [string, CampaignName['names'], string | undefined][] = [
    ['context.campaign_id', 'any', textAt(context, 'campaign_id')],
    ['context.buyer_campaign_ref', 'any', textAt(context, 'buyer_campaign_ref')],
    ['buyer_campaign_ref', 'any', textAt(args, 'buyer_campaign_ref')],
    ['po_number', 'po_number', poNumber],
    ['agency_estimate_number', 'estimate', textAt(args, 'agency_estimate_number')],
    ['buyer_ref', 'own', own],
  ];
  const reference = own ?? poNumber;
  return {
    loose: candidates.flatMap(([field, names, value]) =>
      value === undefined || value === '' ? [] : [{ field, names, value }],
    ),
    ...(reference === undefined ? {} : { reference }),
    ...(explicit === undefined
      ? {}
      : { explicit: { field: `ext.${extName}.campaign_id`, value: explicit, names: 'any' as const } }),
  };
}
