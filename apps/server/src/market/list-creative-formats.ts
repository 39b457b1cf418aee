import { mergeAgents, mergeFormats } from '@switchyard/fanout';
import { listCreativeFormats as task, type ListCreativeFormatsRequest } from '@switchyard/protocol';
import { inTurns } from '@switchyard/values';
import { answerFromMarket } from './answer-from-market.js';
import { filteredFindings, readFindings } from './market-findings.js';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { mergeOffers } from './merge-offers.js';
import { firstPage, nextPage } from './answer-pages.js';
import { sellerErrors, withFailed, writeItems } from '../platform/tasks/answer/write-answer.js';
import { withOurs } from '../platform/tasks/answer/extend-answer.js';

/** Queries every sales agent for the formats it accepts. */
export async function listCreativeFormats(
  deps: HandlerDeps,
  handled: HandledCall<ListCreativeFormatsRequest>,
): Promise<Handled> {
  const { request, version } = handled;
  if (request.cursor !== undefined) return nextPage(deps, handled, 'formats');
  const market = await answerFromMarket(deps, handled, task, {
    count: (answer) => answer.formats.length,
    pages: {
      cursorOf: (answer) => answer.page?.cursor,
      join: (sofar, next) => ({
        ...sofar,
        formats: [...sofar.formats, ...next.formats],
        creativeAgents: [...(sofar.creativeAgents ?? []), ...(next.creativeAgents ?? [])],
      }),
    },
  });
  const offers = market.legs.map((leg) => ({ seller: leg.seller, items: leg.answer?.formats ?? [] }));
  const merged = await inTurns(mergeOffers(offers, (some) => mergeFormats(some, request)));
  const formats = merged.items.map(({ seller, item }) => ({ ...item, seller }));
  const creativeAgents = mergeAgents(market.legs.flatMap(({ answer }) => answer?.creativeAgents ?? []));
  const answer = { formats, ...(creativeAgents.length === 0 ? {} : { creativeAgents }) };
  const { payload, failed } = await inTurns(writeItems(task, answer, version.profile));
  const findings = [...readFindings(market.legs), ...filteredFindings(merged)];
  return firstPage(deps, handled, 'formats', {
    kind: 'done',
    status: 'completed',
    payload: withOurs(
      payload,
      { findings, seller_errors: sellerErrors(market.legs, version.profile) },
      version.profile,
    ),
    sellers: withFailed(market.rows, [...merged.failed, ...failed]),
    operationId: market.operationId,
  });
}
