import type { PackageUpdate } from '@switchyard/protocol';
import type { BuyPackage } from './operation.js';

/**
 * The state of a package at its seller. Its buy stays active with every package paused or canceled
 * (docs/protocol/media-buys.md#states).
 */
export type PackageState = 'active' | 'paused' | 'canceled';

/** Allowed next states (docs/protocol/media-buys.md#states). A cancellation cannot be undone. */
const next: Readonly<Record<PackageState, readonly PackageState[]>> = {
  active: ['paused', 'canceled'],
  paused: ['active', 'canceled'],
  canceled: [],
};

/** Whether one state may follow another directly. */
export function isPackageMove(from: PackageState, to: PackageState): boolean {
  return next[from].includes(to);
}

export function packageState({
  paused,
  canceledAt,
}: Pick<BuyPackage, 'paused' | 'canceledAt'>): PackageState {
  if (canceledAt !== undefined) return 'canceled';
  return paused === true ? 'paused' : 'active';
}

/** The state that a change leads to, and whether it is allowed: a canceled package cannot be changed. */
export function judgePackageMove(
  from: PackageState,
  update: Pick<PackageUpdate, 'canceled' | 'paused'>,
): { readonly verdict: 'taken' | 'repeated' | 'refused'; readonly to: PackageState } {
  const to = targetOf(from, update);
  if (from === 'canceled') return { verdict: update.canceled === true ? 'repeated' : 'refused', to };
  return { verdict: to === from || isPackageMove(from, to) ? 'taken' : 'refused', to };
}

function targetOf(
  from: PackageState,
  { canceled, paused }: Pick<PackageUpdate, 'canceled' | 'paused'>,
): PackageState {
  if (canceled === true) return 'canceled';
  if (paused === undefined) return from === 'canceled' ? 'active' : from;
  return paused ? 'paused' : 'active';
}
