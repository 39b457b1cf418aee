import type { ActivationKey, DeploymentTarget } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';

/** `off`: never activated, taken back, or failed (docs/protocol/signals.md#activation). */
export type ActivationState = 'live' | 'activating' | 'off';

/** A signal at its agent: the agent's own id of it. */
export interface SegmentAt {
  readonly connectionId: string;
  readonly segmentId: string;
}

/** How a signal stands at one place, as its agent said it last. */
export interface Activation extends SegmentAt {
  readonly target: DeploymentTarget;
  readonly state: ActivationState;
  /** Only of what is live. No secret, and yet the tenant's own. */
  readonly key?: ActivationKey;
  readonly deployedAt?: string;
  /** Of what is activating: when the agent named a duration, and the moment that it comes to. */
  readonly saidAt?: Instant;
  readonly readyAt?: Instant;
  readonly seenAt: Instant;
  /** Set where this tenant asked for it itself, and did not only see it live. */
  readonly isRequested?: true;
  /** The principal that asked for it last: as this one its agent is asked again, and signed for where it wants that. */
  readonly requestedBy?: string;
  /** When the agent is asked again; only of what is activating. */
  readonly pollAt?: Instant;
  /** What its agent said of it now, and cannot follow: the state before stands, and a person is told. Not kept. */
  readonly refused?: { readonly from: ActivationState; readonly to: ActivationState };
}

/** What an agent says now of what was asked for before was still asked for, and by the same, until it is off. */
export function stillRequested(next: Activation, before: Activation | undefined): Activation {
  if (before?.isRequested !== true || next.state === 'off') return next;
  return {
    ...next,
    isRequested: true,
    ...(before.requestedBy === undefined ? {} : { requestedBy: before.requestedBy }),
  };
}

/** Where activations stand, each tenant's for itself. */
export interface ActivationRepository {
  /**
   * Writes what was made of the rows that were `read`: all of it, or nothing where one of them is not as it was any more,
   * and then false. Without `read`, over whatever stands. An older observation does not replace a newer one, and that it
   * did not is no news. A refused word raises an alarm together with it.
   */
  keep(
    scope: TenantScope,
    activations: readonly Activation[],
    read?: readonly Activation[],
  ): Promise<boolean>;
  /** Writes when each is looked at next, its `pollAt`, and nothing else, as long as it is under way as it was read. */
  putOff(scope: TenantScope, activations: readonly Activation[]): Promise<void>;
  of(scope: TenantScope, segments: readonly SegmentAt[]): Promise<readonly Activation[]>;
  /** Those whose agents are to be asked again, the most overdue first. */
  due(scope: TenantScope, at: Instant, limit: number): Promise<readonly Activation[]>;
  /**
   * Where other tenants have asked for these signals over an account that may be this tenant's as well: one text of a
   * place each, or `*` for all places. Nothing else of the other tenants is told.
   */
  elsewhere(scope: TenantScope, segments: readonly SegmentAt[]): Promise<readonly RequestedElsewhere[]>;
}

export interface RequestedElsewhere extends SegmentAt {
  readonly target: string;
}

/** Whether a row is as it was read; when it is looked at again is no part of what is known of it. */
export function standsAsRead(row: Activation, read: Activation | undefined): boolean {
  return (
    row.seenAt === read?.seenAt &&
    row.state === read.state &&
    row.isRequested === read.isRequested &&
    row.requestedBy === read.requestedBy
  );
}

/** One place as one text. Addresses and names of platforms are the same in any case, and with a slash at their end. */
export function targetKey({ type, platform, agentUrl, account }: DeploymentTarget): string {
  const where = (type === 'agent' ? agentUrl : platform) ?? '';
  return [type, where.replace(/\/+$/, '').toLowerCase(), account ?? ''].join(' ');
}
