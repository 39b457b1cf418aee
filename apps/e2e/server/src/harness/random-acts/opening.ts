import type { Act } from './stage.js';

const limit = (by: string, of: string, amount: number, above: 'ask' | 'refuse'): Act => ({
  ...{ act: 'set limit', by, for: of, per: '', amount, currency: 'USD', above },
});

/** A program that has asked for everything, in the name of somebody who may do everything. */
const program = (by: string, as: string): Act => ({
  ...{ act: 'consent', by, as, limit: 16_000 },
  scope: 'read write ledger:write people:write sellers:write',
});

const brand = 'brand0-two.example';
/** A buy of 2,000 that its seller has begun. */
const buy = (as: string, campaign: string): Act => ({
  ...{ act: 'create buy', by: 'head-two', as, brand, campaign },
  ...{ sellers: 'prompt', budget: 2_000, days: 3, creatives: true },
});
const move = (bought: string, to: string): Act => ({
  ...{ act: 'move buy', by: 'head-two', buy: bought, to, out: false },
});

/**
 * The first acts of every walk: limits that few buys reach, programs of those who may most, and the shortest ways to pass
 * a limit. The labels of what they make are below those of drawn acts, which go on counting from the number of these.
 */
export const opening: readonly Act[] = [
  limit('head-one', 'campaign:campaign2', 4_000, 'refuse'),
  limit('head-one', 'campaign:campaign4', 6_000, 'ask'),
  limit('head-one', 'client:client1', 16_000, 'refuse'),
  limit('head-one', 'brand:free0.example', 8_000, 'refuse'),
  limit('head-two', 'organization', 16_000, 'refuse'),
  limit('head-two', 'campaign:campaign1', 3_000, 'refuse'),
  limit('head-two', 'campaign:campaign2', 3_000, 'refuse'),
  program('head-one', 'program-one'),
  program('head-two', 'program-two'),
  // What a canceled buy may still cost leaves no room for the next one.
  buy('n0', 'campaign1'),
  { act: 'cancel buy', by: 'head-two', buy: 'n0' },
  buy('n1', 'campaign1'),
  // What is bought elsewhere and moved counts where it moves to.
  buy('n2', ''),
  buy('n3', ''),
  move('n2', 'campaign2'),
  move('n3', 'campaign2'),
  // A program grants nobody a role, whatever it was let do.
  {
    ...{ act: 'grant role', by: 'program-two', as: 'n4', to: 'agent-two1' },
    ...{ role: 'viewer', scope: 'organization' },
  },
];
