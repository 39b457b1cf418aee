import { activateSignal } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { applyAndExplain, type Applied, withOwnRows } from '../apply/apply-observation.js';
import { type LegObservation, isSettled } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import { alreadyActivated, asActivated } from '../signals/already-activated.js';
import { isMarketRead } from '../apply/market-read.js';
import { relearnRefused, withRepeatSuggestion } from './relearn-refused.js';
import { recordLateAnswer } from './record-late-answer.js';
import { recordActivations } from '../signals/record-activations.js';

/**
 * Applies an observation to the stored operation under its lock, and notifies a person where one is needed.
 * Undefined when the leg is not this tenant's.
 */
export async function storeObservation(
  ports: ObservingPorts,
  scope: TenantScope,
  leg: Pick<Leg, 'id' | 'connectionId' | 'seller' | 'task'> & Partial<Pick<Leg, 'sealed'>>,
  update: LegObservation,
): Promise<Applied | undefined> {
  const seen = await recordReply(ports, scope, leg, withRepeatSuggestion(leg, update));
  const received = (await isAnothersBuy(ports, scope, leg, seen)) ? unusable(seen) : seen;
  const applied: { kind: Applied['kind'] } = { kind: 'stale' };
  const state = await ports.store.change(scope, leg.id, (before) => {
    const after = applyAndExplain(before, leg.id, received);
    applied.kind = after.kind;
    return after.state;
  });
  if (state === undefined) return undefined;
  const message = logged[applied.kind];
  if (message !== undefined) ports.notice({ ...message, seller: leg.seller, legId: leg.id });
  if (applied.kind === 'changed') {
    const refused = state.legs.find(({ id }) => id === leg.id);
    const relearned = refused === undefined ? undefined : relearnRefused(ports, scope, refused, update);
    // A webhook does not wait for this: other webhooks are queued behind it.
    if (update.source !== 'webhook') await relearned;
  }
  return { state, kind: applied.kind };
}

type ObservingPorts = Pick<BuysPorts, 'store' | 'notice' | 'activations'> &
  Partial<Pick<BuysPorts, 'relearn' | 'learnReports' | 'connections'>>;

const logged: Readonly<Partial<Record<Applied['kind'], { code: string; message: string }>>> = {
  conflict: {
    code: 'TERMINAL_CONFLICT',
    message: 'A second, different result was reported. The first one counts.',
  },
  parked: { code: 'LEG_PARKED', message: 'The seller reports success, but its answer cannot be used.' },
};

/**
 * Stores what a reply says beside the operation: the state of a signal, and the result of a late read. A
 * signal that is already active is not a failure of the leg, from any channel.
 */
async function recordReply(
  ports: Pick<BuysPorts, 'store' | 'activations'>,
  scope: TenantScope,
  { id, task }: Pick<Leg, 'id' | 'task'>,
  update: LegObservation,
): Promise<LegObservation> {
  // Most replies only concern their own leg, which is read under the lock that changes it.
  if (!isMarketRead(task) && task !== activateSignal.name) return update;
  const leg = await ports.store.leg(scope, id);
  if (leg === undefined || isSettled(leg)) return update;
  if (isMarketRead(leg.task)) return recordLateAnswer(ports, scope, leg, update);
  const own = withOwnRows(leg, update);
  const standing = alreadyActivated(leg, own.reply);
  const seen = standing === undefined ? own : { ...own, reply: asActivated(leg, own.reply, standing, []) };
  if (ports.activations !== undefined) {
    const state = await ports.store.state(scope, leg.operationId);
    await recordActivations(ports.activations, scope, leg, {
      ...seen,
      requestedBy: state?.operation.principalId,
    });
  }
  return seen;
}

/**
 * Whether the buy that a seller names belongs to another leg, or to another tenant that shares the account: one buy
 * cannot be the outcome of two requests, and a seller that uses the buyer's reference as key mixes up tenants.
 */
async function isAnothersBuy(
  { store }: Pick<BuysPorts, 'store'>,
  scope: TenantScope,
  leg: Pick<Leg, 'id' | 'connectionId'>,
  { reply }: LegObservation,
): Promise<boolean> {
  const named = reply.status === 'completed' ? reply.payload['media_buy_id'] : undefined;
  if (typeof named !== 'string') return false;
  const { elsewhere, own } = await store.holdersOf(scope, leg.connectionId, named);
  if (elsewhere === 'taken') return true;
  if (own === undefined || own.legId === leg.id) return false;
  // A change names the buy that another leg created: the buy it was sent for.
  return (await store.leg(scope, leg.id))?.sellerBuyId !== own.id;
}

/** Removes a payload about another leg's buy: without it the leg waits for a person. */
function unusable(seen: LegObservation): LegObservation {
  return { ...seen, reply: { ...seen.reply, payload: {} } };
}
