import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { Leg, OperationStore } from '@switchyard/buys';
import { taskError } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { draftedAt, makeOperation } from '../make-operation.js';
import { at, isDue, oneLeg, see } from './observed-legs.js';
import type { OperationStoreClause } from './operation-store-clause.js';

/** Guarantees of one leg: who may claim it, when it is due, when it waits for a person. */
export const legClauses: readonly OperationStoreClause[] = [
  {
    guarantee: 'one of many claimants of a leg gets it, until the lease ends',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      const taken = await Promise.all(
        Array.from({ length: 8 }, () => store.takeLeg(ours, leg.id, at, at + 100)),
      );
      const got = taken.filter((candidate) => candidate !== undefined);
      assert.equal(got.length, 1);
      assert.equal(got[0]?.status, 'sent');
      assert.equal(got[0].attempts, 1);
      assert.equal(got[0].sentAt, at);
      assert.equal(got[0].outbound, leg.outbound);
      assert.equal(await store.takeLeg(ours, leg.id, at + 99, at + 200), undefined);
      assert.equal((await store.takeLeg(ours, leg.id, at + 100, at + 200))?.attempts, 2);
    },
  },
  {
    guarantee: 'a released leg may be claimed at once, and is due at the given time',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      const taken = await store.takeLeg(ours, leg.id, at, at + 100);
      await store.releaseLeg(ours, taken!, at + 50);
      assert.equal(await isDue(store, ours, leg, at + 49), false);
      assert.equal(await isDue(store, ours, leg, at + 50), true);
      assert.equal((await store.takeLeg(ours, leg.id, at + 1, at + 100))?.attempts, 2);
      assert.equal(await isDue(store, ours, leg, at + 99), false);
      assert.equal(await isDue(store, ours, leg, at + 100), true);
    },
  },
  {
    guarantee:
      'a leg that is released unsent is as it was before it was claimed, and its attempt does not count',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      const first = await store.takeLeg(ours, leg.id, at, at + 100);
      await store.releaseLeg(ours, first!, at + 50, 'unsent');
      const back = await store.leg(ours, leg.id);
      assert.deepEqual([back?.status, back?.attempts, back?.sentAt], ['pending', 0, undefined]);
      assert.equal(await isDue(store, ours, leg, at + 50), true);
      const sent = await store.takeLeg(ours, leg.id, at + 50, at + 100);
      await store.releaseLeg(ours, sent!, at + 60);
      const again = await store.takeLeg(ours, leg.id, at + 60, at + 100);
      assert.equal(again?.attempts, 2);
      await store.releaseLeg(ours, again, at + 70, 'unsent');
      const after = await store.leg(ours, leg.id);
      assert.deepEqual([after?.status, after?.attempts], ['sent', 1]);
      await see(store, ours, leg, 'failed', {});
    },
  },
  {
    guarantee: 'a leg that another process has claimed since is not released by the earlier one',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      const slow = await store.takeLeg(ours, leg.id, at, at + 100);
      await store.takeLeg(ours, leg.id, at + 100, at + 200);
      await store.releaseLeg(ours, slow!, at + 110);
      await store.releaseLeg(ours, leg, at + 110);
      assert.equal(await store.takeLeg(ours, leg.id, at + 110, at + 300), undefined);
      assert.equal(await isDue(store, ours, leg, at + 199), false);
      // A rewritten leg counts its sends from 1 again: its first send belongs to another worker too.
      await reencode(store, ours, leg);
      await store.takeLeg(ours, leg.id, at + 120, at + 400);
      await store.releaseLeg(ours, slow!, at + 130);
      assert.equal(await store.takeLeg(ours, leg.id, at + 130, at + 500), undefined);
    },
  },
  {
    guarantee: 'a leg that its seller has answered cannot be claimed, and is due again when it is polled',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      await store.takeLeg(ours, leg.id, at, at + 100);
      await see(store, ours, leg, 'submitted', { task_id: 't1' });
      assert.equal(await store.takeLeg(ours, leg.id, at + 500, at + 600), undefined);
      const known = await store.leg(ours, leg.id);
      assert.equal(known?.status, 'submitted');
      assert.equal(await isDue(store, ours, leg, known.nextPollAt! - 1), false);
      assert.equal(await isDue(store, ours, leg, known.nextPollAt!), true);
    },
  },
  {
    guarantee:
      'a leg that is reencoded keeps the bytes sent before, and is claimed like an unsent one; its holder loses it',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      await store.takeLeg(ours, leg.id, at, at + 100);
      const { earlier, profile } = await reencode(store, ours, leg);
      const known = await store.leg(ours, leg.id);
      assert.deepEqual(known?.refusedAttempts, [earlier]);
      assert.deepEqual([known.profile, known.attempts, known.sentAt], [profile, 0, undefined]);
      assert.equal(await isDue(store, ours, leg, at + 6), true);
      const taken = await store.takeLeg(ours, leg.id, at + 7, at + 200);
      assert.deepEqual(
        [taken?.outbound, taken?.attempts, taken?.sentAt],
        ['{"adcp_version":"3.0"}', 1, at + 7],
      );
      assert.deepEqual(taken?.refusedAttempts, [earlier]);
      await see(store, ours, leg, 'submitted', {});
      assert.equal((await store.leg(ours, leg.id))?.attempts, 1);
    },
  },
  {
    guarantee: 'a parked leg waits for a person, with the reason; an answered leg is not parked',
    async check({ store, ours }) {
      const leg = await oneLeg(store, ours);
      await store.takeLeg(ours, leg.id, at, at + 100);
      await store.parkLeg(ours, leg.id, 'Nobody can tell.', at + 10);
      const parked = await store.leg(ours, leg.id);
      assert.equal(parked?.status, 'parked');
      assert.deepEqual(parked.findings.at(-1), { code: 'LEG_PARKED', message: 'Nobody can tell.' });
      assert.equal(await isDue(store, ours, leg, at + 1_000_000), false);
      assert.equal(await store.takeLeg(ours, leg.id, at + 1_000_000, at + 1_000_001), undefined);
      await see(store, ours, leg, 'failed', {});
      await store.parkLeg(ours, leg.id, 'Too late.', at + 20);
      assert.equal((await store.leg(ours, leg.id))?.status, 'failed');
    },
  },
  {
    guarantee:
      'due legs are returned oldest first, no more than requested, and without those at excepted sellers',
    async check({ store, ours }) {
      // Long before everything else here, so that clauses that share a database do not interfere.
      const long = draftedAt - 1_000_000;
      const drafts = [300, 100, 200].map((age) =>
        makeOperation(ours, { sellers: ['acme'], createdAt: long + age }),
      );
      for (const draft of drafts) await store.begin(ours, draft);
      const wanted = [drafts[1]!, drafts[2]!, drafts[0]!].map((draft) => draft.legs[0]!.id);
      const due = await store.dueLegs(ours, long + 300, 10);
      assert.deepEqual(
        due.map(({ id }) => id),
        wanted,
      );
      assert.equal((await store.dueLegs(ours, long + 300, 2)).length, 2);
      assert.equal((await store.dueLegs(ours, long + 99, 10)).length, 0);
      const elsewhere = await store.dueLegs(ours, long + 300, 10, [due[0]!.connectionId]);
      assert.deepEqual(
        elsewhere.map(({ id }) => id),
        due.filter((leg) => leg.connectionId !== due[0]!.connectionId).map(({ id }) => id),
      );
      for (const draft of drafts) await see(store, ours, draft.legs[0]!, 'failed', {});
    },
  },
];

/** Has the store rewrite a leg, as for a seller that no longer speaks its release. */
async function reencode(store: OperationStore, scope: TenantScope, leg: Leg) {
  const earlier = {
    id: randomUUID(),
    profile: leg.profile,
    outbound: leg.outbound,
    sentAt: at,
    answeredAt: at + 5,
    answer: { errors: [{ code: 'VERSION_UNSUPPORTED' }] },
    errors: [taskError('VERSION_UNSUPPORTED', 'Not any longer.')],
    unsigned: true as const,
  };
  const profile = { dialect: 'adcp' as const, form: '3.0' as const };
  await store.change(scope, leg.id, (state) => ({
    ...state,
    operation: { ...state.operation, updatedAt: at + 6 },
    legs: state.legs.map((current) => {
      const { sentAt: _before, ...kept } = current;
      const reset = { status: 'pending' as const, attempts: 0, nextPollAt: at + 6 };
      return { ...kept, ...reset, profile, outbound: '{"adcp_version":"3.0"}', refusedAttempts: [earlier] };
    }),
  }));
  return { earlier, profile };
}
