import { describe, expect, it } from '@jest/globals';
import { getProducts, type PackageUpdate } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { termsShown, withTermsChanged, withReportedTerms } from './stored-terms.js';
import { offerOf } from '../model/offer.js';
import type { BuyPackage, PackageTerms } from '../model/operation.js';
import { withQuoted } from './quoted-terms.js';

const vendor = { domain: 'counts.example' };
const counted = { billing_measurement: { vendor, max_variance_percent: 5 } };
const policy = { notice_period: { interval: 14, unit: 'days' }, cancellation_fee: { type: 'none' } };

function quoted(more: JsonObject) {
  const product = {
    product_id: 'ctv',
    name: 'CTV',
    pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
    ...more,
  };
  const read = getProducts.readAnswer({ products: [product] }, { dialect: 'adcp', form: '3.1' }, new Map());
  const [current] = read.ok ? read.value.answer.products : [];
  if (current === undefined) throw new Error('expected a product');
  return offerOf('acme', current, 0);
}

const bought = (more: JsonObject, terms: Partial<PackageTerms> = {}): BuyPackage =>
  ({
    seller: 'acme',
    budgetMicros: 5_000_000n,
    currency: 'USD',
    position: 0,
    terms: withQuoted({ requested: {}, sent: {}, reported: {}, ...terms }, quoted(more)),
  }) as BuyPackage;

describe('the quoted terms of a product', () => {
  it('apply to a package without its own: the measurement vendor is shown, and the cancellation policy is not one of them', () => {
    const own = bought({ measurement_terms: counted, cancellation_policy: policy });
    expect(termsShown(own)).toEqual({ holding: { measurement_terms: counted }, requested: {} });
    expect(own.terms?.quoted).toEqual({ measurement_terms: counted, cancellation_policy: policy });
  });

  it('are replaced by the agreed terms, and those by what the seller reports', () => {
    const agreed = { billing_measurement: { vendor, max_variance_percent: 10 } };
    const asked = { measurement_terms: agreed };
    const own = bought({ measurement_terms: counted }, { requested: asked, sent: asked });
    expect(termsShown(own).holding).toEqual(asked);
    const reported = { billing_measurement: { vendor, max_variance_percent: 20 } };
    const received = withReportedTerms(bought({ measurement_terms: counted }), {
      reportedTerms: { measurement_terms: reported },
    });
    expect(termsShown(received).holding).toEqual({ measurement_terms: reported });
  });

  it('do not replace a request that a form could not carry, which stays open', () => {
    const wish = { measurement_terms: { billing_measurement: { vendor: { domain: 'mine.example' } } } };
    expect(termsShown(bought({ measurement_terms: counted }, { requested: wish }))).toEqual({
      holding: { measurement_terms: counted },
      requested: wish,
    });
  });

  it('stay after an update of the package', () => {
    const change = { original: { form: '3.1', value: { pacing: 'even' } } } as unknown as PackageUpdate;
    expect(withTermsChanged(bought({ cancellation_policy: policy }), change).terms).toMatchObject({
      sent: { pacing: 'even' },
      quoted: { cancellation_policy: policy },
    });
  });

  it('are ignored if they are incomplete: without a vendor nothing is measured', () => {
    expect(quoted({ measurement_terms: { billing_measurement: {} } })).not.toHaveProperty('defaultTerms');
  });
});
