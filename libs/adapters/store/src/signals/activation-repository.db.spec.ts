import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  activationRepositoryContract,
  createConnection,
  createOrganization,
  createScope,
  makeOperation,
  openTestStore,
  testClock,
  untilWaitedFor,
} from '@switchyard/testing';
import { targetKey, type Activation, type ActivationRepository } from '@switchyard/buys';
import type { Connection } from '@switchyard/sellers';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { alarmRepository } from '../signing/alarm-repository.js';
import { activationRepository } from './activation-repository.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

describe('the activation repository, on PostgreSQL', () => {
  for (const { guarantee, check } of activationRepositoryContract)
    it(`promises that ${guarantee}`, async () => {
      const [mine, other] = [await createOrganization(store), await createOrganization(store)];
      await check({
        book: activationRepository(store),
        ours: { organizationId: mine.id },
        theirs: { organizationId: other.id },
      });
    });
});

describe('a row that did not exist when it was read', () => {
  it('is not overwritten if another process writes it first, and nothing else of the transaction is stored', async () => {
    const scope = await createScope(store);
    const repository = activationRepository(store);
    const activation: Activation = {
      connectionId: randomUUID(),
      segmentId: 'coffee',
      target: { type: 'platform', platform: 'dsp' },
      state: 'live',
      observedAt: Date.parse('2027-03-01T10:00:00Z'),
    };
    const other = { ...activation, segmentId: 'tea' };
    let stored: Promise<boolean> | undefined;
    await store.inTenant(scope, async (client) => {
      await client.query(
        `insert into signal_activation
           (organization_id, connection_id, segment_id, target_key, target, state, observed_at, is_requested)
         values ($1, $2, 'coffee', $3, $4, 'live', $5, true)`,
        [
          scope.organizationId,
          activation.connectionId,
          targetKey(activation.target),
          JSON.stringify(activation.target),
          new Date(activation.observedAt),
        ],
      );
      stored = repository.store(scope, [activation, other], []);
      await untilWaitedFor(client);
    });
    expect(await stored).toBe(false);
    expect(await repository.of(scope, [activation, other])).toEqual([{ ...activation, isRequested: true }]);
  });
});

describe('activations of another tenant over one account', () => {
  const observedAt = Date.parse('2027-03-01T10:00:00Z');
  const target = { type: 'platform', platform: 'DSP' } as const;

  /** Two tenants with a connection each to one address. */
  async function two(mine: Partial<Connection> = {}, their: Partial<Connection> = {}) {
    const agentUrl = `https://data-${String(Math.random()).slice(2)}.example/mcp`;
    const [own, other] = [await createOrganization(store), await createOrganization(store)];
    const at = await createConnection(store, own.id, { agentUrl, ...mine });
    const theirAt = await createConnection(store, other.id, { agentUrl, ...their });
    const [ours, theirs] = [{ organizationId: own.id }, { organizationId: other.id }];
    const row: Activation = {
      connectionId: theirAt.id,
      segmentId: 'coffee',
      target,
      state: 'live',
      isRequested: true,
      observedAt,
    };
    const reported = () =>
      activationRepository(store).elsewhere(ours, [{ connectionId: at.id, segmentId: 'coffee' }]);
    return {
      ours,
      theirs,
      at,
      theirAt,
      row,
      reported,
      keep: (...rows: Parameters<ActivationRepository['store']>) =>
        activationRepository(store).store(...rows),
    };
  }

  it('are reported per deployment while active, and not if they were only observed', async () => {
    const { theirs, at, row, reported, keep } = await two();
    expect(await reported()).toEqual([]);
    const { isRequested: _notAsked, ...seen } = row;
    await keep(theirs, [seen]);
    expect(await reported()).toEqual([]);
    await keep(theirs, [{ ...row, state: 'activating' }]);
    expect(await reported()).toEqual([{ connectionId: at.id, segmentId: 'coffee', target: 'platform dsp ' }]);
    await keep(theirs, [{ ...row, state: 'off' }]);
    expect(await reported()).toEqual([]);
  });

  it('are reported for every deployment while they are requested', async () => {
    const { theirs, at, theirAt, reported } = await two();
    const made = makeOperation(theirs, {
      sellers: [theirAt.slug],
      connectionIds: { [theirAt.slug]: theirAt.id },
    });
    const outbound = JSON.stringify({ signal_agent_segment_id: 'coffee' });
    const legs = made.legs.map((leg) => ({ ...leg, task: 'activate_signal', outbound }));
    await operationStore(store).begin(theirs, { ...made, legs, sellerBuys: [], packages: [] });
    expect(await reported()).toEqual([{ connectionId: at.id, segmentId: 'coffee', target: '*' }]);
  });

  it('are not reported if both name different accounts, and are if one names none', async () => {
    const account = (accountId: string): Partial<Connection> => ({ account: { accountId } });
    const apart = await two(account('a'), account('b'));
    await apart.keep(apart.theirs, [apart.row]);
    expect(await apart.reported()).toEqual([]);
    for (const [mine, their] of [
      [account('a'), account('a')],
      [account('a'), {}],
      [{}, account('b')],
    ] as const) {
      const together = await two(mine, their);
      await together.keep(together.theirs, [together.row]);
      expect(await together.reported()).toHaveLength(1);
    }
  });

  it("are not visible over another tenant's connection", async () => {
    const { ours, theirs, theirAt, row, keep } = await two();
    await keep(theirs, [row]);
    const requested = [{ connectionId: theirAt.id, segmentId: 'coffee' }];
    expect(await activationRepository(store).elsewhere(ours, requested)).toEqual([]);
  });
});

describe('a state that cannot follow the stored one', () => {
  it('raises an alarm with the stored row, and does not change it', async () => {
    const scope = await createScope(store);
    const observedAt = Date.parse('2027-03-01T10:00:00Z');
    const connectionId = (await createConnection(store, scope.organizationId)).id;
    const live: Activation = {
      connectionId,
      segmentId: 'coffee',
      target: { type: 'platform', platform: 'dsp' },
      state: 'live',
      observedAt,
    };
    await activationRepository(store).store(scope, [{ ...live, refused: { from: 'live', to: 'live' } }]);
    expect(await activationRepository(store).of(scope, [live])).toEqual([live]);
    expect(await alarmRepository(store, testClock(observedAt)).list(scope, {})).toMatchObject([
      {
        kind: 'illegal_transition',
        subject: `signal ${connectionId} coffee platform dsp `,
        detail: { signal: 'coffee', from: 'live', to: 'live' },
      },
    ]);
  });
});
