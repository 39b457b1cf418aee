import { defined, err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { Finding } from '../losses/finding.js';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';
import type { TaskSpec } from '../task-spec.js';
import { numberOf, priceAt } from '../message/amount.js';
import { unusable } from '../message/answer.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { is3x } from '../message/form.js';
import { inputSchemaOf, extras, idText, readShape } from '../message/shapes.js';
import { booleanAt, textAt } from '../message/pick.js';
import { keyFaults, required } from '../message/require.js';
import type { RequestExtras } from '../message/request-extras.js';

const moment = z.iso.datetime({ offset: true });
export const momentRange = z.looseObject({ start: moment, end: moment });

const shape = z.looseObject({
  ...extras,
  media_buy_id: idText.optional(),
  buyer_ref: idText.optional(),
  measurement_period: momentRange,
  performance_index: z.number().min(0).describe('0 none, 1 as expected, more is better.'),
  package_id: idText.optional(),
  creative_id: idText.optional(),
  metric_type: z
    .enum([
      'overall_performance',
      'conversion_rate',
      'brand_lift',
      'click_through_rate',
      'completion_rate',
      'viewability',
      'brand_safety',
      'cost_efficiency',
    ])
    .optional(),
  feedback_source: z
    .enum(['buyer_attribution', 'third_party_measurement', 'platform_analytics', 'verification_partner'])
    .optional(),
});

export const providePerformanceFeedback: TaskSpec<PerformanceFeedbackRequest, PerformanceFeedbackAnswer> = {
  name: 'provide_performance_feedback',
  names: { ads: ['provide_performance_feedback'], adcp: ['provide_performance_feedback'] },
  access: 'credentials',
  kind: 'mutation',
  area: 'media_buys',
  permission: 'write',
  isForNoAccount: true,
  serves: 'sales',
  deadlineMs: 15_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args, profile, exact) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const { measurement_period: period, metric_type: metric, feedback_source: source } = checked.value;
    const errors = [...keyFaults(args, profile.form), ...buyFaults(args, is3x(profile.form))];
    if (Date.parse(period.end) <= Date.parse(period.start)) errors.push(backwards('measurement_period.end'));
    if (errors.length > 0) return err(errors);
    return ok({
      ...readExtras(args),
      period: { start: period.start, end: period.end },
      performanceIndex: priceAt(args, 'performance_index', '', exact) ?? '0',
      metricType: metric ?? 'overall_performance',
      feedbackSource: source ?? 'buyer_attribution',
      ...defined({
        mediaBuyId: textAt(args, 'media_buy_id'),
        buyerRef: textAt(args, 'buyer_ref'),
        packageId: textAt(args, 'package_id'),
        creativeId: textAt(args, 'creative_id'),
      }),
    });
  },

  projectRequest(request, to) {
    const { account, ...own } = request;
    const args = {
      ...projectExtras(own, to, 'mutation'),
      ...defined({
        media_buy_id: request.mediaBuyId,
        measurement_period: { ...request.period },
        performance_index: numberOf(request.performanceIndex),
        package_id: request.packageId,
        creative_id: request.creativeId,
        metric_type: request.metricType,
        feedback_source: request.feedbackSource,
      }),
    } as JsonObject;
    const message = 'Feedback names its buy, and no account beside it.';
    const findings: readonly Finding[] =
      account === undefined ? [] : [{ code: 'ACCOUNT_LEFT_OUT', message, field: 'account' }];
    return { args, findings };
  },

  readAnswer(payload) {
    if (booleanAt(payload, 'success') !== true) return unusable('it does not say success');
    return ok({ answer: { success: true }, setAside: [] });
  },

  projectAnswer: () => ({ success: true }),
};

/** Exactly one of the two; 3.x has no references. */
function buyFaults(args: JsonObject, modern: boolean): TaskError[] {
  const [id, reference] = [textAt(args, 'media_buy_id'), textAt(args, 'buyer_ref')];
  if (modern) return id === undefined ? [required('media_buy_id')] : [];
  if (id === undefined && reference === undefined) return [required('media_buy_id', 'Name the buy.')];
  if (id === undefined || reference === undefined) return [];
  const suggestion = 'Leave one of the two out.';
  const message = 'A buy is named by media_buy_id or by buyer_ref, not by both.';
  return [taskError('INVALID_REQUEST', message, { field: 'buyer_ref', suggestion })];
}

export function backwards(field: string): TaskError {
  const suggestion = 'Choose an end later than the start.';
  return taskError('INVALID_REQUEST', 'The period ends before it starts.', { field, suggestion });
}

/** A buyer's rating of performance. A seller may ignore it (docs/protocol/accounts.md#feedback). */
export interface PerformanceFeedbackRequest extends RequestExtras {
  /** `mediaBuyId` or `buyerRef` names the buy; the reference only in forms that have one. */
  readonly mediaBuyId?: string;
  readonly buyerRef?: string;
  /** RFC 3339. */
  readonly period: { readonly start: string; readonly end: string };
  /** Decimal text: 0 is no effect, 1 is as expected, more is better. */
  readonly performanceIndex: string;
  readonly packageId?: string;
  readonly creativeId?: string;
  readonly metricType: string;
  readonly feedbackSource: string;
}

export interface PerformanceFeedbackAnswer {
  readonly success: true;
}
