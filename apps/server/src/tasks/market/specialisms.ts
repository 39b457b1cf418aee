import type { taskTable } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';

type Row = keyof typeof taskTable;

/**
 * Specialisms that we can forward, each with the tasks it needs: rows of the task table, so that none can be claimed
 * for a task that is not built. Only specialisms of connected sellers are claimed.
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

/** What live sellers declare, as far as we forward it; in alphabetical order, each once. */
export function specialismsOf(live: readonly Connection[]): readonly string[] {
  const declared = live.flatMap(({ capabilities }) => {
    const listed = capabilities?.original['specialisms'];
    return Array.isArray(listed) ? listed.filter((one) => typeof one === 'string') : [];
  });
  return [...new Set(declared)].filter((one) => Object.hasOwn(passedOn, one)).sort();
}

/** Whether a live seller declares that it accepts refinements: it gets its part of them. */
export function canRefine(live: readonly Connection[]): boolean {
  return buyingOf(live).some(({ buying_modes: modes }) => Array.isArray(modes) && modes.includes('refine'));
}

/** Whether a live seller declares that it makes, finalizes and sells proposals: we forward all of that. */
export function canPropose(live: readonly Connection[]): boolean {
  return buyingOf(live).some((buying) => buying['supports_proposals'] === true);
}

function buyingOf(live: readonly Connection[]): readonly Readonly<Record<string, unknown>>[] {
  return live.flatMap(({ capabilities }) => {
    const buying: unknown = capabilities?.original['media_buy'];
    return isObject(buying) ? [buying] : [];
  });
}

/** Channels or countries of the supply, from the sellers' own portfolios. */
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
