import { defined, err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { readDeliveryReport } from '../entities/delivery/read-delivery-report.js';
import type { DeliveryReport, GetMediaBuyDeliveryRequest } from '../entities/delivery/delivery-report.js';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';
import { projectDeliveryReport } from '../entities/delivery/project-delivery-report.js';
import type { TaskSpec } from '../task-spec.js';
import type { Form } from '../versions/wire-profile.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { fittedDimensions } from '../entities/delivery/slices.js';
import { is3x } from '../message/form.js';
import { inputSchemaOf, extras, idText, readShape } from '../message/shapes.js';
import { lostMembers, type Carriage } from '../losses/lost-members.js';
import { booleanAt, objectAt, textAt, textsAt } from '../message/pick.js';
import { objects, texts } from '../message/plain-types.js';
import { readDay } from '../entities/media-buy/schedule.js';
import { statusesOf, statusFilterFaults } from '../entities/media-buy/status-filter.js';

const granularity = z.enum(['hourly', 'daily', 'monthly']);

const shape = z.looseObject({
  ...extras,
  media_buy_ids: z.array(idText).min(1).max(500).optional(),
  media_buy_id: idText.optional(),
  buyer_refs: z.array(idText).max(500).optional(),
  status_filter: z.union([idText, z.array(idText).max(50)]).optional(),
  start_date: z.string().max(64).optional().describe('YYYY-MM-DD, inclusive.'),
  end_date: z.string().max(64).optional().describe('YYYY-MM-DD, exclusive.'),
  date_range: z.looseObject({ start: z.string().max(64), end: z.string().max(64) }).optional(),
  time_granularity: granularity.optional(),
  granularity: granularity.optional(),
  include_package_daily_breakdown: z.boolean().optional(),
  include_window_breakdown: z.boolean().optional(),
  attribution_window: z.looseObject({ ...texts('model'), ...objects('post_click', 'post_view') }).optional(),
  reporting_dimensions: z
    .looseObject(objects('geo', 'device_type', 'device_platform', 'audience', 'placement'))
    .optional(),
});

const carriage: Carriage = {
  aliases: { granularity: ['time_granularity'] },
  // Buys and states are resolved here: sellers are queried by their own ids.
  local: ['media_buy_ids', 'media_buy_id', 'buyer_refs', 'status_filter', 'date_range'],
};

export const getMediaBuyDelivery: TaskSpec<GetMediaBuyDeliveryRequest, DeliveryReport> = {
  name: 'get_media_buy_delivery',
  names: { ads: ['get_media_buy_delivery'], adcp: ['get_media_buy_delivery'] },
  access: 'credentials',
  kind: 'read',
  area: 'reports',
  permission: 'read',
  serves: 'sales',
  deadlineMs: 10_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args, profile) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const range = objectAt(args, 'date_range');
    const startDate = textAt(args, 'start_date') ?? dayOf(textAt(range, 'start'));
    const endDate = textAt(args, 'end_date') ?? dayOf(textAt(range, 'end'));
    const errors = [...dateFaults(startDate, endDate), ...statusFilterFaults(checked.value.status_filter)];
    if (errors.length > 0) return err(errors);
    const single = textAt(args, 'media_buy_id');
    const ids = [...textsAt(args, 'media_buy_ids'), ...(single === undefined ? [] : [single])];
    const refs = textsAt(args, 'buyer_refs');
    return ok({
      ...readExtras(args),
      ...defined({
        mediaBuyIds: ids.length === 0 ? undefined : ids,
        isLastIdAlone: single === undefined ? undefined : true,
        buyerRefs: refs.length === 0 ? undefined : refs,
        statusFilter: statusesOf(checked.value.status_filter, profile.form),
        startDate,
        endDate,
        timeGranularity: checked.value.time_granularity ?? checked.value.granularity,
        includeWindows: booleanAt(args, 'include_window_breakdown'),
        includeDays: booleanAt(args, 'include_package_daily_breakdown'),
        attributionWindow: objectAt(args, 'attribution_window'),
        reportingDimensions: objectAt(args, 'reporting_dimensions'),
        original: { form: profile.form, value: args },
      }),
    });
  },

  projectRequest(request, to) {
    const ids = request.mediaBuyIds;
    const args = {
      ...projectExtras(request, to, 'read'),
      ...defined({
        media_buy_ids: ids === undefined ? undefined : [...ids],
        // The `service` form does not define the list: one buy is also sent alone, for sellers that read only that.
        media_buy_id: to.form === 'service' && ids?.length === 1 ? ids[0] : undefined,
        buyer_refs: is3x(to.form) || request.buyerRefs === undefined ? undefined : [...request.buyerRefs],
        start_date: request.startDate,
        end_date: request.endDate,
        time_granularity: to.form === '3.1' || to.form === 'service' ? request.timeGranularity : undefined,
        include_window_breakdown: to.form === '3.1' ? requestedWindows(request) : undefined,
        include_package_daily_breakdown: is3x(to.form) ? request.includeDays : undefined,
        attribution_window: modernOnly(request.attributionWindow, to.form),
        reporting_dimensions: dimensionsFor(request, to.form),
      }),
    } as JsonObject;
    const lost = request.original === undefined ? [] : lostMembers(request.original.value, args, carriage);
    // In 3.0 the country is part of the postal system's name, or lost with the places.
    return { args, findings: lost.filter(({ field }) => field !== 'reporting_dimensions.geo.country') };
  },

  readAnswer(payload, from, exact = new Map()) {
    const reading = readDeliveryReport(payload, exact, from);
    if (!reading.ok) return reading;
    return ok({ answer: reading.value.report, setAside: reading.value.findings });
  },

  projectAnswer(report, to) {
    return projectDeliveryReport(report, to.form);
  },
};

function modernOnly(value: JsonObject | undefined, to: Form): JsonObject | undefined {
  return value === undefined || !is3x(to) ? undefined : structuredClone(value);
}

function dimensionsFor(request: GetMediaBuyDeliveryRequest, to: Form): JsonObject | undefined {
  const dimensions = modernOnly(request.reportingDimensions, to);
  return dimensions === undefined || request.original?.form === to
    ? dimensions
    : fittedDimensions(dimensions, to);
}

/** A granularity requests slices, but only 3.1 has a member for it. */
function requestedWindows({ timeGranularity, includeWindows, original }: GetMediaBuyDeliveryRequest) {
  if (timeGranularity === undefined) return undefined;
  return includeWindows ?? (original?.form === 'service' ? true : undefined);
}

function dateFaults(start: string | undefined, end: string | undefined): readonly TaskError[] {
  const suggestion = 'Send a day as YYYY-MM-DD.';
  const odd = (field: string) => taskError('VALIDATION_ERROR', `${field} is no day.`, { field, suggestion });
  const errors: TaskError[] = [];
  if (start !== undefined && readDay(start) === undefined) errors.push(odd('start_date'));
  if (end !== undefined && readDay(end) === undefined) errors.push(odd('end_date'));
  if (errors.length > 0 || start === undefined || end === undefined || end > start) return errors;
  const message = 'end_date must be later than start_date: it is the first day that is not meant.';
  return [
    taskError('INVALID_REQUEST', message, { field: 'end_date', suggestion: 'Choose a later end_date.' }),
  ];
}

function dayOf(text: string | undefined): string | undefined {
  return text?.slice(0, 10);
}
