import type { ActivationKey, DeploymentTarget } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { withoutEndSlashes, type Instant } from '@switchyard/values';

/** `off`: never activated, deactivated, or failed (docs/protocol/signals.md#activation). */
export type ActivationState = 'live' | 'activating' | 'off';

/** A signal at its agent, by the agent's own id. */
export interface SegmentAt {
  readonly connectionId: string;
  readonly segmentId: string;
}

/** The state of a signal at one destination, as its agent last reported it. */
export interface Activation extends SegmentAt {
  readonly target: DeploymentTarget;
  readonly state: ActivationState;
  /** Only for a live signal. Not secret, but visible to this tenant only. */
  readonly key?: ActivationKey;
  readonly deployedAt?: string;
  /** While activating: when the agent sent its estimate, and the time it results in. */
  readonly estimatedAt?: Instant;
  readonly readyAt?: Instant;
  readonly observedAt: Instant;
  /** Set where this tenant requested the activation, and did not only see it live. */
  readonly isRequested?: true;
  /** The principal that requested it last: the agent is polled, and requests are signed, as this principal. */
  readonly requestedBy?: string;
  /** Time of the next poll; only while activating. */
  readonly nextPollAt?: Instant;
  /** A refused transition in the latest report: the state stays, and a person is notified. Not stored. */
  readonly refused?: { readonly from: ActivationState; readonly to: ActivationState };
}

/** Carries over the request and its principal to a newer report, until the signal is off. */
export function stillRequested(next: Activation, before: Activation | undefined): Activation {
  if (before?.isRequested !== true || next.state === 'off') return next;
  return {
    ...next,
    isRequested: true,
    ...(before.requestedBy === undefined ? {} : { requestedBy: before.requestedBy }),
  };
}

/** Stores the activations of each tenant. */
export interface ActivationRepository {
  /**
   * Stores rows computed from `read`: all, or none and false where one of them has changed since. Without
   * `read`, replaces whatever is stored. An older observation does not replace a newer one, and this is not
   * an error. A refused transition raises an alarm in the same write.
   */
  store(
    scope: TenantScope,
    activations: readonly Activation[],
    read?: readonly Activation[],
  ): Promise<boolean>;
  /** Sets only `nextPollAt` of each, as long as it is activating as it was read. */
  postpone(scope: TenantScope, activations: readonly Activation[]): Promise<void>;
  of(scope: TenantScope, segments: readonly SegmentAt[]): Promise<readonly Activation[]>;
  /** Activations that are due for a poll, the most overdue first. */
  due(scope: TenantScope, at: Instant, limit: number): Promise<readonly Activation[]>;
  /**
   * Destinations at which other tenants requested these signals over an account that may be shared: one key
   * per destination, or `*` for all. Nothing else of other tenants is returned.
   */
  elsewhere(scope: TenantScope, segments: readonly SegmentAt[]): Promise<readonly RequestedElsewhere[]>;
}

export interface RequestedElsewhere extends SegmentAt {
  readonly target: string;
}

/** Whether a row is as it was read; the time of the next poll is not compared. */
export function isUnchanged(row: Activation, read: Activation | undefined): boolean {
  return (
    row.observedAt === read?.observedAt &&
    row.state === read.state &&
    row.isRequested === read.isRequested &&
    row.requestedBy === read.requestedBy
  );
}

/** The key of a destination. Addresses and platform names are compared without case and trailing slashes. */
export function targetKey({ type, platform, agentUrl, account }: DeploymentTarget): string {
  const where = (type === 'agent' ? agentUrl : platform) ?? '';
  return [type, withoutEndSlashes(where).toLowerCase(), account ?? ''].join(' ');
}
