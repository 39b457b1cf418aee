import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Begun, OperationDraft } from '@switchyard/buys';
import { readCreative } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { createConnection, createOrganization, makeOperation, openTestStore } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { creativeStore } from './creative-store.js';
import { storeEffects } from './store-effects.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

interface Tenant {
  readonly scope: { readonly organizationId: string };
  readonly connection: Connection;
}

/** A tenant with a connection to one address; to the same address it may be the same account. */
async function tenantAt(agentUrl: string, account?: JsonObject): Promise<Tenant> {
  const { id } = await createOrganization(store);
  const options = { agentUrl, ...(account === undefined ? {} : { account }) };
  const connection = await createConnection(store, id, options as Parameters<typeof createConnection>[2]);
  return { scope: { organizationId: id }, connection };
}

/** A tenant's next request there: a buy, or a sync, with these creatives. */
function bringing({ scope, connection }: Tenant, ids: readonly string[], key?: string): OperationDraft {
  const { slug: seller, id: connectionId } = connection;
  const made = makeOperation(scope, {
    sellers: [seller],
    ...{ connectionIds: { [seller]: connectionId }, principalId: connectionId },
    ...(key === undefined ? {} : { idempotencyKey: key }),
  });
  const legId = made.legs[0]?.id ?? '';
  return {
    ...made,
    creatives: {
      creatives: ids.map((id) => ({
        creative: readCreative({ creative_id: id, name: id, assets: {} }, '3.1'),
        bodyHash: 'h',
      })),
      placements: ids.map((creativeId) => ({ creativeId, connectionId, seller, legId })),
      archived: [],
    },
  };
}

const begin = (tenant: Tenant, draft: OperationDraft): Promise<Begun> =>
  operationStore(store).begin(tenant.scope, draft);
const address = (): string => `https://seller-${randomUUID()}.example/mcp`;
const statesOf = async ({ scope }: Tenant, id: string): Promise<readonly unknown[]> =>
  (await creativeStore(store).byIds(scope, [id])).get(id)?.placements.map(({ status }) => status) ?? [];
const namesOf = async ({ scope }: Tenant, id: string): Promise<readonly unknown[]> =>
  (await creativeStore(store).byIds(scope, [id]))
    .get(id)
    ?.placements.map(({ sellerCreativeId }) => sellerCreativeId) ?? [];

/** The same, with its creatives under another id at the seller; without one, under their own. */
function under(name: string | undefined, draft: OperationDraft): OperationDraft {
  const { creatives } = draft;
  if (creatives === undefined || name === undefined) return draft;
  const placements = creatives.placements.map((placement) => ({ ...placement, sellerCreativeId: name }));
  return { ...draft, creatives: { ...creatives, placements } };
}

