import { defined, isJsonObject, ok, type JsonObject, err, type Result } from '@switchyard/values';
import { z } from 'zod';
import { answeredForm } from '../versions/seller-form.js';
import type { Finding } from '../losses/finding.js';
import type {
  GetMediaBuysAnswer,
  GetMediaBuysRequest,
  BuyHistoryEntry,
  MediaBuyView,
} from '../entities/media-buy/media-buy-view.js';
import type { ExactNumbers, TaskSpec } from '../task-spec.js';
import type { Form } from '../versions/wire-profile.js';
import { pageMembers, readList, readPage } from '../message/answer.js';
import { statusesOf, statusFilterFaults } from '../entities/media-buy/status-filter.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { is3x } from '../message/form.js';
import { inputSchemaOf, extras, idText, paginationShape, readShape } from '../message/shapes.js';
import { readBuy } from '../entities/media-buy/media-buy.js';
import { booleanAt, revisionAt, listAt, objectAt, objectsAt, textAt, textsAt } from '../message/pick.js';
import { projectBuyView } from '../entities/media-buy/project-buy.js';

const shape = z.looseObject({
  ...extras,
  media_buy_ids: z.array(idText).min(1).max(500).optional(),
  media_buy_id: idText.optional(),
  buyer_refs: z.array(idText).max(500).optional(),
  status_filter: z.union([idText, z.array(idText).max(50)]).optional(),
  include_snapshot: z.boolean().optional(),
  include_history: z.int().min(0).max(1000).optional(),
  include_webhook_activity: z.boolean().optional(),
  webhook_activity_limit: z.int().min(1).max(200).optional(),
  pagination: paginationShape.optional(),
});

/** The default page size of 3.x. */
const usualPage = 50;

export const getMediaBuys: TaskSpec<GetMediaBuysRequest, GetMediaBuysAnswer> = {
  name: 'get_media_buys',
  names: { ads: ['get_media_buys'], adcp: ['get_media_buys'] },
  access: 'credentials',
  kind: 'read',
  area: 'media_buys',
  permission: 'read',
  serves: 'sales',
  deadlineMs: 10_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args, profile) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const { status_filter: filter } = checked.value;
    const faults = statusFilterFaults(filter);
    if (faults.length > 0) return err(faults);
    const pages = checked.value.pagination !== undefined;
    return ok({
      ...readExtras(args),
      ...defined({
        mediaBuyIds: idsAt(args, 'media_buy_ids', 'media_buy_id'),
        buyerRefs: idsAt(args, 'buyer_refs', 'buyer_ref'),
        statusFilter: statusesOf(filter, profile.form),
        includeSnapshot: booleanAt(args, 'include_snapshot'),
        includeHistory: checked.value.include_history,
        includeWebhookActivity: booleanAt(args, 'include_webhook_activity'),
        webhookActivityLimit: checked.value.webhook_activity_limit,
        maxResults: checked.value.pagination?.max_results ?? (pages ? usualPage : undefined),
        cursor: checked.value.pagination?.cursor,
      }),
    });
  },

  projectRequest(request, to) {
    const args = {
      ...projectExtras(request, to, 'read'),
      ...defined({
        media_buy_ids: request.mediaBuyIds === undefined ? undefined : [...request.mediaBuyIds],
        buyer_refs: is3x(to.form) || request.buyerRefs === undefined ? undefined : [...request.buyerRefs],
        status_filter: request.statusFilter === undefined ? undefined : [...request.statusFilter],
        include_snapshot: is3x(to.form) ? request.includeSnapshot : undefined,
        include_webhook_activity:
          to.form === '3.1' || to.form === 'service' ? request.includeWebhookActivity : undefined,
      }),
    } as JsonObject;
    return { args, findings: [] };
  },

  readAnswer(payload, from, exact = new Map()) {
    const notes: Finding[] = [];
    const form = answeredForm(payload, from);
    const list = readList(payload, 'media_buys', (item, pointer) => {
      const reading = readView(item, form, pointer, exact);
      if (!reading.ok) return reading;
      notes.push(...reading.value.setAside);
      return ok(reading.value.view);
    });
    if (!list.ok) return list;
    const answer = { mediaBuys: list.value.items, ...defined({ page: readPage(payload) }) };
    return ok({ answer, setAside: [...list.value.setAside, ...notes] });
  },

  projectAnswer(answer, to) {
    const { mediaBuys, page } = answer;
    const more = page === undefined ? {} : { pagination: pageMembers(page) };
    return { media_buys: mediaBuys.map((buy) => projectBuyView(buy, to.form)), ...more };
  },
};

interface ViewReading {
  readonly view: MediaBuyView;
  readonly setAside: readonly Finding[];
}

function readView(
  value: unknown,
  form: Form,
  pointer: string,
  exact: ExactNumbers,
): Result<ViewReading, Finding> {
  if (!isJsonObject(value)) return err({ code: 'MEDIA_BUY_SET_ASIDE', message: 'a media buy is no object' });
  const reading = readBuy(value, form, pointer, exact);
  if (!reading.ok) return reading;
  const activity = listAt(value, 'webhook_activity');
  const view: MediaBuyView = {
    ...reading.value.buy,
    impairments: objectsAt(value, 'impairments'),
    ...defined({
      statusAsOf: textAt(value, 'status_as_of'),
      rejectionReason: textAt(value, 'rejection_reason'),
      cancellation: objectAt(value, 'cancellation'),
      startTime: textAt(value, 'start_time'),
      endTime: textAt(value, 'end_time'),
      context: objectAt(value, 'context'),
      history: readBuyHistory(value),
      webhookActivity: activity === undefined ? undefined : objectsAt(value, 'webhook_activity'),
    }),
  };
  return ok({ view, setAside: reading.value.setAside });
}

/** Entries without a revision, time or action are ignored. */
function readBuyHistory(value: JsonObject): readonly BuyHistoryEntry[] | undefined {
  if (listAt(value, 'history') === undefined) return undefined;
  return objectsAt(value, 'history').flatMap((entry): readonly BuyHistoryEntry[] => {
    const revision = revisionAt(entry);
    const [timestamp, action] = [textAt(entry, 'timestamp'), textAt(entry, 'action')];
    if (revision === undefined || timestamp === undefined || action === undefined) return [];
    const [actor, summary, packageId] = ['actor', 'summary', 'package_id'].map((name) => textAt(entry, name));
    return [{ revision, timestamp, action, ...defined({ actor, summary, packageId }) }];
  });
}

function idsAt(args: JsonObject, many: string, singular: string): readonly string[] | undefined {
  const single = textAt(args, singular);
  const ids = [...textsAt(args, many), ...(single === undefined ? [] : [single])];
  return ids.length === 0 ? undefined : ids;
}
