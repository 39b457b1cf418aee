import type { Instant, PageRead } from '@switchyard/values';
import type { ListSort, TimeFilter } from './list-filter.js';
import type { TenantScope } from './scope.js';

/** What alarms are raised for. A new kind is one more name here: figures are counted by it. */
export const alarmKinds = [
  'credential_echoed',
  'emergency_stop',
  'figures_differ',
  'illegal_transition',
  'jwks_uri_changed',
  'keyids_surge',
  'leg_without_outcome',
  'published_test_key',
  'rate_abuse',
  'revocations_unreadable',
  'spend_beyond_budget',
  'threshold_tuning_overdue',
  'webhook_mode_mismatch',
] as const;

export type AlarmKind = (typeof alarmKinds)[number];

/** What a person should look at. `detail` holds words for that person and never a secret. */
export interface AlarmToRaise {
  readonly kind: AlarmKind;
  /** What it is about, spelled the same each time: the same kind and subject are counted on one row. */
  readonly subject: string;
  readonly detail: Readonly<Record<string, string | number>>;
}

export interface Alarm extends AlarmToRaise {
  /** UUID. */
  readonly id: string;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  /** How often it happened. */
  readonly count: number;
  readonly acknowledged?: { readonly at: Instant; readonly by: string; readonly reason: string };
}

/** Which alarms a list shows; the first 500 unless it says how many. */
export interface AlarmFilter extends TimeFilter, Partial<PageRead> {
  readonly isOpen?: boolean;
  readonly kind?: AlarmKind;
  readonly sort?: ListSort;
}

/**
 * The port that `adapters/store` implements. Methods reject when the database cannot be reached.
 *
 * Raising is cheap to repeat: what is open is counted, and what a person acknowledged stays quiet for a day if it
 * says the same as then.
 */
export interface AlarmRepository {
  raise(scope: TenantScope, alarm: AlarmToRaise): Promise<'raised' | 'counted' | 'quiet'>;
  /** By when it last happened, newest first unless the filter says otherwise; the key is `[lastAt, id]`. */
  list(scope: TenantScope, filter: AlarmFilter): Promise<readonly Alarm[]>;
  find(scope: TenantScope, id: string): Promise<Alarm | undefined>;
  /** False when there is no such alarm, or somebody was there first. */
  acknowledge(scope: TenantScope, id: string, by: string, reason: string): Promise<boolean>;
}
