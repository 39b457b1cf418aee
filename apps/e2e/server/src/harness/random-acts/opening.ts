import type { Act } from './stage.js';

const limit = (by: string, of: string, amount: number, above: 'ask' | 'refuse'): Act => ({
  ...{ act: 'set limit', by, for: of, per: '', amount, currency: 'USD', above },
});

/** A program that has asked for everything, in the name of somebody who may do everything. */
const program = (by: string, as: string): Act => ({
  ...{ act: 'consent', by, as, limit: 16_000 },
  scope: 'read write ledger:write people:write sellers:write',
});

/** The first acts of every walk: limits that few buys reach, and programs of those who may most. */
export const opening: readonly Act[] = [
  limit('head-one', 'campaign:campaign2', 4_000, 'refuse'),
  limit('head-one', 'campaign:campaign4', 6_000, 'ask'),
  limit('head-one', 'client:client1', 16_000, 'refuse'),
  limit('head-one', 'brand:free0.example', 8_000, 'refuse'),
  limit('head-two', 'organization', 16_000, 'refuse'),
  limit('head-two', 'campaign:campaign2', 3_000, 'refuse'),
  program('head-one', 'program-one'),
  program('head-two', 'program-two'),
];
