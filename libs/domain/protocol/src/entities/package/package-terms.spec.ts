import { describe, expect, it } from '@jest/globals';
import { projectPackageTerms, readPackageTerms, readReportedPackage } from './package-terms.js';

const vendor = { domain: 'counts.example' };
const whole = {
  pacing: 'even',
  bid_price: 2.5,
  impressions: 1000,
  start_time: '2027-01-01T00:00:00Z',
  end_time: '2027-02-01T00:00:00Z',
  creative_deadline: '2026-12-24T00:00:00Z',
  targeting_overlay: { geo_countries: ['US'] },
  format_ids: [{ agent_url: 'https://formats.example', id: 'one' }],
  catalogs: [{ type: 'product' }],
  optimization_goals: [{ kind: 'metric', metric: 'clicks' }],
  measurement_terms: { billing_measurement: { vendor, max_variance_percent: 5 } },
  performance_standards: [{ metric: 'viewability', threshold: 0.7, standard: 'mrc', vendor }],
  agency_estimate_number: 'E-1',
  price_breakdown: { list_price: 10 },
  committed_metrics: [{ scope: 'standard', metric_id: 'impressions' }],
  format_option_refs: [{ id: 'option' }],
  format_kind: 'image',
  params: { width: 300 },
};

describe('the terms of a package', () => {
  it('are read by their names, and no other member is', () => {
    expect(readPackageTerms({ ...whole, package_id: 'p', budget: 5, creatives: [], other: 1 })).toEqual(
      whole,
    );
  });

  it.each([
    ['pacing', 'quickly'],
    ['bid_price', -1],
    ['impressions', '1000'],
    ['start_time', 'soon'],
    ['creative_deadline', 7],
    ['targeting_overlay', []],
    ['format_ids', [{ id: 'one' }]],
    ['optimization_goals', [{}]],
    ['measurement_terms', { billing_measurement: { max_variance_percent: 5 } }],
    ['measurement_terms', { makegood_policy: {} }],
    ['performance_standards', [{ metric: 'viewability', threshold: 0.7 }]],
    ['committed_metrics', [{ metric_id: 'impressions' }]],
  ])('are ignored if %s has the wrong type', (name, value) => {
    expect(readPackageTerms({ [name]: value })).toEqual({});
  });

  it('are read with the members of 3.x, from any sender', () => {
    expect(readPackageTerms({ targeting_overlay: { geo_country_any_of: ['US'] } })).toEqual({
      targeting_overlay: { geo_countries: ['US'] },
    });
  });

  it('are all in an answer of 3.1', () => {
    expect(projectPackageTerms(whole, '3.1')).toEqual(whole);
  });

  it('are in 3.0 without the members of 3.1', () => {
    const { committed_metrics, format_option_refs, format_kind, params, ...older } = whole;
    expect([committed_metrics, format_option_refs, format_kind, params]).not.toContain(undefined);
    expect(projectPackageTerms(whole, '3.0')).toEqual(older);
  });

  it('are written in 2.5 as far as its packages have them, with its own members', () => {
    expect(projectPackageTerms(whole, '2.5')).toEqual({
      pacing: 'even',
      bid_price: 2.5,
      impressions: 1000,
      targeting_overlay: { geo_country_any_of: ['US'] },
    });
  });

  it('are in the service description as far as it names them', () => {
    expect(projectPackageTerms(whole, 'service')).toEqual({
      bid_price: 2.5,
      targeting_overlay: { geo_countries: ['US'] },
    });
  });

  it('leave other members of a package to 3.x', () => {
    expect(projectPackageTerms({ snapshot: {} }, '3.0')).toEqual({ snapshot: {} });
    expect(projectPackageTerms({ snapshot: {} }, '2.5')).toEqual({});
  });
});

describe('the members of a package that only a seller sets', () => {
  const words = {
    creative_assignments: [{ creative_id: 'spot', weight: 60, placement_ids: ['top'] }],
    format_ids_to_provide: [{ agent_url: 'https://formats.example', id: 'one' }],
  };

  it('are read beside its terms, from an answer and not from a request', () => {
    expect(readReportedPackage({ ...words, pacing: 'even' })).toEqual({ ...words, pacing: 'even' });
    expect(readPackageTerms({ ...words, pacing: 'even' })).toEqual({ pacing: 'even' });
  });

  it.each([
    ['creative_assignments', [{ weight: 5 }]],
    ['creative_assignments', [{ creative_id: 'spot', weight: 101 }]],
    ['creative_assignments', [{ creative_id: 'spot', placement_ids: [] }]],
    ['format_ids_to_provide', ['one']],
  ])('are ignored if %s has the wrong type', (name, value) => {
    expect(readReportedPackage({ [name]: value })).toEqual({});
  });

  it('are in every release, and not in the service description', () => {
    for (const form of ['2.5', '3.0', '3.1'] as const)
      expect(projectPackageTerms(words, form)).toEqual(words);
    expect(projectPackageTerms(words, 'service')).toEqual({});
  });
});
