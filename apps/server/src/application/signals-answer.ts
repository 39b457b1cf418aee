import type { Gathered } from '@switchyard/buys';
import { mergeSignals, type Offer } from '@switchyard/fanout';
import {
  getSignals as task,
  type Carriage,
  type GetSignalsAnswer,
  type GetSignalsRequest,
  type Signal,
  type Voice,
} from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { filteredFindings } from './filtered-findings.js';
import { incompleteOf } from './incomplete.js';
import { listed, readFindings } from './read-findings.js';
import { sellerErrors } from './seller-errors.js';
import { withOurs } from './with-ours.js';
import { writeAnswer } from './write-answer.js';

/** How members of a signal stand in other forms. */
const carriage: Carriage = {
  aliases: { pricing: ['pricing_options'], pricing_options: ['pricing'], catalog_type: ['signal_type'] },
};

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
  const written = listed(payload, 'signals');
  const items = signals.map(({ seller, original }, at) => ({ seller, original, written: written[at] ?? {} }));
  const ours = {
    findings: [
      ...readFindings(gathered.legs, 'signals', items, voice.form, carriage),
      ...filteredFindings(merged),
    ],
    seller_errors: sellerErrors(gathered.legs, voice),
  };
  return withOurs(payload, ours, voice);
}
