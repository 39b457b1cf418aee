import type { Fault } from './fault.js';
import type { PartyName, SellerName } from './hostile-world.js';

const by = (name: string, code: string, party: PartyName, task?: string): Fault => ({
  name,
  code,
  make: ({ honest, world: { parties } }) =>
    honest({ party: parties[party], ...(task === undefined ? {} : { task }) }),
});

/** The delegation ends `ms` milliseconds before the request is sent. */
const late = (name: string, party: PartyName, ms: number): Fault => ({
  name,
  code: 'DELEGATION_EXPIRED',
  isOneAtATime: true,
  make: async ({ honest, world }) => {
    const message = honest({ party: world.parties[party] });
    await world.endAt(world.parties[party], Date.now() - ms);
    return message;
  },
});

const at = (name: string, code: string, seller: SellerName): Fault => ({
  name,
  code,
  make: ({ honest, world: { sellers } }) => honest({ seller: sellers[seller] }),
});

/** All requests that are correct and correctly signed, but not permitted. */
export const delegationFaults: readonly Fault[] = [
  by('nothing delegated', 'DELEGATION_MISSING', 'undelegated'),
  by('delegation revoked', 'DELEGATION_REVOKED', 'revoked'),
  by('task not delegated', 'DELEGATION_TASK_NOT_ALLOWED', 'limited'),
  by('token may not', 'RELAY_TASK_NOT_PERMITTED', 'reader', 'create_media_buy'),
  late('delegation over for a second', 'late-second', 1000),
  late('delegation over for a millisecond', 'late-milli', 1),
  {
    name: 'budget exceeded by one micro',
    code: 'DELEGATION_BUDGET_EXCEEDED',
    make: ({ honest, world: { parties, sellers } }) =>
      honest({ party: parties.spender, seller: sellers.alpha, task: 'create_media_buy', budget: 6000 }),
  },
  {
    name: 'other currency',
    code: 'DELEGATION_CURRENCY_MISMATCH',
    make: ({ honest, world: { parties } }) =>
      honest({ party: parties.spender, task: 'create_media_buy', product: 'EUR' }),
  },
  at('seller switched off', 'RELAY_SELLER_NOT_LIVE', 'asleep'),
  at("another tenant's seller", 'RELAY_SELLER_NOT_FOUND', 'theirs'),
  {
    name: 'unknown seller',
    code: 'RELAY_SELLER_NOT_FOUND',
    make: ({ honest, chance }) => {
      const message = honest();
      const slug = chance.pick(['nobody', 'ALPHA', 'alpha%20', '..%2Falpha', 'alpha:beta', chance.uuid()]);
      return { ...message, path: message.path.replace(/\/relay\/[^/]+/, `/relay/${slug}`) };
    },
  },
  {
    name: 'wrong endpoint',
    code: 'RELAY_DOOR_MISMATCH',
    make: ({ honest }) => {
      const message = honest();
      const path = message.path.endsWith('/mcp')
        ? message.path.replace(/mcp$/, 'a2a')
        : message.path.replace(/a2a$/, 'mcp');
      return { ...message, path };
    },
  },
];
