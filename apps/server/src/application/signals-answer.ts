import type { Gathered } from '@switchyard/buys';
import { mergeSignals, type Offer } from '@switchyard/fanout';
import {
  getSignals as task,
  notToldOfSignal,
  type GetSignalsAnswer,
  type GetSignalsRequest,
  type Signal,
  type Voice,
} from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { filteredFindings } from './filtered-findings.js';
import { incompleteOf } from './incomplete.js';
import { notToldFindings } from './not-told-findings.js';
import { readFindings } from './read-findings.js';
import { sellerErrors } from './seller-errors.js';
import { shownFields } from './shown-fields.js';
import { withOurs } from './with-ours.js';
import { writeAnswer } from './write-answer.js';

/** What a question for signals comes to: everything that came, held to what was asked for. */
export function signalsAnswer(
  request: GetSignalsRequest,
  voice: Voice,
  gathered: Gathered<GetSignalsAnswer>,
  offers: readonly Offer<Signal>[] = gathered.legs.map(({ seller, answer }) => ({
    seller,
    items: answer?.signals ?? [],
  })),
): JsonObject {
  const merged = mergeSignals(offers, request);
  const signals = merged.items.map(({ seller, item }) => ({ ...item, seller }));
  const incomplete = incompleteOf(gathered, 'signals', (answer) => answer.incomplete ?? []);
  const payload = writeAnswer(task, { signals, incomplete }, voice);
  const ours = {
    findings: [
      ...readFindings(gathered.legs),
      ...filteredFindings(merged),
      ...notToldFindings('signals', merged.items, (item) => notToldOfSignal(item, voice.form)),
    ],
    seller_errors: sellerErrors(gathered.legs, voice),
  };
  const shown = request.fields === undefined ? payload : shownFields(payload, 'signals', request.fields);
  return withOurs(shown, ours, voice);
}
