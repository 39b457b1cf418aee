import type { Signal } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { targetKey, type Activation, type ActivationBook } from './activation.js';
import { countedDown, nextActivation } from './next-activation.js';

/** Signals of one agent, under its own ids. */
export interface SeenSignals {
  readonly connectionId: string;
  readonly signals: readonly Signal[];
}

/**
 * Takes what agents show of their signals: what is live or was asked to be is written down, and every estimate is shown
 * as what is left of it. The lists come back in their order.
 */
export async function seeSignals(
  book: ActivationBook,
  scope: TenantScope,
  seen: readonly SeenSignals[],
  now: Instant,
): Promise<readonly (readonly Signal[])[]> {
  const segments = seen.flatMap(({ connectionId, signals }) =>
    signals.map(({ segmentId }) => ({ connectionId, segmentId })),
  );
  const rows = segments.length === 0 ? [] : await book.of(scope, segments);
  const known = new Map(rows.map((row) => [keyOf(row, targetKey(row.target)), row]));
  const kept = new Map<string, Activation>();
  const shown = seen.map(({ connectionId, signals }) =>
    signals.map((signal) => {
      const segment = { connectionId, segmentId: signal.segmentId };
      const deployments = signal.deployments.map((deployment) => {
        const key = keyOf(segment, targetKey(deployment));
        const before = known.get(key);
        if (!deployment.isLive && before === undefined) return deployment;
        const next = nextActivation(segment, deployment, before, 'look', now);
        if (next.state !== 'off' || before?.state !== 'off') kept.set(key, next);
        return countedDown(deployment, next, now);
      });
      return { ...signal, deployments };
    }),
  );
  if (kept.size > 0) await book.keep(scope, [...kept.values()]);
  return shown;
}

function keyOf(
  { connectionId, segmentId }: Pick<Activation, 'connectionId' | 'segmentId'>,
  target: string,
): string {
  return JSON.stringify([connectionId, segmentId, target]);
}
