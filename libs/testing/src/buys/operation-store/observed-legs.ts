import { applyObservation, type Leg, type LegObservation, type OperationStore } from '@switchyard/buys';
import type { TaskStatus } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { draftedAt, makeOperation } from '../make-operation.js';

/** Time of all observations: a second after the draft. */
export const at = draftedAt + 1_000;

/** A new leg at one seller, not claimed yet. */
export async function oneLeg(store: OperationStore, scope: TenantScope): Promise<Leg> {
  const draft = makeOperation(scope, { sellers: ['acme'] });
  await store.begin(scope, draft);
  return draft.legs[0]!;
}

/** True if that leg is due. */
export async function isDue(
  store: OperationStore,
  scope: TenantScope,
  leg: Leg,
  now: number,
): Promise<boolean> {
  return (await store.dueLegs(scope, now, 10_000)).some(({ id }) => id === leg.id);
}

/** Has the store observe this state of that leg. */
export async function see(
  store: OperationStore,
  scope: TenantScope,
  leg: Leg,
  status: TaskStatus,
  payload: LegObservation['reply']['payload'],
): Promise<void> {
  const reply = { status, payload, replayed: false, errors: [] };
  await store.change(scope, leg.id, (state) =>
    applyObservation(state, leg.id, { source: 'inline', at, reply }),
  );
}

/** A seller's answer with its new buy, packages in our order. */
export function completed(leg: Leg, mediaBuyId: string): LegObservation {
  const packages = [0, 1].map((index) => ({ package_id: `${leg.seller}-p${index}`, product_id: 'ctv' }));
  const payload = { media_buy_id: mediaBuyId, media_buy_status: 'active', confirmed_at: null, packages };
  return {
    source: 'inline',
    at,
    elapsedMs: 12,
    reply: { status: 'completed', payload, replayed: false, errors: [] },
  };
}
