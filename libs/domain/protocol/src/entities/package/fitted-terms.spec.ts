import { describe, expect, it } from '@jest/globals';
import { fittedTerms } from './fitted-terms.js';

const vendor = { domain: 'counts.example', brand_kit_override: { tagline: 'Now' } };
const plain = { domain: 'counts.example' };
const metric = { kind: 'metric', metric: 'clicks' };
const sold = { kind: 'event', event_sources: [{ event_source_id: 's', event_type: 'purchase' }] };
const followed = { kind: 'event', event_sources: [{ event_source_id: 's', event_type: 'follow' }] };

describe('the terms of a package', () => {
  it('name brands without brand kit in 3.0, and report the loss', () => {
    const reported = {
      measurement_terms: { billing_measurement: { vendor } },
      performance_standards: [{ metric: 'viewability', threshold: 1, vendor }],
    };
    const { terms, lost } = fittedTerms(reported, '3.0');
    expect(terms).toEqual({
      measurement_terms: { billing_measurement: { vendor: plain } },
      performance_standards: [{ metric: 'viewability', threshold: 1, vendor: plain }],
    });
    expect(lost).toEqual([
      'measurement_terms.billing_measurement.vendor.brand_kit_override',
      'performance_standards[].vendor.brand_kit_override',
    ]);
  });

  it('keep in 3.0 only those goals that it can express completely', () => {
    const ofVendor = { kind: 'vendor_metric', vendor, metric_id: 'm' };
    const { terms, lost } = fittedTerms({ optimization_goals: [ofVendor, metric, followed, sold] }, '3.0');
    expect(terms).toEqual({ optimization_goals: [metric, sold] });
    expect(lost).toEqual(['optimization_goals']);
  });

  it('have no list of goals if none is left', () => {
    expect(fittedTerms({ optimization_goals: [followed], pacing: 'even' }, '3.0').terms).toEqual({
      pacing: 'even',
    });
  });

  it('leave out an attribution window that does not begin with a click', () => {
    const seen = { ...sold, attribution_window: { post_view: { interval: 1, unit: 'days' } } };
    const clicked = { ...sold, attribution_window: { post_click: { interval: 1, unit: 'days' } } };
    const { terms, lost } = fittedTerms({ optimization_goals: [seen, clicked] }, '3.0');
    expect(terms).toEqual({ optimization_goals: [sold, clicked] });
    expect(lost).toEqual(['optimization_goals[].attribution_window']);
  });

  it('name the events of a catalog that 3.0 knows', () => {
    const catalogs = [
      { type: 'product', conversion_events: ['purchase', 'content_view'] },
      { type: 'job', conversion_events: ['follow'] },
    ];
    const { terms, lost } = fittedTerms({ catalogs }, '3.0');
    expect(terms).toEqual({
      catalogs: [{ type: 'product', conversion_events: ['purchase'] }, { type: 'job' }],
    });
    expect(lost).toContain('catalogs[].conversion_events');
  });

  it('are unchanged in 3.1', () => {
    const reported = {
      optimization_goals: [followed],
      measurement_terms: { billing_measurement: { vendor } },
    };
    expect(fittedTerms(reported, '3.1')).toEqual({ terms: reported, lost: [] });
  });
});
