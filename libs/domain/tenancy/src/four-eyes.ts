/**
 * When another person must decide, per organization (docs/security/model.md#four-eyes). `off`: never. `known`: the second
 * must not be known to be the requester. `strict`: nor may one person be able to act as both.
 */
export const fourEyesRules = ['off', 'known', 'strict'] as const;
export type FourEyes = (typeof fourEyesRules)[number];

/** Whether the second rule demands less than the first. */
export function isStepDown(from: FourEyes, to: FourEyes): boolean {
  return fourEyesRules.indexOf(to) < fourEyesRules.indexOf(from);
}
