import type { Deployment, Signal } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, type Instant } from '@switchyard/values';
import {
  stillRequested,
  targetKey,
  type Activation,
  type ActivationRepository,
} from '../model/activation.js';
import { applyActivations } from './record-activations.js';
import { countedDown, nextActivation } from './next-activation.js';

/** Signals of one agent, under its own ids. */
export interface ReportedSignals {
  readonly connectionId: string;
  readonly signals: readonly Signal[];
}

/** All shown segments, in order. */
export function segmentsOf(
  seen: readonly ReportedSignals[],
): readonly { readonly connectionId: string; readonly segmentId: string }[] {
  return seen.flatMap(({ connectionId, signals }) =>
    signals.map(({ segmentId }) => ({ connectionId, segmentId })),
  );
}

/**
 * Applies the signals that agents show: live and requested activations are stored, and estimates are shown as
 * the time left. Activations that another tenant requested over the same account, and this one did not, are
 * neither stored nor shown: the signal is not live for this tenant. The order of the lists is kept.
 */
export async function applyReportedSignals(
  repository: ActivationRepository,
  scope: TenantScope,
  seen: readonly ReportedSignals[],
  now: Instant,
): Promise<readonly (readonly Signal[])[]> {
  const segments = segmentsOf(seen);
  const others = segments.length === 0 ? [] : await repository.elsewhere(scope, segments);
  const taken = new Set(others.map((activation) => keyOf(activation, activation.target)));
  return applyActivations(repository, scope, segments, (rows) => {
    const known = new Map(rows.map((row) => [keyOf(row, targetKey(row.target)), row]));
    const stored = new Map<string, Activation>();
    const shown = seen.map(({ connectionId, signals }) =>
      signals.map((signal) => {
        const segment = { connectionId, segmentId: signal.segmentId };
        const deployments = signal.deployments.map((deployment) => {
          const key = keyOf(segment, targetKey(deployment));
          const before = known.get(key);
          const belongsToAnother = taken.has(key) || taken.has(keyOf(segment, '*'));
          if (belongsToAnother && (before === undefined || before.state === 'off'))
            return notLive(deployment);
          if (!deployment.isLive && before === undefined) return deployment;
          const next = nextActivation(segment, deployment, { known: before, requested: 'poll', at: now });
          const own = stillRequested(next, before);
          if (next.state !== 'off' || before?.state !== 'off') stored.set(key, own);
          return countedDown(deployment, next, now);
        });
        return { ...signal, deployments };
      }),
    );
    return { rows: [...stored.values()], made: shown };
  });
}

function notLive({ type, platform, agentUrl, account }: Deployment): Deployment {
  return {
    type,
    isLive: false,
    ...defined({ platform, agentUrl, account }),
  };
}

function keyOf(
  { connectionId, segmentId }: Pick<Activation, 'connectionId' | 'segmentId'>,
  target: string,
): string {
  return JSON.stringify([connectionId, segmentId, target]);
}
