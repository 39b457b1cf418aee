import { describe, expect, it } from '@jest/globals';
import { must, type JsonObject } from '@switchyard/values';
import type { WireProfile } from '../versions/wire-profile.js';
import { createMediaBuy } from './create-media-buy.js';
import { getProducts } from './get-products.js';
import { syncCreatives } from './sync-creatives.js';
import { updateMediaBuy } from './update-media-buy.js';

const of31: WireProfile = { dialect: 'adcp', form: '3.1' };
const of30: WireProfile = { dialect: 'adcp', form: '3.0' };

const loud = { domain: 'WWW.Acme.EXAMPLE' };
const vendor = { domain: 'Meter.Example' };
const account = { brand: loud, operator: 'Agency.Example' };
const goals = { optimization_goals: [{ kind: 'vendor_metric', vendor, metric_id: 'attention' }] };
const creative = {
  ...{ creative_id: 'c', name: 'c', format_id: { agent_url: 'https://f.example', id: 'f' }, assets: {} },
  brand: loud,
};
/** A peer's own members: whatever stands in them is passed on as it is. */
const own = { context: { brand: loud }, ext: { brand: loud } };
const times = { start_time: 'asap', end_time: '2099-01-01T00:00:00Z' };
const item = { product_id: 'p', pricing_option_id: 'o', budget: 10 };
const key = { idempotency_key: '3f0d7a52-9c14-4b6e-8a77-51c2e0b94d18' };
const version = { adcp_version: '3.1' };

const creating = {
  ...{ ...version, ...key, ...own, ...times, account, brand: loud },
  packages: [{ ...item, ...goals, creatives: [creative] }],
};
const updating = {
  ...{ ...version, ...key, ...own, account, media_buy_id: 'm' },
  packages: [{ package_id: 'p', ...goals }],
  new_packages: [{ ...item, creatives: [creative] }],
};

/** The requests as a seller gets them. */
function sent(to: WireProfile): readonly (readonly [string, JsonObject])[] {
  const asking = { ...version, ...own, account, brand: loud, brief: 'b', buying_mode: 'brief' };
  const filters = { required_performance_standards: [{ metric: 'viewability', vendor, threshold: 0.7 }] };
  const creatives = { ...version, ...key, ...own, account, creatives: [creative] };
  return [
    [
      'create',
      createMediaBuy.projectRequest(must(createMediaBuy.readRequest(creating, of31, new Map())), to).args,
    ],
    [
      'update',
      updateMediaBuy.projectRequest(must(updateMediaBuy.readRequest(updating, of31, new Map())), to).args,
    ],
    [
      'ask',
      getProducts.projectRequest(must(getProducts.readRequest({ ...asking, filters }, of31, new Map())), to)
        .args,
    ],
    [
      'sync',
      syncCreatives.projectRequest(must(syncCreatives.readRequest(creatives, of31, new Map())), to).args,
    ],
  ];
}

/** Texts under members with this name, at any depth outside of a peer's own members. */
function domainsIn(value: unknown, found: string[] = []): readonly string[] {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'context' || name === 'ext') continue;
    if ((name === 'domain' || name === 'operator') && typeof inner === 'string') found.push(inner);
    domainsIn(inner, found);
  }
  return found;
}

describe('the domain of a brand in a request to a seller of 3.x', () => {
  it.each([
    ['3.1', of31],
    ['3.0', of30],
  ])('is in small letters wherever it stands, as the schema of %s demands', (_name, to) => {
    for (const [name, args] of sent(to)) {
      const domains = domainsIn(args);
      expect([name, domains.length > 0]).toEqual([name, true]);
      expect([name, domains]).toEqual([name, domains.map((domain) => domain.toLowerCase())]);
    }
  });

  it('is found in its account, its goals, its filters and its creatives', () => {
    const expected = ['www.acme.example', 'agency.example', 'meter.example', 'www.acme.example'];
    const [create] = sent(of31);
    expect(new Set(domainsIn(create?.[1]))).toEqual(new Set(expected));
  });

  it('stays as the buyer wrote it where the member is the buyer’s own', () => {
    for (const [name, args] of sent(of31))
      expect([name, args['ext'], args['context']]).toEqual([name, own.ext, own.context]);
  });
});
