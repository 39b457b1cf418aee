import { describe, expect, it } from '@jest/globals';
import type { Gathered } from '@switchyard/buys';
import { getProducts, getSignals, type Form } from '@switchyard/protocol';
import { must, type JsonObject } from '@switchyard/values';
import { productsAnswer } from './products-answer.js';
import { signalsAnswer } from './signals-answer.js';

const service = { dialect: 'ads', form: 'service' } as const;

/** What one seller of the `service` form said, twice the same. */
function gathered<Answer>(answer: Answer): Gathered<Answer> {
  const legs = [{ seller: 'acme', answer, findings: [], setAside: [], errors: [] }];
  return { legs, rows: [], later: [] };
}

function findingsIn(payload: JsonObject): readonly unknown[] {
  const { ext, findings } = payload as { ext?: { switchyard?: { findings?: unknown } }; findings?: unknown };
  const listed = (ext?.switchyard?.findings ?? findings ?? []) as readonly JsonObject[];
  return listed.filter(({ code }) => code === 'NOT_TOLD').map(({ seller, field }) => [seller, field]);
}

describe('required members that no seller reported', () => {
  it('have a finding for products, once for each seller and member, in the releases that require them', () => {
    const product = { name: 'P', pricing_options: [] };
    const products = ['a', 'b'].map((id) => ({ ...product, product_id: id }));
    const { answer } = must(getProducts.readAnswer({ products }, service));
    const query = (form: Form): unknown => {
      const profile = { dialect: 'adcp', form } as const;
      const question = { request: {} as never, args: {}, profile, isPublic: false };
      return findingsIn(productsAnswer(question, gathered(answer)));
    };
    expect(query('3.1')).toEqual([
      ['acme', 'products[].publisher_properties'],
      ['acme', 'products[].delivery_type'],
      ['acme', 'products[].reporting_capabilities'],
    ]);
    expect(query('service')).toEqual([]);
  });

  it('have a finding for signals', () => {
    const signal = { signal_agent_segment_id: 's', name: 'S', signal_type: 'custom', deployments: [] };
    const read = must(getSignals.readAnswer({ signals: [signal] }, service));
    const request = { signalSpec: 'fans', destinations: [], countries: [] };
    const answer = gathered(read.answer);
    expect(findingsIn(signalsAnswer(request, { dialect: 'adcp', form: '3.1' }, answer))).toEqual([
      ['acme', 'signals[].signal_id'],
    ]);
    expect(findingsIn(signalsAnswer(request, service, answer))).toEqual([]);
  });
});