describe('creative ids of tenants who share an account', () => {
  it('go to one tenant when two send them first at the same moment', async () => {
    for (let round = 0; round < 12; round += 1) {
      const at = address();
      const [one, other] = [await tenantAt(at), await tenantAt(at)];
      const ids = Array.from({ length: 6 }, (_, index) => `spot-${String(index)}`);
      // In opposite orders, so that a deadlock would be detected.
      const begun = await Promise.all([
        begin(one, bringing(one, ids)),
        begin(other, bringing(other, ids.toReversed())),
      ]);
      const kinds = begun.map(({ kind }) => kind);
      expect([...kinds].sort()).toEqual(['stored', 'taken']);
      const loser = kinds[0] === 'taken' ? one : other;
      expect(begun.find(({ kind }) => kind === 'taken')).toMatchObject({ seller: loser.connection.slug });
      for (const id of ids) expect(await statesOf(loser, id)).toEqual([]);
    }
  }, 60_000);

  it('leave nothing behind if they are taken: no operation, no leg, no claim', async () => {
    const at = address();
    const [one, other] = [await tenantAt(at), await tenantAt(at)];
    await begin(one, bringing(one, ['spot']));
    const draft = bringing(other, ['free', 'spot']);
    expect(await begin(other, draft)).toEqual({
      kind: 'taken',
      creativeId: 'spot',
      seller: other.connection.slug,
    });
    expect(await operationStore(store).state(other.scope, draft.operation.id)).toBeUndefined();
    // Other creatives of the same request stay free.
    expect(await begin(one, bringing(one, ['free']))).toEqual({ kind: 'stored' });
  });

  it('do not conflict with a retry of their own request', async () => {
    const at = address();
    const [one, other] = [await tenantAt(at), await tenantAt(at)];
    const first = bringing(one, ['spot'], 'key-0123456789abcdef');
    expect(await begin(one, first)).toEqual({ kind: 'stored' });
    await begin(other, bringing(other, ['elsewhere']));
    const retry = bringing(one, ['spot', 'elsewhere'], 'key-0123456789abcdef');
    expect(await begin(one, retry)).toMatchObject({ kind: 'exists', operation: { id: first.operation.id } });
  });

  it('do not conflict between different accounts or addresses', async () => {
    const at = address();
    const tenants = [
      await tenantAt(at, { accountId: 'a' }),
      await tenantAt(at, { accountId: 'b' }),
      await tenantAt(address()),
    ];
    const begun = await Promise.all(tenants.map((tenant) => begin(tenant, bringing(tenant, ['spot']))));
    expect(begun.map(({ kind }) => kind)).toEqual(['stored', 'stored', 'stored']);
  });

  it('are free again once their buy has failed, and not before', async () => {
    const at = address();
    const [one, other] = [await tenantAt(at), await tenantAt(at)];
    const draft = bringing(one, ['spot']);
    await begin(one, draft);
    expect(await begin(other, bringing(other, ['spot']))).toMatchObject({ kind: 'taken' });
    await store.inTenant(one.scope, (client) =>
      storeEffects(
        client,
        { placements: [], assignments: [], withdrawnBy: draft.legs[0]?.id ?? '' },
        Date.now(),
      ),
    );
    expect(await statesOf(one, 'spot')).toEqual([]);
    expect(await begin(other, bringing(other, ['spot']))).toEqual({ kind: 'stored' });
  });

  it('stay claimed once the seller has accepted them, even if a later buy with them fails', async () => {
    const at = address();
    const [one, other] = [await tenantAt(at), await tenantAt(at)];
    const first = bringing(one, ['spot']);
    await begin(one, first);
    await sees(one, first, 'approved');
    const second = bringing(one, ['spot']);
    await begin(one, second);
    await store.inTenant(one.scope, (client) =>
      storeEffects(
        client,
        { placements: [], assignments: [], withdrawnBy: second.legs[0]?.id ?? '' },
        Date.now(),
      ),
    );
    expect(await statesOf(one, 'spot')).toEqual(['approved']);
    expect(await begin(other, bringing(other, ['spot']))).toMatchObject({ kind: 'taken' });
  });

  it.each(['failed', 'archived'] as const)(
    'are claimed again by sending what was %s there',
    async (status) => {
      const at = address();
      const [one, other] = [await tenantAt(at), await tenantAt(at)];
      const first = bringing(one, ['spot']);
      await begin(one, first);
      if (status === 'archived') await sees(one, first, 'approved');
      await sees(one, first, status);
      const [, theirs] = [
        await begin(one, bringing(one, ['spot'])),
        await begin(other, bringing(other, ['spot'])),
      ];
      expect(theirs).toMatchObject({ kind: 'taken' });
      expect(await statesOf(one, 'spot')).toEqual(['pending']);
    },
  );

  it('are not claimed again after archiving, once another tenant has them', async () => {
    const at = address();
    const [one, other] = [await tenantAt(at), await tenantAt(at)];
    const first = bringing(one, ['spot']);
    await begin(one, first);
    await sees(one, first, 'approved');
    await sees(one, first, 'archived');
    expect(await begin(other, bringing(other, ['spot']))).toEqual({ kind: 'stored' });
    expect(await begin(one, bringing(one, ['spot']))).toMatchObject({ kind: 'taken' });
  });

  it('are replaced by another id at the seller if they are taken, which the creative keeps', async () => {
    const at = address();
    const [one, other, third] = [await tenantAt(at), await tenantAt(at), await tenantAt(at)];
    await begin(one, bringing(one, ['spot']));
    const draft = under('spot-of-ours', bringing(other, ['spot']));
    expect(await begin(other, draft)).toEqual({ kind: 'stored' });
    expect(await namesOf(other, 'spot')).toEqual(['spot-of-ours']);
    expect(await namesOf(one, 'spot')).toEqual([undefined]);
    for (const taken of ['spot', 'spot-of-ours'])
      expect(await begin(third, bringing(third, [taken]))).toMatchObject({
        kind: 'taken',
        creativeId: taken,
      });
    expect(await begin(third, bringing(third, ['spring']))).toEqual({ kind: 'stored' });
    await sees(other, draft, 'approved');
    expect(await namesOf(other, 'spot')).toEqual(['spot-of-ours']);
    expect(await statesOf(one, 'spot')).toEqual(['pending']);
  });

  it('do not conflict if a creative with the same id here has another id at the seller', async () => {
    const at = address();
    const [one, other] = [await tenantAt(at), await tenantAt(at)];
    await begin(one, under('spot-of-ours', bringing(one, ['spot'])));
    expect(await begin(other, bringing(other, ['spot']))).toEqual({ kind: 'stored' });
  });

  it.each([[undefined, 'spot-of-ours'] as const, ['spot-of-ours', undefined] as const])(
    'stay the ids of creatives at the seller: no change from %s to %s',
    async (first, second) => {
      const one = await tenantAt(address());
      const begun = under(first, bringing(one, ['spot']));
      await begin(one, begun);
      expect(await begin(one, under(second, bringing(one, ['spot'])))).toMatchObject({ kind: 'taken' });
      expect(await begin(one, under(first, bringing(one, ['spot'])))).toEqual({ kind: 'stored' });
      await sees(one, begun, 'approved');
      expect(await begin(one, under(second, bringing(one, ['spot'])))).toMatchObject({ kind: 'taken' });
      expect(await namesOf(one, 'spot')).toEqual([first]);
    },
  );

  it.each(['failed', 'archived'] as const)(
    'are replaced when what was %s there is sent again, and the id was taken meanwhile',
    async (status) => {
      const at = address();
      const [one, other] = [await tenantAt(at), await tenantAt(at)];
      const first = bringing(one, ['spot']);
      await begin(one, first);
      if (status === 'archived') await sees(one, first, 'approved');
      await sees(one, first, status);
      await begin(other, bringing(other, ['spot']));
      expect(await begin(one, under('spot-of-ours', bringing(one, ['spot'])))).toEqual({ kind: 'stored' });
      expect(await namesOf(one, 'spot')).toEqual(['spot-of-ours']);
      expect(await statesOf(one, 'spot')).toEqual(['pending']);
    },
  );
});

/** What the seller says of `spot` in its answer to this request. */
async function sees(
  { scope, connection }: Tenant,
  { operation, legs }: OperationDraft,
  status: 'approved' | 'failed' | 'archived',
): Promise<void> {
  const seen = {
    creativeId: 'spot',
    connectionId: connection.id,
    seller: connection.slug,
    status,
    source: 'inline',
    legId: legs[0]?.id ?? '',
    operationId: operation.id,
    isAccepted: status === 'approved',
  } as const;
  await store.inTenant(scope, (client) =>
    storeEffects(client, { placements: [seen], assignments: [] }, Date.now()),
  );
}
