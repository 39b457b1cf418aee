import { describe, expect, it } from '@jest/globals';
import { coalescenceWindowMs, impairmentWindowMs } from './write-impairment.js';

describe('the coalescence window of an impairment', () => {
  it('is at most five minutes', () => {
    expect(impairmentWindowMs).toBeLessThanOrEqual(300_000);
    expect(coalescenceWindowMs({ reason_code: 'consent_expired' })).toBe(impairmentWindowMs);
    expect(coalescenceWindowMs({})).toBe(impairmentWindowMs);
  });

  it.each([
    ['fraud_detected'],
    ['click-fraud'],
    ['Invalid Traffic'],
    ['sivt'],
    ['ivt_threshold_exceeded'],
    ['brand_safety'],
    ['brand-safety.violation'],
    ['BrandSuitability'],
  ])('is nothing for %s', (reason_code) => {
    expect(coalescenceWindowMs({ reason_code })).toBe(0);
    expect(coalescenceWindowMs({ reason_code: 'policy_violation', category: reason_code })).toBe(0);
  });

  it.each([['private'], ['source_private'], ['policy_violation'], ['derivative']])(
    'is kept for %s',
    (word) => {
      expect(coalescenceWindowMs({ reason_code: word })).toBe(impairmentWindowMs);
    },
  );
});
