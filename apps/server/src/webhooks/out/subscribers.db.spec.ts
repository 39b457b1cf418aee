import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { accountScope, type PlacementSeen } from '@switchyard/buys';
import { readCreative, type CreativeStatus, type Subscriber } from '@switchyard/protocol';
import { accountRepository, creativeStore, operationStore, subscriberStore } from '@switchyard/store';
import { createPrincipal, makeOperation, PublishedJudge } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { subscribe, type Subscriptions } from '../../platform/tasks/operation/subscriptions.js';
import { useOutboxStage } from '../testkit/outbox-stage.js';
import { askReceiver } from './ask-receiver.js';
import { subscriberLane } from './tell-subscribers.js';

const stage = useOutboxStage();
const judge = new PublishedJudge(expect.getState().testPath ?? '');
afterAll(() => judge.close());

const profile = { dialect: 'adcp', form: '3.1', release: '3.2-beta.5' } as const;
let version = 'v1';

/** The parts that the task has, with the stage's keys and sockets. */
function parts() {
  const { store, parts: deps, clock } = stage.spec;
  const subscriptions: Subscriptions = {
    store: subscriberStore(store),
    ask: (...question) => askReceiver(deps, ...question),
    capabilitiesVersion: () => Promise.resolve(version),
  };
  const ports = { clock, ids: { uuid: randomUUID }, callbackBase: () => 'https://us.example' };
  const refuseCallback = () => Promise.resolve(undefined);
  return { ports, refuseCallback, subscriptions };
}

/** Declares a set as the task does, and stores it. Returns what happened, or the place of the fault. */
async function declare(
  wanted: readonly Partial<Subscriber>[],
  accountId?: string,
  principalId = stage.spec.principalId,
) {
  const deps = parts();
  const { scope, clock } = stage.spec;
  const all = await deps.subscriptions.store.of(scope, principalId);
  const whole = wanted.map((one) => ({
    ...{ subscriberId: 'cache', url: `${stage.receiver.url}/told`, active: true },
    eventTypes: [accountId === undefined ? 'capabilities.changed' : 'account.status_changed'],
    ...one,
  }));
  const found = await subscribe(deps, {
    ...{ scope, principalId, profile, wanted: whole, place: '', operationId: randomUUID() },
    known: all.filter((one) => one.accountId === accountId),
    ...(accountId === undefined ? {} : { accountId }),
  });
  if (!found.ok) return found.error.map(({ field }) => field);
  await deps.subscriptions.store.replace(scope, principalId, [found.value.set], clock.now());
  return found.value.action;
}

/** A receiver that proves that it is its owner's. */
const proves = (): void => {
  stage.receiver.answer = ({ json }) => ({
    status: 200,
    body: JSON.stringify({ challenge: json['challenge'] }),
  });
};
const told = (): readonly JsonObject[] =>
  stage.receiver.posts.map(({ json }) => json).filter(({ type }) => type === undefined);
const lookNow = () => {
  const { subscriptions } = parts();
  const lane = subscriberLane(
    { ...subscriptions, agentUrl: () => 'https://us.example/mcp' },
    stage.spec.clock,
  );
  return lane.visit(stage.spec.scope, new AbortController().signal);
};
const faultsOfAll = (): readonly string[] =>
  stage.receiver.posts.flatMap(({ json: body }) =>
    judge.faultsOf({
      kind: 'message',
      where: JSON.stringify(body),
      message: { kind: 'webhook', task: '', form: '3.2-beta.5', body },
    }),
  );

describe('a subscriber of this agent', () => {
  it('is told of each version once, signed, however many processes look at the same moment', async () => {
    proves();
    expect(await declare([{}])).toBe('updated');
    await lookNow();
    await stage.spec.send(stage.dispatch);
    expect(told()).toEqual([]);
    version = 'v2';
    await Promise.all([lookNow(), lookNow(), lookNow()]);
    await stage.spec.send(stage.dispatch);
    await stage.spec.send(stage.dispatch);
    expect(told()).toMatchObject([
      { notification_type: 'capabilities.changed', subscriber_id: 'cache', capabilities_version: 'v2' },
    ]);
    const verdicts = await Promise.all(
      stage.receiver.posts.map((post) => stage.spec.verify(post, stage.receiver)),
    );
    expect(verdicts).toEqual(['verified', 'verified']);
    expect(faultsOfAll()).toEqual([]);
  });

  it('stays as it was if one of a new set does not prove its address, and is asked nothing if nothing changes', async () => {
    proves();
    await declare([{ subscriberId: 'a' }]);
    expect(await declare([{ subscriberId: 'a' }])).toBe('unchanged');
    expect(stage.receiver.posts).toHaveLength(1);
    for (const body of [undefined, '{"challenge":"another"}', '[]', '{"challenge":1}', '{'])
      for (const status of [200, 500]) {
        stage.receiver.answer = () => ({ status, ...(body === undefined ? {} : { body }) });
        expect(await declare([{ subscriberId: 'a' }, { subscriberId: 'b' }])).toEqual([
          'notification_configs[1].url',
        ]);
      }
    const kept = await parts().subscriptions.store.of(stage.spec.scope, stage.spec.principalId);
    expect(kept.map(({ subscriberId }) => subscriberId)).toEqual(['a']);
  });

  it('is told nothing while it is paused, nor after it was taken back, and never of what another caller declares', async () => {
    proves();
    const other = await createPrincipal(stage.spec.store, stage.spec.scope.organizationId);
    await declare([{ subscriberId: 'theirs' }], undefined, other.id);
    await declare([{ subscriberId: 'paused', active: false }, { subscriberId: 'gone' }]);
    version = `v${randomUUID()}`;
    await lookNow();
    await declare([{ subscriberId: 'paused', active: false }]);
    await stage.spec.send(stage.dispatch);
    expect(told().map(({ subscriber_id: id }) => id)).toEqual(['theirs']);
    await declare([], undefined, other.id);
  });
});

