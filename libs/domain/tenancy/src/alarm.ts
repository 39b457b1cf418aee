import type { Instant, PageRead } from '@switchyard/values';
import type { ListSort, TimeFilter } from './list-filter.js';
import type { TenantScope } from './scope.js';

/** The kinds of alarms. The metrics count alarms by kind. */
export const alarmKinds = [
  'account_held',
  'capability_drift',
  'content_failed',
  'content_standards_changed',
  'creative_stopped',
  'credential_echoed',
  'credential_fell_back',
  'emergency_stop',
  'figures_differ',
  'illegal_transition',
  'jwks_uri_changed',
  'keyids_surge',
  'leg_without_outcome',
  'limit_below_booked',
  'list_changed',
  'published_test_key',
  'publisher_withdrew',
  'rate_abuse',
  'rights_ending',
  'rights_revoked',
  'revocations_unreadable',
  'scorecard_breach',
  'seller_check_failed',
  'sign_in_ended',
  'spend_beyond_budget',
  'threshold_tuning_overdue',
  'webhook_mode_mismatch',
] as const;

export type AlarmKind = (typeof alarmKinds)[number];

/** An alarm for a person to check. `detail` holds text for that person and never a secret. */
export interface AlarmToRaise {
  readonly kind: AlarmKind;
  /** The object of the alarm, always spelled the same: alarms of one kind and subject are counted on one row. */
  readonly subject: string;
  readonly detail: Readonly<Record<string, string | number>>;
}

export interface Alarm extends AlarmToRaise {
  /** UUID. */
  readonly id: string;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  /** How often the alarm was raised. */
  readonly count: number;
  readonly acknowledged?: { readonly at: Instant; readonly by: string; readonly reason: string };
}

/** Selects alarms for a list; the first 500 if no limit is set. */
interface AlarmFilter extends TimeFilter, Partial<PageRead> {
  readonly isOpen?: boolean;
  readonly kind?: AlarmKind;
  readonly sort?: ListSort;
}

/**
 * The port that `adapters/store` implements. Methods reject when the database cannot be reached. An open alarm that is
 * raised again is only counted. An acknowledged alarm stays quiet for a day if its detail is unchanged.
 */
export interface AlarmRepository {
  raise(scope: TenantScope, alarm: AlarmToRaise): Promise<'raised' | 'counted' | 'quiet'>;
  /** Ends the open alarm of a cause that is over, without a person; `reason` says what is well again. */
  end(scope: TenantScope, alarm: Pick<AlarmToRaise, 'kind' | 'subject'>, reason: string): Promise<void>;
  /** By time of the last occurrence, newest first unless the filter sets another order; the key is `[lastAt, id]`. */
  list(scope: TenantScope, filter: AlarmFilter): Promise<readonly Alarm[]>;
  find(scope: TenantScope, id: string): Promise<Alarm | undefined>;
  /** Returns false if the alarm does not exist or is already acknowledged. */
  acknowledge(scope: TenantScope, id: string, by: string, reason: string): Promise<boolean>;
}
