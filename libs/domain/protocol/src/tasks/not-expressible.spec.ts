import { describe, expect, it } from '@jest/globals';
import { must, type JsonObject } from '@switchyard/values';
import type { Form } from '../versions/wire-profile.js';
import { createMediaBuy } from './create-media-buy.js';
import { getSignals } from './get-signals.js';
import { syncCreatives } from './sync-creatives.js';
import { updateMediaBuy } from './update-media-buy.js';

const places = { destinations: [{ type: 'platform', platform: 'dsp' }] };
const reference = { scope: 'data_provider', data_provider_domain: 'data.example', signal_id: 'fans' };

function signalsIn(args: JsonObject, to: Form) {
  const read = must(getSignals.readRequest(args, { dialect: 'adcp', form: '3.1' }, new Map()));
  return getSignals.projectRequest(read, { dialect: 'adcp', form: to });
}

describe('a request for signals that a release cannot express', () => {
  it.each(['service', '2.5', '3.0'] as const)('is refused with its member in %s: the complete list', (to) => {
    const { notExpressible } = signalsIn({ discovery_mode: 'wholesale', ...places }, to);
    expect(notExpressible).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'signal_spec' });
  });

  it.each(['service', '2.5'] as const)('is refused in %s if it names signals and describes none', (to) => {
    expect(signalsIn({ signal_refs: [reference], ...places }, to).notExpressible?.field).toBe('signal_spec');
  });

  it.each(['service', '2.5'] as const)('is refused in %s if it names no deployments', (to) => {
    expect(signalsIn({ signal_spec: 'fans' }, to).notExpressible?.field).toBe('destinations');
  });

  it('sends the ids of references to 3.0, and reports references without an id', () => {
    const local = { scope: 'product', signal_id: 'fans' };
    const { args, findings, notExpressible } = signalsIn({ signal_refs: [reference, local] }, '3.0');
    expect(args['signal_ids']).toEqual([
      { source: 'catalog', data_provider_domain: 'data.example', id: 'fans' },
    ]);
    expect(findings.map(({ field }) => field)).toEqual(['signal_refs']);
    expect(notExpressible).toBeUndefined();
    expect(signalsIn({ signal_refs: [local] }, '3.0').notExpressible?.field).toBe('signal_spec');
  });

  it('does not exist if the release has every member', () => {
    for (const to of ['service', '2.5', '3.0', '3.1'] as const)
      expect(signalsIn({ signal_spec: 'fans', ...places }, to).notExpressible).toBeUndefined();
    expect(signalsIn({ discovery_mode: 'wholesale' }, '3.1').notExpressible).toBeUndefined();
  });
});

const key = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const modern = { dialect: 'adcp', form: '3.1' } as const;

describe('a buy that a form cannot express', () => {
  const flight = { start_time: 'asap', end_time: '2027-02-01T00:00:00Z' };
  const package_ = { product_id: 'p', pricing_option_id: 'o', budget: 5 };

  it.each(['service', '2.5'] as const)('is one of a proposal in %s', (to) => {
    const args = {
      ...flight,
      idempotency_key: key,
      brand: { domain: 'brand.example' },
      proposal_id: 'plan',
      total_budget: { amount: 10, currency: 'USD' },
    };
    const read = must(createMediaBuy.readRequest(args, modern, new Map()));
    const projected = createMediaBuy.projectRequest(read, { dialect: 'adcp', form: to });
    expect(projected.notExpressible).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'proposal_id' });
    const own = createMediaBuy.projectRequest(read, { dialect: 'adcp', form: '3.0' });
    expect(own.notExpressible).toBeUndefined();
  });

  it.each(['3.0', '3.1'] as const)('is one for a brand without a domain in %s', (to) => {
    const args = {
      ...flight,
      buyer_ref: 'r',
      brand_manifest: { name: 'Shoes' },
      packages: [{ ...package_, buyer_ref: 'p' }],
    };
    const read = must(createMediaBuy.readRequest(args, { dialect: 'adcp', form: '2.5' }, new Map()));
    const projected = createMediaBuy.projectRequest(read, { dialect: 'adcp', form: to });
    expect(projected.notExpressible).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'brand' });
    const known = { ...read, brand: { ...read.brand, domain: 'brand.example' } };
    expect(
      createMediaBuy.projectRequest(known, { dialect: 'adcp', form: to }).notExpressible,
    ).toBeUndefined();
  });
});

describe('an update that a form cannot express', () => {
  const changed = (change: JsonObject, to: Form) => {
    const read = must(
      updateMediaBuy.readRequest({ idempotency_key: key, media_buy_id: 'b', ...change }, modern, new Map()),
    );
    return updateMediaBuy.projectRequest(read, { dialect: 'adcp', form: to });
  };
  const flight = { package_id: 'p', end_time: '2027-02-01T00:00:00Z' };

  it('is one with nothing left: its answer would claim that it was made', () => {
    const fresh = { product_id: 'p', pricing_option_id: 'o', budget: 5 };
    expect(changed({ new_packages: [fresh] }, '2.5').notExpressible?.field).toBe('new_packages');
    expect(changed({ packages: [flight] }, '2.5').notExpressible?.field).toBe('packages[0].end_time');
    const recipient = { invoice_recipient: { name: 'Accounts', email: 'a@brand.example' } };
    expect(changed(recipient, 'service').notExpressible?.field).toBe('invoice_recipient');
  });

  it('is accepted if anything else is left, or nothing was requested', () => {
    expect(changed({ packages: [flight], paused: true }, '2.5').notExpressible).toBeUndefined();
    expect(changed({ packages: [{ ...flight, budget: 5 }] }, '2.5').notExpressible).toBeUndefined();
    expect(changed({}, '2.5').notExpressible).toBeUndefined();
    expect(changed({}, 'service').notExpressible).toBeUndefined();
  });
});

describe('creatives that a form cannot express', () => {
  const creative = { creative_id: 'c', name: 'C', assets: {} };
  const synced = (creatives: readonly JsonObject[], more: JsonObject, to: Form) => {
    const read = must(
      syncCreatives.readRequest(
        { idempotency_key: key, creatives: [...creatives], ...more },
        modern,
        new Map(),
      ),
    );
    return syncCreatives.projectRequest(read, { dialect: 'adcp', form: to });
  };

  it('are those without a format that it has', () => {
    const byKind = { ...creative, format_kind: 'image' };
    expect(synced([byKind], {}, '3.0').notExpressible).toMatchObject({ field: 'creatives' });
    expect(synced([byKind], {}, '3.1').notExpressible).toBeUndefined();
  });

  it('are those of a request about none of the creatives for this seller', () => {
    const format_id = { agent_url: 'https://formats.example', id: 'f' };
    const two = [
      { ...creative, format_id },
      { ...creative, format_id, creative_id: 'd' },
    ];
    const { args } = synced(two, { creative_ids: ['d'] }, '3.0');
    expect(args['creative_ids']).toEqual(['d']);
    expect(synced(two, { creative_ids: ['e'] }, '3.0').notExpressible).toMatchObject({ field: 'creatives' });
  });
});
