import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@switchyard/values';
import { missingMetricsOf } from './metrics.js';

const missingIn = (missing_metrics: JsonValue) => missingMetricsOf({ package_id: 'k1', missing_metrics });

describe('missing metrics that a package was promised', () => {
  it('are reported by their names, a vendor’s own with its domain, each once', () => {
    const viewability = { scope: 'standard', metric_id: 'viewability' };
    const attention = { scope: 'vendor', vendor: { domain: 'count.example' }, metric_id: 'attention' };
    expect(missingIn([viewability, attention, viewability])).toEqual([
      'viewability',
      'count.example:attention',
    ]);
  });

  it('are absent if nothing valid is named', () => {
    const odd = [7, null, {}, { metric_id: 'x'.repeat(200) }, { metric_id: 'a b' }];
    for (const none of [[], null, 'viewability', odd]) expect(missingIn(none)).toEqual([]);
    expect(missingMetricsOf({})).toEqual([]);
  });

  it('have a maximum number', () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ metric_id: `metric_${String(index)}` }));
    expect(missingIn(many)).toHaveLength(50);
  });
});
