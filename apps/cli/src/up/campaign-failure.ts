/** A step of the campaign that did not come true. */
export class CampaignFailure extends Error {}

/** Ends the campaign with a reason. */
export function notTrue(reason: string): never {
  throw new CampaignFailure(reason);
}
