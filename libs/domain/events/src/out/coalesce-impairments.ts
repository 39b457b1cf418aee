import type { JsonObject } from '@switchyard/values';

/**
 * How long news of an impairment may wait for more of the same, in milliseconds. The protocol allows five
 * minutes; we keep a shorter window and say so in our capabilities (docs/protocol/webhooks-out.md#coalescence).
 */
export const impairmentWindowMs = 60_000;

/** Words of fraud and of brand safety, in the members where sellers say what kind of impairment it is. */
const latencySensitive = /fraud|invalid_?traffic|(?:^|_)[gs]?ivt(?:_|$)|brand_?(?:safety|suitability)/;
const namingMembers = ['reason_code', 'resource_type', 'category', 'type', 'kind'];

/**
 * The window of one impairment: none for fraud and brand safety, to which the general one must not be applied. Codes
 * are an open list, so it is read from the words in them.
 */
export function coalescenceWindowMs(detail: JsonObject): number {
  const isUrgent = namingMembers.some((name) => {
    const value = detail[name];
    return typeof value === 'string' && latencySensitive.test(value.toLowerCase().replace(/[\s.-]+/g, '_'));
  });
  return isUrgent ? 0 : impairmentWindowMs;
}
