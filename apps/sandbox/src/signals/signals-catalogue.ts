import type { Personality } from '../personalities.js';
import { draw, drawWhole } from '../seeded.js';
import { wordsOf } from '../agent/words.js';

export interface CatalogueSignal {
  readonly segmentId: string;
  readonly name: string;
  readonly description: string;
  readonly catalogType: 'marketplace' | 'custom' | 'owned';
  readonly dataProvider: string;
  readonly providerDomain: string;
  readonly coverage: number;
  readonly cpmMicros: bigint;
  readonly words: ReadonlySet<string>;
}

type Segment = readonly [
  key: string,
  name: string,
  provider: string,
  type: CatalogueSignal['catalogType'],
  about: string,
];

const segments: readonly Segment[] = [
  ['coffee_lovers', 'Coffee Lovers', 'Panel North', 'marketplace', 'coffee drink food household buyers'],
  [
    'ev_intenders',
    'Electric Car Intenders',
    'Motor Data',
    'marketplace',
    'electric car vehicle auto mobility',
  ],
  ['frequent_travellers', 'Frequent Travellers', 'Panel North', 'marketplace', 'travel hotel flight holiday'],
  ['sports_fans', 'Sports Fans', 'Arena Insights', 'marketplace', 'sport football fan running outdoor'],
  ['new_parents', 'New Parents', 'Cradle Data', 'marketplace', 'family parent children home'],
  ['small_business', 'Small Business Owners', 'Ledger Insights', 'marketplace', 'business finance software'],
  ['gamers', 'Console Gamers', 'Arena Insights', 'marketplace', 'game gaming console young'],
  ['loyal_customers', 'Loyal Customers', 'Own data', 'owned', 'loyal customer crm first party'],
  ['lookalike', 'Customer Look-alikes', 'Own data', 'custom', 'lookalike custom model customer'],
];

/** The segments of one signals agent. Two agents share most of them, with their own ids, reach and prices. */
export function signalsOf(seed: string, agent: Personality): readonly CatalogueSignal[] {
  const offset = agent.activation === 'later' ? 2 : 0;
  return segments.slice(offset, offset + 7).map(([key, name, provider, catalogType, about]) => ({
    segmentId: `${agent.slug.replaceAll('-', '_')}_${key}`,
    name,
    description: `${name}: people known for ${about}.`,
    catalogType,
    dataProvider: provider,
    providerDomain: `${provider.toLowerCase().replaceAll(' ', '-')}.market.example`,
    coverage: drawWhole(3, 60, seed, agent.slug, key, 'coverage'),
    cpmMicros:
      catalogType === 'owned' ? 0n : BigInt(drawWhole(50, 400, seed, agent.slug, key, 'cpm')) * 10_000n,
    words: wordsOf(`${name} ${about}`),
  }));
}

/** Signals that fit the request, best first; a request without a match still gets two. */
export function fittingSignals(
  signals: readonly CatalogueSignal[],
  brief: string | undefined,
): readonly CatalogueSignal[] {
  if (brief === undefined) return signals;
  const requested = [...wordsOf(brief)];
  const ranked = signals
    .map((signal) => ({ signal, score: requested.filter((word) => signal.words.has(word)).length }))
    .sort((a, b) => b.score - a.score || draw(a.signal.segmentId) - draw(b.signal.segmentId));
  const relevant = ranked.filter(({ score }) => score > 0);
  return (relevant.length >= 2 ? relevant : ranked.slice(0, 2)).map(({ signal }) => signal);
}
