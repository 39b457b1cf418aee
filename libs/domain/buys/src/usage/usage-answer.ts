import { reportUsage as task, taskError, type ReportUsageAnswer, type TaskError } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { BuyerAccount } from '../model/buyer-account.js';
import { isSettled } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import type { BilledElsewhere } from '../model/ports.js';
import type { Connection } from '@switchyard/sellers';
import type { RoutedUsage } from './route-usage.js';

/** The plan stored with the operation: the vendor and account of each record, and the refused records. */
export function planOf(groups: readonly VendorRecords[], refused: readonly TaskError[]): JsonObject {
  return {
    vendors: groups.map(({ connection, records }) => ({
      seller: connection.slug,
      records: records.map(({ at, account }) => ({
        at,
        brand_domain: account.brandDomain,
        brand_id: account.brandId,
        operator: account.operator,
      })),
    })),
    refused: refused.map((record) => ({ ...record })),
  };
}

interface PlannedRecord extends BuyerAccount {
  readonly at: number;
}

/** The answer over all vendors: the number of accepted records, and the errors of the others by position. */
export function usageAnswer(state: OperationState): ReportUsageAnswer {
  const refused = listAt(state.operation.plan, 'refused') as unknown as readonly TaskError[];
  const parts = state.legs.map((leg) => answerOf(leg, recordsOf(state, leg)));
  const errors = [...refused, ...parts.flatMap((part) => part.errors)];
  return {
    accepted: parts.reduce((sum, part) => sum + part.accepted, 0),
    errors: errors.toSorted((one, other) => placeIn(one) - placeIn(other)),
  };
}

/** The accounts that a vendor reports as billed elsewhere. */
export function billedElsewhereBy(state: OperationState): readonly BilledElsewhere[] {
  return state.legs.flatMap((leg) => {
    const records = recordsOf(state, leg);
    const places = new Set(
      answerOf(leg, records)
        .errors.filter((error) => error.code === 'BILLING_OUT_OF_BAND')
        .map(placeIn),
    );
    return records
      .filter(({ at }) => places.has(at))
      .map(({ brandDomain, brandId, operator }) => ({
        connectionId: leg.connectionId,
        brandDomain,
        brandId,
        operator,
      }));
  });
}

function answerOf(leg: Leg, records: readonly PlannedRecord[]): ReportUsageAnswer {
  const forAll = (reported: readonly TaskError[]): ReportUsageAnswer => ({
    accepted: 0,
    errors: records.flatMap(({ at }) =>
      reported.map((error) => ({
        ...error,
        field: `usage[${at}]`,
        details: { ...error.details, seller: leg.seller },
      })),
    ),
  });
  if (!isSettled(leg)) return forAll([notKnown(leg.seller)]);
  const read = leg.status === 'completed' ? task.readAnswer(leg.answer ?? {}, leg.profile) : undefined;
  if (read?.ok !== true) return forAll(leg.errors.length > 0 ? leg.errors : [notKnown(leg.seller)]);
  const { accepted, errors } = read.value.answer;
  // A vendor counts its own rows; it cannot have accepted more than it was sent.
  return {
    accepted: Math.min(accepted, records.length),
    errors: errors.map((error) => translated(error, leg.seller, records)),
  };
}

/** The vendor numbers its own records from 0: the position is converted to that of the caller's request. */
function translated(error: TaskError, seller: string, records: readonly PlannedRecord[]): TaskError {
  const { field, ...rest } = error;
  const match = field === undefined ? null : /^usage\[(\d+)\](.*)$/.exec(field);
  const record = match === null ? undefined : records[Number(match[1])];
  const place = record === undefined ? {} : { field: `usage[${record.at}]${match?.[2] ?? ''}` };
  return { ...rest, ...place, details: { ...error.details, seller } };
}

function notKnown(seller: string): TaskError {
  return taskError('SERVICE_UNAVAILABLE', `The vendor ${seller} has not said yet whether it took this.`, {
    suggestion: 'Repeat the same request under the same key; a new key would report it twice.',
    retryAfter: 30,
  });
}

function recordsOf({ operation }: OperationState, { seller }: Leg): readonly PlannedRecord[] {
  const vendors = listAt(operation.plan, 'vendors').filter(isJsonObject);
  const own = vendors.find((vendor) => vendor['seller'] === seller);
  return listAt(own, 'records')
    .filter(isJsonObject)
    .map((row) => ({
      at: Number(row['at']),
      brandDomain: textOf(row['brand_domain']),
      brandId: textOf(row['brand_id']),
      operator: textOf(row['operator']),
    }));
}

function listAt(object: JsonObject | undefined, key: string): readonly JsonValue[] {
  const list = object?.[key];
  return Array.isArray(list) ? list : [];
}

/** Errors without a record come first. */
function placeIn({ field }: TaskError): number {
  const match = field === undefined ? null : /^usage\[(\d+)\]/.exec(field);
  return match === null ? -1 : Number(match[1]);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export interface VendorRecords {
  readonly connection: Connection;
  readonly records: readonly RoutedUsage[];
}
