import { hideOtherTenants, applyReportedSignals, type Gathered } from '@switchyard/buys';
import type { Offer } from '@switchyard/fanout';
import {
  getSignals as task,
  type GetSignalsAnswer,
  type GetSignalsRequest,
  type Signal,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { inTurns } from '@switchyard/values';
import { clientOf, sellersFor, skipOf } from '../platform/tasks/gates/find-client.js';
import { answerFromMarket, gatheredOf, type MarketQueried } from './answer-from-market.js';
import { followLater } from './follow-later.js';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { operationNamed, readEarlier } from './read-earlier.js';
import { firstPage, nextPage } from './answer-pages.js';
import { signalsWork } from './signals-answer.js';
import { withFailed } from '../platform/tasks/answer/write-answer.js';

type GetSignalsCall = HandledCall<GetSignalsRequest>;

/** Queries every signals agent, and filters the answers by the request. */
export async function getSignals(deps: HandlerDeps, handled: GetSignalsCall): Promise<Handled> {
  const { request, version, args } = handled;
  if (request.cursor !== undefined) return nextPage(deps, handled, 'signals');
  const named = operationNamed(args);
  if (named !== undefined) return readEarlier(deps, handled, named, 'signals');
  const client = await clientOf(deps, handled);
  const sellers = await sellersFor(deps, handled, client);
  const market = await answerFromMarket(deps, handled, task, {
    ...sellers,
    requestFor: (connection) => skipOf(handled.principal, client, connection) ?? request,
    count: (answer) => answer.signals.length,
    mayComeLater: request.discoveryMode !== 'wholesale',
    pages: {
      cursorOf: (answer) => answer.page?.cursor,
      join: (sofar, next) => ({
        ...sofar,
        signals: [...sofar.signals, ...next.signals],
        incomplete: [...(sofar.incomplete ?? []), ...(next.incomplete ?? [])],
      }),
    },
  });
  const gathered = gatheredOf(market);
  const offers = await offersOf(deps, handled, sellers.connections, gathered);
  const { payload, failed } = await inTurns(signalsWork(request, version.profile, gathered, offers));
  const completeAnswer = {
    kind: 'done' as const,
    status: 'completed' as const,
    payload,
    sellers: withFailed(market.rows, failed),
    operationId: market.operationId,
  };
  const answer = await followLater(deps, handled, await withoutOthers(deps, handled, market), completeAnswer);
  return answer.kind === 'done' && answer.status === 'completed'
    ? firstPage(deps, handled, 'signals', answer)
    : answer;
}

/** The received answers as they may be stored: without what other tenants of an account requested. */
async function withoutOthers(
  { ports: { activations } }: HandlerDeps,
  { scope }: GetSignalsCall,
  market: MarketQueried<GetSignalsAnswer>,
): Promise<MarketQueried<GetSignalsAnswer>> {
  if (activations === undefined || market.pending.length === 0) return market;
  const legs = market.legs.map(async (leg) => {
    const pages = (leg.payloads ?? []).map((page) =>
      hideOtherTenants(activations, scope, leg.connection.id, page),
    );
    return leg.payloads === undefined ? leg : { ...leg, payloads: await Promise.all(pages) };
  });
  return { ...market, legs: await Promise.all(legs) };
}

/** Each agent's offers, with deployments stored and estimates reduced. */
async function offersOf(
  { ports }: HandlerDeps,
  { scope }: GetSignalsCall,
  connections: readonly Connection[],
  { legs }: Gathered<GetSignalsAnswer>,
): Promise<readonly Offer<Signal>[]> {
  const brought = legs.map(({ seller, answer }) => ({ seller, signals: answer?.signals ?? [] }));
  const { activations, clock } = ports;
  if (activations === undefined) return brought.map(({ seller, signals }) => ({ seller, items: signals }));
  const ids = new Map(connections.map(({ slug, id }) => [slug, id]));
  const known = brought.filter(({ seller }) => ids.has(seller));
  const seen = known.map(({ seller, signals }) => ({ connectionId: ids.get(seller) ?? '', signals }));
  const shown = await applyReportedSignals(activations, scope, seen, clock.now());
  return known.map(({ seller }, at) => ({ seller, items: shown[at] ?? [] }));
}
