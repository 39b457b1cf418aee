import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { alarmRepository, limitChecks, openStore, operationStore, spendingLimits } from '@switchyard/store';
import { createScope, makeOperation, openTestStore, testClock } from '@switchyard/testing';
import { checkLimits } from './check-limits.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const clock = testClock(Date.UTC(2026, 10, 10));
const deps = { limitChecks: limitChecks(store), alarms: alarmRepository(store, clock) };

/** An organization with a limit, whose buy of 5 has 3 booked. */
async function booked() {
  const scope = await createScope(store);
  const createdAt = clock.now();
  await spendingLimits(store).set(
    scope,
    {
      ...{ id: randomUUID(), kind: 'organization', key: '', amount: 10n, currency: 'USD', above: 'refuse' },
      createdAt,
    },
    randomUUID(),
  );
  const made = makeOperation(scope, { sellers: ['acme'], createdAt });
  const parts = made.legs.map(({ id }) => ({ legId: id, seller: 'acme', amount: 5n, currency: 'USD' }));
  await operationStore(store).begin(scope, { ...made, spend: { parts, quotes: [] } });
  await store.inTenant(scope, (client) =>
    client.query(
      `insert into package_spend (organization_id, seller_buy_id, package_ref, month, currency, media_buy_id, seller,
         amount_micros, days) values ($1, $2, 'p1', '2026-11', 'USD', $3, 'acme', 3, '{3}')`,
      [scope.organizationId, made.sellerBuys[0]?.id, made.buy.id],
    ),
  );
  return scope;
}

describe('the hourly check of limits', () => {
  it('raises an alarm for a limit that counts less than is booked, and for no other', async () => {
    const [right, wrong] = [await booked(), await booked()];
    await store.inTenant(wrong, (client) => client.query('update spend_commitment set amount_micros = 2'));
    await checkLimits(deps);
    expect(await deps.alarms.list(right, {})).toEqual([]);
    expect(await deps.alarms.list(wrong, {})).toMatchObject([
      {
        kind: 'limit_below_booked',
        count: 1,
        detail: {
          limit: 'organization',
          currency: 'USD',
          committed: '0',
          pending: '0.000002',
          booked: '0.000003',
        },
      },
    ]);
  });

  it('looks again at a limit that is wrong, and only at organizations whose commitments changed', async () => {
    const wrong = await booked();
    await store.inTenant(wrong, (client) => client.query('update spend_commitment set amount_micros = 2'));
    await checkLimits(deps);
    expect(await deps.limitChecks.organizations()).toContain(wrong.organizationId);
    await store.inTenant(wrong, (client) => client.query('update spend_commitment set amount_micros = 5'));
    await checkLimits(deps);
    expect(await deps.limitChecks.organizations()).not.toContain(wrong.organizationId);
  });
});
