import type { JsonObject } from '@switchyard/values';

/**
 * How long an impairment event waits for further changes, in milliseconds. The protocol allows five minutes;
 * our capabilities declare this shorter window (docs/protocol/webhooks-out.md#coalescence).
 */
export const impairmentWindowMs = 60_000;

/** Words for fraud and brand safety, in the members that name the kind of an impairment. */
const latencySensitive = /fraud|invalid_?traffic|(?:^|_)[gs]?ivt(?:_|$)|brand_?(?:safety|suitability)/;
const namingMembers = ['reason_code', 'resource_type', 'category', 'type', 'kind'];

/**
 * The window of one impairment: zero for fraud and brand safety, which must not wait. Codes are an open list,
 * so their words are matched.
 */
export function coalescenceWindowMs(detail: JsonObject): number {
  const isUrgent = namingMembers.some((name) => {
    const value = detail[name];
    return typeof value === 'string' && latencySensitive.test(value.toLowerCase().replace(/[\s.-]+/g, '_'));
  });
  return isUrgent ? 0 : impairmentWindowMs;
}
