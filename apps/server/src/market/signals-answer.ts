import type { Gathered } from '@switchyard/buys';
import { mergeSignals, type Offer } from '@switchyard/fanout';
import {
  getSignals as task,
  notReportedOfSignal,
  type GetSignalsAnswer,
  type GetSignalsRequest,
  type Signal,
  type WireProfile,
} from '@switchyard/protocol';
import { atOnce, type JsonObject } from '@switchyard/values';
import { filteredFindings } from './filtered-findings.js';
import { incompleteOf } from './incomplete.js';
import { mergeOffers } from './merge-offers.js';
import { notReportedFindings } from './not-reported-findings.js';
import { readFindings } from '../platform/tasks/answer/read-findings.js';
import { sellerErrors } from '../platform/tasks/answer/seller-errors.js';
import { shownFields } from './shown-fields.js';
import { withOurs } from '../platform/tasks/answer/extend-answer.js';
import { writeItems, type WrittenItems } from '../platform/tasks/answer/write-items.js';

/** Runs `signalsWork` at once, for callers that cannot wait between its slices. */
export function signalsAnswer(...of: Parameters<typeof signalsWork>): JsonObject {
  return atOnce(signalsWork(...of)).payload;
}

/** The answer to a `get_signals` request: all received items, filtered by the request. */
export function* signalsWork(
  request: GetSignalsRequest,
  profile: WireProfile,
  gathered: Gathered<GetSignalsAnswer>,
  offers: readonly Offer<Signal>[] = gathered.legs.map(({ seller, answer }) => ({
    seller,
    items: answer?.signals ?? [],
  })),
): Generator<void, WrittenItems> {
  const merged = yield* mergeOffers(offers, (some) => mergeSignals(some, request), request.maxResults);
  const signals = merged.items.map(({ seller, item }) => ({ ...item, seller }));
  const incomplete = incompleteOf(gathered, 'signals', (answer) => answer.incomplete ?? [], merged.cut);
  const { payload, failed } = yield* writeItems(task, { signals, incomplete }, profile);
  const ours = {
    findings: [
      ...readFindings(gathered.legs),
      ...filteredFindings(merged),
      ...notReportedFindings('signals', merged.items, (item) => notReportedOfSignal(item, profile.form)),
    ],
    seller_errors: sellerErrors(gathered.legs, profile),
  };
  const shown = request.fields === undefined ? payload : shownFields(payload, 'signals', request.fields);
  return { payload: withOurs(shown, ours, profile), failed: [...merged.failed, ...failed] };
}
