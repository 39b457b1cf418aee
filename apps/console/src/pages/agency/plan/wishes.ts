import { decimal, micros, moneyText } from '../../../parts/money.js';
import type { Offer } from './offers.js';
import { typedAmount } from './typed-amount.js';

/** Channels by name, as people say them. */
export const channelNames: Readonly<Record<string, string>> = {
  olv: 'Online video',
  ctv: 'Connected TV',
  streaming_audio: 'Streaming audio',
  dooh: 'Digital out of home',
  ooh: 'Out of home',
};

/** What a brief asks for that an offer can be held against. */
export interface Wish {
  /** The same for the same wish, in any brief. */
  readonly key: string;
  /** 1 to 4 words. */
  readonly name: string;
  /** Whether an offer meets it; undefined where the offer says nothing about it. */
  readonly isMetBy: (offer: Offer) => boolean | undefined;
}

/** Channels by the words of a brief, and the channels of an offer that meet them. */
const channelWords: readonly (readonly [name: string, asked: RegExp, meets: RegExp])[] = [
  ['Connected TV', /\b(connected tv|ctv|streaming tv)\b/i, /ctv|connected|tv/i],
  ['Video', /\bvideos?\b/i, /video|olv|ctv|tv/i],
  ['Audio', /\b(audio|radio|podcasts?)\b/i, /audio|radio|podcast/i],
  ['Display', /\b(display|banners?)\b/i, /display/i],
  ['Out of home', /\b(out[- ]of[- ]home|d?ooh|billboards?)\b/i, /ooh/i],
];

/** Codes that people write in place of a name. Other codes are words too: "it", "in", "no". */
const writtenCodes: Readonly<Record<string, string>> = { US: 'US', USA: 'US', UK: 'GB', GB: 'GB', UAE: 'AE' };

/** Names of countries in English with their codes (ISO 3166-1 alpha-2), as the browser knows them. */
const countries: readonly (readonly [name: string, code: string])[] = (() => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
  return letters.flatMap((first) =>
    letters.flatMap((second) => {
      const code = first + second;
      const name = names.of(code);
      // An old code is canonicalized to the one that took its place; others are regions that are no countries.
      const isOld = new Intl.Locale(`und-${code}`).region !== code;
      return name === undefined || isOld || /^(EU|EZ|UN|XA|XB|QO|ZZ)$/.test(code)
        ? []
        : [[name, code] as const];
    }),
  );
})();

function countriesIn(brief: string): readonly string[] {
  const words = ` ${brief.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `;
  const found = new Set<string>();
  for (const [name, code] of countries) if (words.includes(` ${name} `)) found.add(code);
  for (const [written, code] of Object.entries(writtenCodes))
    if (words.includes(` ${written} `)) found.add(code);
  return [...found];
}

/** An amount with its currency, such as 22,000 USD or EUR 5.000. */
function moneyIn(brief: string): { readonly amount: string; readonly currency: string } | undefined {
  const found = /(\d[\d.,'’ ]*)\s?([A-Z]{3})\b|\b([A-Z]{3})\s?(\d[\d.,'’]*)/.exec(brief);
  const amount = typedAmount((found?.[1] ?? found?.[4] ?? '').trim().replace(/[.,]$/, ''));
  const currency = found?.[2] ?? found?.[3];
  return amount === undefined || currency === undefined ? undefined : { amount, currency };
}

/**
 * The wishes of a brief: channels, countries, and the money with its currency. `budget` is the amount that
 * was typed beside it, as decimal text; empty if none was. Days are not among them: offers do not say which are free.
 */
export function wishesIn(brief: string, budget: string): readonly Wish[] {
  const money = moneyIn(brief);
  const amount = micros(budget) ?? micros(money?.amount ?? '');
  const channels = channelWords.filter(([, asked]) => asked.test(brief));
  return [
    ...channels
      // "Connected TV" is video too: who names both means both.
      .map(([name, , meets]): Wish => ({
        key: name.toLowerCase(),
        name,
        isMetBy: ({ channels: own }) => (own.length === 0 ? undefined : meets.test(own.join(' '))),
      })),
    ...countriesIn(brief).map((code): Wish => ({
      key: code,
      name: code,
      isMetBy: ({ countries: own }) => (own.length === 0 ? undefined : own.includes(code)),
    })),
    ...moneyWish(amount, money?.currency),
  ];
}

/** The currency, and that the least spend is within the money; either may be missing. */
function moneyWish(amount: bigint | undefined, asked: string | undefined): readonly Wish[] {
  const known = amount !== undefined && amount > 0n ? amount : undefined;
  if (known === undefined && asked === undefined) return [];
  return [
    {
      key: 'money',
      name: [known === undefined ? '' : moneyText(decimal(known)), asked ?? ''].join(' ').trim(),
      isMetBy: ({ currency, minimum }) =>
        (asked === undefined || currency === asked) &&
        (known === undefined || minimum === '' || (micros(minimum) ?? 0n) <= known),
    },
  ];
}

/** How an offer meets the wishes: several channels are one wish, of which any meets it. */
export interface Match {
  /** Wishes that it meets, of those that it says something about. */
  readonly met: number;
  readonly of: number;
  /** The names of those that it does not meet. */
  readonly missed: readonly string[];
}

/** Holds an offer against wishes. */
export function matchOf(offer: Offer, wishes: readonly Wish[]): Match {
  const isChannel = ({ key }: Wish): boolean => channelWords.some(([name]) => name.toLowerCase() === key);
  const channels = wishes.filter(isChannel);
  const one: readonly Wish[] =
    channels.length < 2
      ? channels
      : [
          {
            key: 'channel',
            name: channels.map(({ name }) => name).join(' or '),
            isMetBy: (given) => {
              const each = channels.map(({ isMetBy }) => isMetBy(given));
              return each.includes(true) || (each.includes(false) ? false : undefined);
            },
          },
        ];
  const judged = [...one, ...wishes.filter((wish) => !isChannel(wish))].flatMap(({ name, isMetBy }) => {
    const isMet = isMetBy(offer);
    return isMet === undefined ? [] : [{ name, isMet }];
  });
  return {
    met: judged.filter(({ isMet }) => isMet).length,
    of: judged.length,
    missed: judged.filter(({ isMet }) => !isMet).map(({ name }) => name),
  };
}

/** From 0 to 1; nothing to hold it against is 0. */
export const shareOf = ({ met, of }: Match): number => (of === 0 ? 0 : met / of);
