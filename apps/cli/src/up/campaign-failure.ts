/** A step of the campaign that failed. */
export class CampaignFailure extends Error {}

/** Ends the campaign with a reason. */
export function notTrue(reason: string): never {
  throw new CampaignFailure(reason);
}
