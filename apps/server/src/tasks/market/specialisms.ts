import type { taskTable } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';

type Row = keyof typeof taskTable;

/**
 * Specialisms that we can pass on, each with the tasks that it takes: rows of the task table, so that one cannot be
 * claimed for a task that is not built. Those of sellers that are not here are nobody's to claim for them.
 */
export const passedOn: Readonly<Record<string, readonly [Row, ...Row[]]>> = {
  'sales-guaranteed': [
    'getProducts',
    'createMediaBuy',
    'getTask',
    'getMediaBuys',
    'syncCreatives',
    'getMediaBuyDelivery',
  ],
  'sales-non-guaranteed': [
    'getProducts',
    'createMediaBuy',
    'updateMediaBuy',
    'getMediaBuys',
    'getMediaBuyDelivery',
  ],
  'sales-proposal-mode': ['getProducts', 'createMediaBuy'],
  'signal-marketplace': ['getSignals', 'activateSignal'],
};

/** What live sellers declare, as far as we pass it on; in order of the alphabet, each once. */
export function specialismsOf(live: readonly Connection[]): readonly string[] {
  const declared = live.flatMap(({ capabilities }) => {
    const listed = capabilities?.original['specialisms'];
    return Array.isArray(listed) ? listed.filter((one) => typeof one === 'string') : [];
  });
  return [...new Set(declared)].filter((one) => Object.hasOwn(passedOn, one)).sort();
}

/** Whether a seller is here that says that it takes refinements: it is asked for its part of them. */
export function canRefine(live: readonly Connection[]): boolean {
  return buyingOf(live).some(({ buying_modes: modes }) => Array.isArray(modes) && modes.includes('refine'));
}

/** Whether a seller is here that says that it makes proposals, finalizes and sells them: we pass all of that on. */
export function canPropose(live: readonly Connection[]): boolean {
  return buyingOf(live).some((buying) => buying['supports_proposals'] === true);
}

function buyingOf(live: readonly Connection[]): readonly Readonly<Record<string, unknown>>[] {
  return live.flatMap(({ capabilities }) => {
    const buying: unknown = capabilities?.original['media_buy'];
    return isObject(buying) ? [buying] : [];
  });
}

/** Channels or countries of the supply, as the sellers' own portfolios name them. */
export function portfolioOf(
  live: readonly Connection[],
  member: 'primary_channels' | 'primary_countries',
): readonly string[] {
  const named = live.flatMap(({ capabilities }) => {
    const buying = capabilities?.original['media_buy'];
    const portfolio = isObject(buying) ? buying['portfolio'] : undefined;
    const listed = isObject(portfolio) ? portfolio[member] : undefined;
    return Array.isArray(listed) ? listed.filter((one): one is string => typeof one === 'string') : [];
  });
  return [...new Set(named)].sort();
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
