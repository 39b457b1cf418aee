import { buysAtMost, readMediaBuys, type BuyerAccount, type BuysPage } from '@switchyard/buys';
import {
  getMediaBuys as task,
  type GetMediaBuysRequest,
  hasFeature,
  type TaskError,
} from '@switchyard/protocol';
import { ok, type Result } from '@switchyard/values';
import { whoseInAnswer } from '../admin/business/whose.js';
import { buysRequestOf } from './caller/buys-ask.js';
import { readPage, writePage, type Page, type Walk } from './market/page-cursor.js';
import type { Handled, HandledCall, HandlerDeps } from './handler.js';
import { withWebhookActivity } from './operation/webhook-activity.js';
import { sellerErrors } from './answer/seller-errors.js';
import { withErrors } from './answer/with-errors.js';
import { withOurs } from './answer/with-ours.js';
import { writeAnswer } from './answer/write-answer.js';

export async function getMediaBuys(
  deps: HandlerDeps,
  handled: HandledCall<GetMediaBuysRequest>,
): Promise<Handled> {
  const query = await buysRequestOf(deps, handled);
  if (!query.ok) return { kind: 'failed', errors: [query.error] };
  const walk = walkOf(handled, query.value.account);
  const page = pageOf(deps, handled.request, walk);
  if (!page.ok) return { kind: 'failed', errors: [page.error] };
  const read = await readMediaBuys(deps.ports, query.value, handled.request, page.value);
  const { profile } = handled.version;
  if (read.errors.length > 0 && read.mediaBuys.length === 0) return { kind: 'failed', errors: read.errors };
  const mediaBuys = await withWebhookActivity(deps, handled, read.mediaBuys);
  const names = await deps.names?.ofBuys(handled.scope, mediaBuys);
  const whose = mediaBuys.map(({ mediaBuyId }) => ({
    media_buy_id: mediaBuyId,
    ...whoseInAnswer({ mediaBuyId }, names),
  }));
  const cursor =
    read.next === undefined
      ? undefined
      : writePage({ offset: 0, asOf: read.next.madeAt, after: read.next.id }, walk);
  const isPaged =
    hasFeature(profile.form, 'pagesInEveryAnswer') ||
    cursor !== undefined ||
    handled.request.maxResults !== undefined;
  const shown = writeAnswer(
    task,
    { mediaBuys, ...(isPaged ? { page: cursor === undefined ? {} : { cursor } } : {}) },
    profile,
  );
  return {
    kind: 'done',
    status: 'completed',
    payload: withOurs(
      withErrors(shown, read.errors, profile),
      {
        seller_errors: sellerErrors(read.refusals, profile),
        whose: whose.filter((one) => Object.keys(one).length > 1),
      },
      profile,
    ),
    sellers: read.rows,
    operationId: deps.ports.ids.uuid(),
  };
}

/** More than one request can name: named buys are all shown, without pages. */
const namedAtMost = 1_000;

function walkOf(
  { scope, principal, request }: HandledCall<GetMediaBuysRequest>,
  account: BuyerAccount | undefined,
): Walk {
  const { mediaBuyIds, buyerRefs, statusFilter } = request;
  return {
    ...scope,
    principalId: principal?.principalId ?? '',
    task: task.name,
    question: { mediaBuyIds, buyerRefs, statusFilter, account },
  };
}

function pageOf(
  { ports }: HandlerDeps,
  { mediaBuyIds, buyerRefs, maxResults, cursor }: GetMediaBuysRequest,
  walk: Walk,
): Result<BuysPage, TaskError> {
  const isNamed = mediaBuyIds !== undefined || buyerRefs !== undefined;
  const size = isNamed ? namedAtMost : (maxResults ?? buysAtMost);
  const begun: Page = { offset: 0, asOf: ports.clock.now() };
  const page = cursor === undefined ? ok(begun) : readPage(cursor, walk);
  if (!page.ok) return page;
  const { asOf: madeAt, after: id } = page.value;
  return ok({ size, ...(id === undefined ? {} : { after: { madeAt, id } }) });
}