describe('a subscriber of an account', () => {
  it('is told of each change of its status, the closing last, and nobody of another account is', async () => {
    proves();
    const { store, scope, principalId, clock } = stage.spec;
    const accounts = accountRepository(store);
    const [id, other] = [randomUUID(), randomUUID()];
    const pair = { brandId: '', operator: 'agency.example', isSandbox: false };
    const open = [
      { id, brandDomain: 'one.example', ...pair },
      { id: other, brandDomain: 'two.example', ...pair },
    ];
    await accounts.apply(scope, principalId, { open, close: [] }, clock.now());
    await declare([{ subscriberId: 'one' }], id);
    await declare([{ subscriberId: 'two' }], other);
    await accounts.hold(scope, id, { to: 'payment_required', reason: 'unpaid' }, clock.now());
    // A change of what is no longer so tells nobody.
    expect(await accounts.hold(scope, id, { to: 'suspended', reason: 'late' }, clock.now())).toBe(false);
    await accounts.hold(scope, id, { from: 'payment_required', reason: 'paid' }, clock.now());
    await accounts.apply(scope, principalId, { open: [], close: [id] }, clock.now());
    for (let round = 0; round < 4; round += 1) await stage.spec.send(stage.dispatch);
    const seen = told().map((event) => [event['subscriber_id'], event['previous_status'], event['status']]);
    expect(seen).toEqual([
      ['one', 'active', 'payment_required'],
      ['one', 'payment_required', 'active'],
      ['one', 'active', 'closed'],
    ]);
    const left = await parts().subscriptions.store.of(scope, principalId);
    expect(left.filter(({ accountId }) => accountId === id)).toEqual([]);
    expect(faultsOfAll()).toEqual([]);
  });

  it('is told what a seller decides about a creative of the account, in words of the release, and not what its buyer did', async () => {
    proves();
    const { store, scope, principalId, clock } = stage.spec;
    const [id, other] = [randomUUID(), randomUUID()];
    const pair = { brandId: '', operator: 'agency.example', isSandbox: false };
    const open = [
      { id, brandDomain: 'three.example', ...pair },
      { id: other, brandDomain: 'four.example', ...pair },
    ];
    await accountRepository(store).apply(scope, principalId, { open, close: [] }, clock.now());
    const eventTypes = ['creative.status_changed'];
    await declare([{ subscriberId: 'three', eventTypes }], id);
    await declare([{ subscriberId: 'four', eventTypes }], other);
    const connectionId = randomUUID();
    const creativeId = `spot-${connectionId}`;
    const made = makeOperation(scope, {
      ...{ principalId, sellers: ['acme'], connectionIds: { acme: connectionId }, createdAt: clock.now() },
    });
    const account = { brandDomain: 'three.example', brandId: '', operator: 'agency.example' };
    const creative = readCreative({ creative_id: creativeId, name: 'Spot', assets: {} }, '3.1');
    const placed = { creativeId, connectionId, seller: 'acme' };
    await operationStore(store).begin(scope, {
      ...made,
      budget: { scope: accountScope(principalId, account), ceilings: [] },
      creatives: {
        creatives: [{ creative, bodyHash: 'h' }],
        placements: [{ ...placed, legId: made.legs[0]!.id }],
        archived: [],
      },
    });
    const library = creativeStore(store);
    const says = async (status: CreativeStatus, more: Partial<PlacementSeen> = {}) => {
      clock.advance(1_000);
      const seen = { ...placed, source: 'webhook', isAccepted: true, status, ...more } as const;
      await library.observe(scope, [seen], clock.now());
    };
    await says('pending_review', { source: 'inline' });
    await says('approved');
    await says('suspended');
    await says('approved', { source: 'poll' });
    await says('suspended', { reasonCode: 'source_private' });
    await says('rejected', { reasonCode: 'a word of nobody' });
    await says('approved');
    for (let round = 0; round < 6; round += 1) await stage.spec.send(stage.dispatch);
    const seen = told().map(({ subscriber_id: who, creative_id: which, transition, reason_code: why }) => {
      const { from, to } = transition as JsonObject;
      return [who, which, from, to, why];
    });
    expect(seen).toEqual([
      ['three', creativeId, 'pending_review', 'approved', 'review_passed'],
      // The suspension without a reason of the release is not told: none would be true.
      ['three', creativeId, 'suspended', 'approved', 'review_passed'],
      ['three', creativeId, 'approved', 'suspended', 'source_private'],
      ['three', creativeId, 'suspended', 'rejected', 'policy_revocation'],
    ]);
    expect(faultsOfAll()).toEqual([]);
  });
});
