import { readDelivery, type SellerDelivery } from '@switchyard/buys';
import { getMediaBuyDelivery as task, type GetMediaBuyDeliveryRequest } from '@switchyard/protocol';
import { isJsonObject, isoOf, type JsonObject } from '@switchyard/values';
import { whoseInAnswer } from '../../business/index.js';
import { buysRequestOf } from '../../platform/tasks/gates/read-request.js';
import type { Handled, HandledCall, HandlerDeps } from '../../platform/tasks/call/handler.js';
import { sellerErrors, writeAnswer } from '../../platform/tasks/answer/write-answer.js';
import { withOurs, withErrors } from '../../platform/tasks/answer/extend-answer.js';

export async function getMediaBuyDelivery(
  deps: HandlerDeps,
  handled: HandledCall<GetMediaBuyDeliveryRequest>,
): Promise<Handled> {
  const query = await buysRequestOf(deps, handled);
  if (!query.ok) return { kind: 'failed', errors: [query.error] };
  const read = await readDelivery(deps.ports, query.value, handled.request);
  const { profile } = handled.version;
  if (read.errors.length > 0 && read.report.deliveries.length === 0)
    return { kind: 'failed', errors: read.errors };
  const names = await deps.names?.ofBuys(handled.scope, read.bySeller);
  const ours = {
    findings: read.findings.map((finding): JsonObject => ({ ...finding })),
    seller_errors: sellerErrors(read.refusals, profile),
    by_seller: read.bySeller.map((part) => ({ ...sellerRow(part), ...whoseInAnswer(part, names) })),
    ...(read.asOf === undefined ? {} : { status_as_of: isoOf(read.asOf) }),
  };
  const written = writeAnswer(task, read.report, profile);
  const payload = withErrors(
    areWindowsRequested(handled.request) ? written : withoutWindows(written),
    read.errors,
    profile,
  );
  return {
    kind: 'done',
    status: 'completed',
    payload: withOurs(payload, ours, profile),
    sellers: read.rows,
    operationId: deps.ports.ids.uuid(),
  };
}

/** Only a request with a granularity and `include_window_breakdown` gets windows (release 3.1). */
function areWindowsRequested({ timeGranularity, includeWindows }: GetMediaBuyDeliveryRequest): boolean {
  return timeGranularity !== undefined && includeWindows === true;
}

/** An answer with days in its rows, without unrequested windows. */
function withoutWindows(payload: JsonObject): JsonObject {
  const rows = payload['media_buy_deliveries'];
  if (!Array.isArray(rows)) return payload;
  const shown = rows.map((row) => {
    if (!isJsonObject(row)) return row;
    const { windows: _notRequested, ...rest } = row;
    return rest;
  });
  return { ...payload, media_buy_deliveries: shown };
}

/** One seller's part of a buy. `known: false`: the delivery there is unknown, which is not zero. */
function sellerRow(part: SellerDelivery): JsonObject {
  const { seller, mediaBuyId, currency, totals, asOf, expectedAvailability } = part;
  const row = { media_buy_id: mediaBuyId, seller, currency, known: totals !== undefined };
  if (totals === undefined)
    return expectedAvailability === undefined ? row : { ...row, expected_availability: expectedAvailability };
  return {
    ...row,
    ...(asOf === undefined ? {} : { as_of: isoOf(asOf) }),
    spend: Number(totals.spend),
    ...(totals.impressions === undefined ? {} : { impressions: totals.impressions }),
    ...(totals.clicks === undefined ? {} : { clicks: totals.clicks }),
  };
}
