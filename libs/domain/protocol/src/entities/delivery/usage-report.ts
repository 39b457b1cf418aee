import type { AccountRef } from '../account/account-ref.js';
import type { RequestExtras } from '../../message/request-extras.js';
import type { TaskError } from '../../errors/task-error.js';

/** What of a vendor's service was used, and what is owed for it (docs/protocol/accounts.md#usage). */
export interface UsageRecord {
  readonly account: AccountRef;
  /** Decimal text, major units of `currency`: owed to the vendor that is told. */
  readonly vendorCost: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly mediaBuyId?: string;
  readonly signalId?: string;
  /** Members that stay as they are, under their names on the wire. */
  readonly rest: Readonly<Record<string, string | number | boolean>>;
  /** Decimal text, as `vendorCost`: the base where the price is a share of it. */
  readonly mediaSpend?: string;
}

export interface ReportUsageRequest extends RequestExtras {
  /** RFC 3339. */
  readonly period: { readonly start: string; readonly end: string };
  readonly records: readonly UsageRecord[];
}

export interface ReportUsageAnswer {
  readonly accepted: number;
  /** Each with the record in its field: `usage[2].vendor_cost`. */
  readonly errors: readonly TaskError[];
}
