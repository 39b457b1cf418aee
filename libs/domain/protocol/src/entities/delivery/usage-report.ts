import type { AccountRef } from '../account/account-ref.js';
import type { RequestExtras } from '../../message/request-extras.js';
import type { TaskError } from '../../errors/task-error.js';

/** Usage of a vendor's service, and the amount owed for it (docs/protocol/accounts.md#usage). */
export interface UsageRecord {
  readonly account: AccountRef;
  /** Decimal text in major units of `currency`: owed to the vendor that gets the report. */
  readonly vendorCost: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly mediaBuyId?: string;
  readonly signalId?: string;
  /** Other members, unchanged, under their names on the wire. */
  readonly rest: Readonly<Record<string, string | number | boolean>>;
  /** Decimal text like `vendorCost`: the base of a price that is a share of the spend. */
  readonly mediaSpend?: string;
}

export interface ReportUsageRequest extends RequestExtras {
  /** RFC 3339. */
  readonly period: { readonly start: string; readonly end: string };
  readonly records: readonly UsageRecord[];
}

export interface ReportUsageAnswer {
  readonly accepted: number;
  /** Each names its record in `field`: `usage[2].vendor_cost`. */
  readonly errors: readonly TaskError[];
}
