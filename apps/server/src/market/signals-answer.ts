import type { Gathered } from '@switchyard/buys';
import { mergeSignals, type Offer } from '@switchyard/fanout';
import {
  getSignals as task,
  notReportedOfSignal,
  taskError,
  unknownSignals,
  type GetSignalsAnswer,
  type GetSignalsRequest,
  type Signal,
  type TaskError,
  type WireProfile,
} from '@switchyard/protocol';
import { atOnce, defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { filteredFindings, notReportedFindings, readFindings } from './market-findings.js';
import { incompleteOf } from './incomplete.js';
import { mergeOffers } from './merge-offers.js';
import { sellerErrors, writeItems, type WrittenItems } from '../platform/tasks/answer/write-answer.js';
import { shownFields } from './shown-fields.js';
import { withErrors, withOurs } from '../platform/tasks/answer/extend-answer.js';

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
  // While an agent is still to answer, nobody knows whether a signal exists.
  const unknown =
    gathered.later.length > 0 ? [] : unknownSignals(namesOf(request), objectsIn(payload['signals']));
  const ours = {
    findings: [
      ...readFindings(gathered.legs),
      ...filteredFindings(merged),
      ...notReportedFindings('signals', merged.items, (item) => notReportedOfSignal(item, profile.form)),
    ],
    seller_errors: sellerErrors(gathered.legs, profile),
  };
  const shown = request.fields === undefined ? payload : shownFields(payload, 'signals', request.fields);
  const complete = withErrors(shown, unknown.map(notFound), profile);
  return { payload: withOurs(complete, ours, profile), failed: [...merged.failed, ...failed] };
}

function namesOf({ signalIds, signalRefs }: GetSignalsRequest): Parameters<typeof unknownSignals>[0] {
  return defined({ ids: signalIds, references: signalRefs });
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A signal of nobody, and one that is not for this caller: the same words. */
function notFound(field: string): TaskError {
  return taskError('SIGNAL_NOT_FOUND', 'None of your signals agents offers this signal.', {
    field,
    suggestion: 'Use the name as get_signals returned it.',
  });
}
