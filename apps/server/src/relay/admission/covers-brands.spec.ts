import { describe, expect, it } from '@jest/globals';
import type { OperationDraft } from '@switchyard/buys';
import { createMediaBuy } from '@switchyard/protocol';
import { usualPermissions, type Grant } from '@switchyard/tenancy';
import { defined, type JsonObject } from '@switchyard/values';
import type { SealedCallIn } from '../relay.js';
import { coversBrands } from './covers-brands.js';
import type { RelayDeps } from '../relay-deps.js';

/** Brands that are entered, with their clients. */
const clients: Readonly<Record<string, string>> = { 'acme.example': 'c1', 'bolt.example': 'c2' };

async function covers(
  args: JsonObject,
  more: {
    readonly placed?: object;
    readonly isEntered?: boolean;
    readonly grants?: readonly Grant[];
  } = {},
) {
  const lookedUp: string[] = [];
  const known = (_scope: unknown, { brand }: { readonly brand: { readonly domain: string } }) => {
    lookedUp.push(brand.domain);
    const clientId = clients[brand.domain];
    const rows = clientId === undefined ? [] : [{ brandId: '', clientId, id: clientId, name: clientId }];
    return Promise.resolve({ brands: rows, clients: rows, campaigns: [], rules: [] });
  };
  const caller = {
    ...{ organizationId: 'o1', principalId: 'p1', brandDomain: 'bolt.example' },
    ...{ permissions: usualPermissions.brand, grants: more.grants },
  };
  const done = await coversBrands(
    { campaigns: { known } } as unknown as RelayDeps,
    { caller: defined(caller) } as unknown as SealedCallIn,
    { spec: createMediaBuy, args } as Parameters<typeof coversBrands>[2],
    {
      draft: { operation: more.placed ?? {}, legs: [] } as unknown as OperationDraft,
      ...defined({ isEntered: more.isEntered }),
    },
  );
  return { done, lookedUp };
}

const account = (domain: string) => ({ brand: { domain }, operator: 'agency.example' });

describe('a sealed change', () => {
  it('for the brand of its own agent is covered, and nothing is looked up', async () => {
    const args = { brand: { domain: 'BOLT.example' }, account: account('bolt.example') };
    expect(await covers(args, { placed: { brandDomain: 'bolt.example', clientId: 'c2' } })).toEqual({
      done: true,
      lookedUp: [],
    });
  });

  it.each([
    [{ brand: { domain: 'ACME.example' } }],
    [{ brand: { domain: 'bolt.example' }, account: account('acme.example') }],
  ])('that names a brand of another client is not covered: %j', async (args) => {
    expect((await covers(args)).done).toBe(false);
  });

  it('of a buy for a brand of another client is not covered', async () => {
    expect((await covers({}, { placed: { brandDomain: 'acme.example', clientId: 'c1' } })).done).toBe(false);
  });

  it('for a brand that nobody entered, or with a role on the brand, is covered', async () => {
    expect((await covers({ brand: { domain: 'new.example' } })).done).toBe(true);
    // Placing its buy has looked for the brand already.
    const placed = { brandDomain: 'new.example' };
    expect(await covers({}, { placed, isEntered: false })).toEqual({ done: true, lookedUp: [] });
    const permissions = { media_buys: ['write'] } as const;
    const grants = [{ role: 'trader', permissions, scope: { kind: 'client', id: 'c1' } }] as const;
    expect((await covers({ brand: { domain: 'acme.example' } }, { grants })).done).toBe(true);
  });
});
