import { describe, expect, it } from '@jest/globals';
import type { Gathered } from '@switchyard/buys';
import { getProducts, getSignals, type GetProductsAnswer, type GetSignalsAnswer } from '@switchyard/protocol';
import { must, type JsonObject } from '@switchyard/values';
import { productsAnswer } from './products-answer.js';
import { signalsAnswer } from './signals-answer.js';

const profile = { dialect: 'adcp', form: '3.1' } as const;

/** What each of these sellers sent, as it was gathered. */
function gathered<Answer>(answers: Readonly<Record<string, Answer>>): Gathered<Answer> {
  const legs = Object.entries(answers).map(([seller, answer]) => ({
    seller,
    answer,
    findings: [],
    setAside: [],
    errors: [],
  }));
  return { legs, rows: [], later: [] };
}

const findingsIn = (payload: JsonObject): unknown => {
  const ext = payload['ext'] as { readonly switchyard?: { readonly findings?: unknown } } | undefined;
  return ext?.switchyard?.findings;
};

/** What a release wants of every signal. */
const received = { signal_type: 'marketplace', signal_id: { source: 'agent', id: 's' } };

function signals(...cpms: readonly number[]): GetSignalsAnswer {
  const read = must(
    getSignals.readAnswer(
      {
        signals: cpms.map((cpm, at) => ({
          signal_agent_segment_id: `s${String(at)}`,
          ...received,
          name: 'Fans',
          deployments: [],
          pricing_options: [{ pricing_option_id: 'cpm', model: 'cpm', cpm, currency: 'USD' }],
        })),
      },
      profile,
    ),
  );
  return read.answer;
}

describe('the items that the buyer’s filters leave out', () => {
  it('are reported for signals, seller by seller', () => {
    const request = { signalSpec: 'fans', destinations: [], countries: [], filters: { maxCpm: '3' } };
    const payload = signalsAnswer(request, profile, gathered({ acme: signals(2, 4), bravo: signals(9, 8) }));
    expect(
      (payload['signals'] as readonly JsonObject[]).map((signal) => signal['signal_agent_segment_id']),
    ).toEqual(['acme:s0']);
    expect(findingsIn(payload)).toMatchObject([
      { seller: 'acme', code: 'FILTERED_OUT', message: expect.stringMatching(/1 item/) },
      { seller: 'bravo', code: 'FILTERED_OUT', message: expect.stringMatching(/2 items/) },
    ]);
  });

  it('include signals that cost too great a share of the media', () => {
    const shared = (id: string, ...percents: readonly number[]): JsonObject => ({
      signal_agent_segment_id: id,
      ...received,
      name: 'Fans',
      deployments: [],
      pricing_options: percents.map((percent) => ({
        pricing_option_id: `share-${String(percent)}`,
        model: 'percent_of_media',
        percent,
        currency: 'USD',
      })),
    });
    const read = getSignals.readAnswer({ signals: [shared('fair', 12, 5), shared('dear', 12)] }, profile);
    const requested = getSignals.readRequest(
      { signal_spec: 'fans', filters: { max_percent: 10 } },
      profile,
      new Map(),
    );
    if (!read.ok || !requested.ok) throw new Error('It should be read.');
    const payload = signalsAnswer(requested.value, profile, gathered({ acme: read.value.answer }));
    expect(payload['signals']).toMatchObject([{ signal_agent_segment_id: 'acme:fair' }]);
    expect(findingsIn(payload)).toMatchObject([{ seller: 'acme', code: 'FILTERED_OUT' }]);
  });

  it('are reported for products, and not if all of them pass', () => {
    const product = {
      name: 'P',
      description: '',
      publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
      reporting_capabilities: {},
      format_ids: [],
      pricing_options: [],
    };
    const read = must(
      getProducts.readAnswer(
        {
          products: [
            { ...product, product_id: 'a', delivery_type: 'guaranteed' },
            { ...product, product_id: 'b', delivery_type: 'non_guaranteed' },
          ],
        },
        profile,
      ),
    );
    const answers = gathered<GetProductsAnswer>({ acme: read.answer });
    const query = (filters: object): unknown =>
      findingsIn(
        productsAnswer({ request: { filters } as never, args: {}, profile, isPublic: false }, answers),
      );
    expect(query({ deliveryType: 'guaranteed' })).toMatchObject([{ seller: 'acme', code: 'FILTERED_OUT' }]);
    expect(query({}) ?? []).toEqual([]);
  });
});

describe('the members of signals that a buyer requests', () => {
  it('are shown beside the required ones, and no others', () => {
    const reported = {
      signal_agent_segment_id: 's',
      name: 'Fans',
      deployments: [],
      pricing_options: [],
      methodology: 'panel',
      taxonomy: { id: '1' },
    };
    const read = getSignals.readAnswer({ signals: [reported] }, profile);
    const requested = getSignals.readRequest(
      { signal_spec: 'fans', fields: ['methodology'] },
      profile,
      new Map(),
    );
    if (!read.ok || !requested.ok) throw new Error('It should be read.');
    const payload = signalsAnswer(requested.value, profile, gathered({ acme: read.value.answer }));
    const [shown] = payload['signals'] as readonly JsonObject[];
    expect(shown).toMatchObject({ name: 'Fans', deployments: [], methodology: 'panel' });
    expect(shown).not.toHaveProperty('taxonomy');
  });
});
