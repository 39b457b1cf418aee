import { defined, err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { Finding } from '../losses/finding.js';
import { projectError } from '../errors/project-errors.js';
import { readErrors } from '../errors/read-errors.js';
import type { ExactNumbers, TaskSpec } from '../task-spec.js';
import type { Form } from '../versions/wire-profile.js';
import { numberOf, priceAt, sizeFaults } from '../message/amount.js';
import { unusable } from '../message/answer.js';
import { projectAccountRef, projectExtras, readExtras } from '../message/extras.js';
import { is3x } from '../message/form.js';
import { inputSchemaOf, extras, idText, readShape } from '../message/shapes.js';
import { countAt, member, objectAt, objectsAt, textAt } from '../message/pick.js';
import { keyFaults, keyMissing } from '../message/require.js';
import { backwards, momentRange } from './provide-performance-feedback.js';
import type { AccountRef } from '../entities/account/account-ref.js';
import type { RequestExtras } from '../message/request-extras.js';
import type { TaskError } from '../errors/task-fault.js';

const amount = z.number().min(0);

/** Other members of a record beside account and money; the last three are in 3.1 only. */
const plain = {
  pricing_option_id: idText.optional(),
  impressions: z.int().min(0).optional(),
  standards_id: idText.optional(),
  rights_id: idText.optional(),
  creative_id: idText.optional(),
  property_list_id: idText.optional(),
  build_variant_id: idText.optional(),
  final: z.boolean().optional(),
  finalized_at: z.iso.datetime({ offset: true }).optional(),
  measurement_window: z.string().max(50).optional(),
};
const only31 = ['build_variant_id', 'final', 'finalized_at', 'measurement_window'];

const shape = z.looseObject({
  ...extras,
  reporting_period: momentRange,
  usage: z
    .array(
      z.looseObject({
        account: extras.account.unwrap(),
        vendor_cost: amount,
        currency: z.string().regex(/^[A-Z]{3}$/),
        media_buy_id: idText.optional(),
        signal_agent_segment_id: idText.optional(),
        media_spend: amount.optional(),
        ...plain,
      }),
    )
    .min(1)
    .max(1_000),
});

/** Reports usage to vendors (docs/protocol/accounts.md#usage). Each record goes to the one agent that it names. */
export const reportUsage: TaskSpec<ReportUsageRequest, ReportUsageAnswer> = {
  name: 'report_usage',
  names: { ads: ['report_usage'], adcp: ['report_usage'] },
  access: 'credentials',
  kind: 'mutation',
  area: 'signals',
  permission: 'write',
  isForNoAccount: true,
  serves: 'signals',
  deadlineMs: 15_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args, profile, exact) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const { reporting_period: period } = checked.value;
    const errors = [...keyFaults(args, profile.form)];
    // The report creates debts: without a key a retry could not be distinguished from a second report, in any form.
    if (textAt(args, 'idempotency_key') === undefined && errors.length === 0) errors.push(keyMissing());
    if (Date.parse(period.end) <= Date.parse(period.start)) errors.push(backwards('reporting_period.end'));
    if (errors.length > 0) return err(errors);
    const records = objectsAt(args, 'usage').map((row, at) => readRecord(row, `/usage/${at}`, exact));
    const tooLarge = records.flatMap(({ vendorCost, mediaSpend = '0' }, at) => [
      ...sizeFaults(vendorCost, `usage[${at}].vendor_cost`),
      ...sizeFaults(mediaSpend, `usage[${at}].media_spend`),
    ]);
    if (tooLarge.length > 0) return err(tooLarge.slice(0, 20));
    return ok({ ...readExtras(args), period: { start: period.start, end: period.end }, records });
  },

  projectRequest(request, to) {
    const { account: _eachRecordHasItsOwn, ...own } = request;
    const args = {
      ...projectExtras(own, to, 'mutation'),
      reporting_period: { ...request.period },
      usage: request.records.map((record) => projectRecord(record, to.form)),
    } as JsonObject;
    return { args, findings: request.records.flatMap((record, at) => findingsOf(record, at, to.form)) };
  },

  readAnswer(payload) {
    const accepted = countAt(payload, 'accepted');
    if (accepted === undefined) return unusable('it does not say how many records it accepted');
    return ok({ answer: { accepted, errors: readErrors(payload) }, setAside: [] });
  },

  projectAnswer({ accepted, errors }, to) {
    if (errors.length === 0) return { accepted };
    return { accepted, errors: errors.map((error) => projectError(error, to.dialect, to.form)) };
  },
};

function readRecord(row: JsonObject, pointer: string, exact: ExactNumbers): UsageRecord {
  const account = readExtras({ account: objectAt(row, 'account') ?? {} }).account;
  if (account === undefined) throw new Error('A record without an account passed its schema.');
  const rest = Object.keys(plain).flatMap((name) => {
    const value = member(row, name);
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isPlain ? [[name, value] as const] : [];
  });
  return {
    account,
    vendorCost: priceAt(row, 'vendor_cost', pointer, exact) ?? '0',
    currency: textAt(row, 'currency') ?? '',
    rest: Object.fromEntries(rest),
    ...defined({
      mediaBuyId: textAt(row, 'media_buy_id'),
      signalId: textAt(row, 'signal_agent_segment_id'),
      mediaSpend: priceAt(row, 'media_spend', pointer, exact),
    }),
  };
}

function projectRecord(record: UsageRecord, to: Form): JsonObject {
  const rest = Object.fromEntries(Object.entries(record.rest).filter(([name]) => canCarry(name, to)));
  return defined({
    account: is3x(to) ? projectAccountRef(record.account) : undefined,
    vendor_cost: numberOf(record.vendorCost),
    currency: record.currency,
    media_buy_id: record.mediaBuyId,
    signal_agent_segment_id: record.signalId,
    media_spend: record.mediaSpend === undefined ? undefined : numberOf(record.mediaSpend),
    ...rest,
  });
}

function findingsOf(record: UsageRecord, at: number, to: Form): readonly Finding[] {
  const lost = Object.keys(record.rest).filter((name) => !canCarry(name, to));
  return lost.map((name) => ({
    code: 'USAGE_DETAIL_LEFT_OUT',
    message: "The vendor's release has no such member in a record.",
    field: `usage[${at}].${name}`,
  }));
}

function canCarry(name: string, to: Form): boolean {
  return to === '3.1' || !only31.includes(name);
}

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
