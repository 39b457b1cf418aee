import type { JsonObject } from '@switchyard/values';
import { extName } from '../../message/form.js';
import { objectAt, textAt } from '../../message/pick.js';

/** One member of a request that may name a campaign. */
export interface CampaignName {
  readonly field: string;
  readonly value: string;
  /**
   * What the value is compared with; `any` is the campaign's id, reference or PO number. `own` is the buyer's reference
   * of the buy, which equals a campaign's only by chance.
   */
  readonly names: 'any' | 'po_number' | 'estimate' | 'own';
}

/** Members of a request that may name the campaign of its buy. */
export interface CampaignNames {
  /** Our own extension: it must name a campaign, or the request is rejected. */
  readonly explicit?: CampaignName;
  /** Members that the protocol defines for other purposes, the most specific one first. */
  readonly loose: readonly CampaignName[];
  /** The buyer's own reference, which rules of the organization match. */
  readonly reference?: string;
}

/** Reads the member that names a campaign, and those that may, from a request of any form. */
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
