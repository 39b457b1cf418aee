import type { Personality } from '../personalities.js';
import { draw, drawWhole, pick } from '../seeded.js';
import { wordsOf } from '../agent/words.js';

export type Channel = Personality['channels'][number];

export interface Pricing {
  readonly id: string;
  readonly model: 'cpm' | 'cpm-auction';
  /** Micros per thousand impressions, in whole thousandths of the unit, so that one impression has a whole price. */
  readonly priceMicros: bigint;
  readonly minSpendMicros: bigint;
}

export interface CatalogueProduct {
  readonly productId: string;
  readonly name: string;
  readonly description: string;
  readonly channel: Channel;
  readonly formatIds: readonly string[];
  readonly publisherDomain: string;
  readonly guaranteed: boolean;
  /** Custom products are not shown to callers without credentials. */
  readonly custom: boolean;
  readonly pricing: readonly Pricing[];
  readonly words: ReadonlySet<string>;
}

const topics: readonly (readonly [topic: string, words: string])[] = [
  ['Sports', 'sport football basketball tennis running fans outdoor'],
  ['News', 'news politics current affairs business morning'],
  ['Cooking', 'food cooking recipe kitchen coffee drink grocery dinner'],
  ['Travel', 'travel holiday hotel flight city summer outdoor'],
  ['Motoring', 'car cars electric vehicle driving auto mobility'],
  ['Gaming', 'game gaming esports console young players'],
  ['Family', 'family parents children home school shopping'],
  ['Finance', 'finance money bank invest insurance business'],
  ['Music', 'music concert festival artist podcast young'],
  ['Technology', 'technology phone computer software gadgets business'],
];

const channelWords: Readonly<Record<Channel, readonly [label: string, words: string]>> = {
  display: ['Display', 'display banner web native'],
  olv: ['Online Video', 'video online preroll clip'],
  ctv: ['Connected TV', 'ctv tv television video streaming connected'],
  streaming_audio: ['Audio', 'audio radio podcast streaming music'],
};

export const channelFormats: Readonly<Record<Channel, readonly string[]>> = {
  display: ['display_300x250', 'display_728x90'],
  olv: ['video_15s', 'video_30s'],
  ctv: ['video_15s', 'video_30s'],
  streaming_audio: ['audio_30s'],
};

/** Cents per thousand impressions, by channel. */
const priceRange: Readonly<Record<Channel, readonly [least: number, most: number]>> = {
  display: [180, 900],
  olv: [900, 2200],
  ctv: [2200, 4200],
  streaming_audio: [800, 1800],
};

/** The products of a sales agent: eight, which depend only on the seed and the agent's name. */
export function catalogueOf(seed: string, seller: Personality): readonly CatalogueProduct[] {
  const first = drawWhole(0, topics.length - 1, seed, seller.slug, 'topic');
  return Array.from({ length: 8 }, (_, index) => productOf(seed, seller, index, first));
}

function productOf(seed: string, seller: Personality, index: number, first: number): CatalogueProduct {
  const [topic, topicWords] = topics[(first + index) % topics.length] ?? ['Everything', 'everything'];
  const channel = seller.channels[index % seller.channels.length] ?? 'display';
  const [label, words] = channelWords[channel];
  const flavour = pick(['Premium', 'Prime', 'Select', 'Core'], seed, seller.slug, index, 'flavour');
  const name = `${flavour} ${topic} ${label}`;
  const guaranteed = seller.pricing !== 'auction' && draw(seed, seller.slug, index, 'guaranteed') < 0.4;
  const ways = guaranteed ? waysToBuy.fixed : waysToBuy[seller.pricing];
  const description = `${label} placements around ${topic.toLowerCase()} on ${seller.name}: ${topicWords}.`;
  return {
    productId: `${channel}_${topic.toLowerCase()}`,
    name,
    description,
    channel,
    formatIds: channelFormats[channel],
    publisherDomain: `${seller.slug}.market.example`,
    guaranteed,
    custom: index === 7,
    pricing: ways.map((isAuction) => pricingOf(seed, seller, channel, index, isAuction)),
    words: wordsOf(`${name} ${topicWords} ${words}`),
  };
}

/** Whether each price of a product is a floor. */
const waysToBuy: Readonly<Record<Personality['pricing'], readonly boolean[]>> = {
  fixed: [false],
  auction: [true],
  both: [false, true],
};

function pricingOf(
  seed: string,
  seller: Personality,
  channel: Channel,
  index: number,
  auction: boolean,
): Pricing {
  const [least, most] = priceRange[channel];
  const cents = drawWhole(least, most, seed, seller.slug, index, 'price');
  return {
    id: `${auction ? 'bid' : 'fixed'}_${seller.currency.toLowerCase()}`,
    model: auction ? 'cpm-auction' : 'cpm',
    priceMicros: BigInt(auction ? Math.floor(cents / 2) : cents) * 10_000n,
    minSpendMicros: BigInt(drawWhole(1, 5, seed, seller.slug, index, 'minimum')) * 100_000_000n,
  };
}

/** The products whose words occur in the brief, best first; a brief without a match still gets three. */
export function matching(
  products: readonly CatalogueProduct[],
  brief: string | undefined,
): readonly CatalogueProduct[] {
  if (brief === undefined) return products;
  const requested = [...wordsOf(brief)];
  const scored = products.map((product) => ({
    product,
    score: requested.filter((word) => product.words.has(word)).length,
  }));
  const ranked = scored.sort((a, b) => b.score - a.score);
  const relevant = ranked.filter(({ score }) => score > 0);
  return (relevant.length >= 3 ? relevant : ranked.slice(0, 3)).map(({ product }) => product);
}
