import { seeSignals } from '@switchyard/buys';
import { mergeSignals, type Offer } from '@switchyard/fanout';
import {
  getSignals as task,
  type Carriage,
  type GetSignalsAnswer,
  type GetSignalsRequest,
  type Signal,
} from '@switchyard/protocol';
import { askTheMarket, type MarketAsked } from '../ask-the-market.js';
import type { Handled, HandledCall, HandlerParts } from '../handler.js';
import { incompleteOf } from '../incomplete.js';
import { listed, readFindings } from '../read-findings.js';
import { shelved, takeOn } from '../shelve-answer.js';
import { withOurs } from '../with-ours.js';

/** How members of a signal stand in other forms. */
const carriage: Carriage = {
  aliases: { pricing: ['pricing_options'], pricing_options: ['pricing'], catalog_type: ['signal_type'] },
};

/** Asks every signals agent, and holds what they send to what was asked for. */
export async function getSignals(
  parts: HandlerParts,
  handled: HandledCall<GetSignalsRequest>,
): Promise<Handled> {
  const { request, version } = handled;
  if (request.cursor !== undefined) return takeOn(parts, handled, 'signals');
  const market = await askTheMarket(parts, handled, task, {
    count: (answer) => answer.signals.length,
    pages: {
      cursorOf: (answer) => answer.page?.cursor,
      join: (sofar, next) => ({
        ...sofar,
        signals: [...sofar.signals, ...next.signals],
        incomplete: [...(sofar.incomplete ?? []), ...(next.incomplete ?? [])],
      }),
    },
  });
  const offers = await offersOf(parts, handled, market);
  const signals = mergeSignals(offers, request).items.map(({ seller, item }) => ({ ...item, seller }));
  const incomplete = incompleteOf(market, 'signals', (answer) => answer.incomplete ?? []);
  const payload = task.projectAnswer({ signals, incomplete }, version.voice);
  const written = listed(payload, 'signals');
  const items = signals.map(({ seller, original }, at) => ({ seller, original, written: written[at] ?? {} }));
  const findings = readFindings(market.legs, 'signals', items, version.voice.form, carriage);
  return shelved(parts, handled, 'signals', {
    kind: 'done',
    status: 'completed',
    payload: withOurs(payload, { findings }, version.voice),
    sellers: market.rows,
    operationId: market.operationId,
  });
}

/** What each agent brought, with what it says of deployments written down and its estimates counted down. */
async function offersOf(
  { ports }: HandlerParts,
  { scope }: HandledCall<GetSignalsRequest>,
  { legs }: MarketAsked<GetSignalsAnswer>,
): Promise<readonly Offer<Signal>[]> {
  const brought = legs.map(({ seller, answer }) => ({ seller, signals: answer?.signals ?? [] }));
  const { activations, clock } = ports;
  if (activations === undefined) return brought.map(({ seller, signals }) => ({ seller, items: signals }));
  const ids = new Map((await ports.connections.list(scope)).map(({ slug, id }) => [slug, id]));
  const known = brought.filter(({ seller }) => ids.has(seller));
  const seen = known.map(({ seller, signals }) => ({ connectionId: ids.get(seller) ?? '', signals }));
  const shown = await seeSignals(activations, scope, seen, clock.now());
  return known.map(({ seller }, at) => ({ seller, items: shown[at] ?? [] }));
}
