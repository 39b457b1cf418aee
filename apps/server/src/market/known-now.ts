import { gatherRead, showSignals, type OperationState } from '@switchyard/buys';
import type { Offer, WayTo } from '@switchyard/fanout';
import { getSignals, type Signal } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';
import { waysBehind } from './ways-to-supply.js';

/** Current facts for a stored read, beside the sellers' answers. */
export interface KnownNow {
  /** What publishers say about the ways to their supply. */
  readonly wayTo?: WayTo;
  /** The current states of signals; absent if they are as their agents sent them. */
  readonly signals?: readonly Offer<Signal>[];
}

/** Reads the current facts for a stored read's answer; empty for an operation that is no read. */
export async function knownNow(
  deps: Pick<HandlerDeps, 'publishers' | 'ports'>,
  scope: TenantScope,
  state: OperationState,
): Promise<KnownNow> {
  const [wayTo, signals] = await Promise.all([
    waysBehind(deps, scope, state),
    signalsNow(deps, scope, state),
  ]);
  return { ...(wayTo === undefined ? {} : { wayTo }), ...(signals === undefined ? {} : { signals }) };
}

async function signalsNow(
  { ports: { activations, clock } }: Pick<HandlerDeps, 'ports'>,
  scope: TenantScope,
  state: OperationState,
): Promise<readonly Offer<Signal>[] | undefined> {
  if (activations === undefined || state.operation.task !== getSignals.name) return undefined;
  const { legs } = gatherRead(state, getSignals, { count: () => 0, goesOn: () => false });
  const connectionOf = new Map(state.legs.map(({ seller, connectionId }) => [seller, connectionId]));
  const seen = legs.map(({ seller, answer }) => ({
    connectionId: connectionOf.get(seller) ?? '',
    signals: answer?.signals ?? [],
  }));
  const shown = await showSignals(activations, scope, seen, clock.now());
  return legs.map(({ seller }, at) => ({ seller, items: shown[at] ?? [] }));
}
