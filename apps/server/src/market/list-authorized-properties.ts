import {
  type AuthorizedProperty,
  type Finding,
  hasFeature,
  listAuthorizedProperties as task,
  type ListAuthorizedPropertiesAnswer,
  type ListAuthorizedPropertiesRequest,
  readDeclaredPortfolio,
  type SellerRow,
  taskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { answerFromMarket } from './answer-from-market.js';
import { verifyPublishers } from '../sellers/index.js';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { timeoutOf } from '../platform/tasks/call/timeout.js';
import { readFindings } from './market-findings.js';
import { sellerErrors, writeAnswer } from '../platform/tasks/answer/write-answer.js';
import { withOurs } from '../platform/tasks/answer/extend-answer.js';

interface SellerAnswer {
  readonly seller: string;
  readonly answer: ListAuthorizedPropertiesAnswer;
  /** Names in the answer that cannot be used. */
  readonly setAside: readonly Finding[];
  /** The parts of the request that it could not get. */
  readonly findings: readonly Finding[];
}

/**
 * The publishers whose supply can be bought here, each with its sellers. Versions before 3.0 have a task for it; a
 * seller of a later one declares its supply in its capabilities, which were read without any caller's rights.
 */
export async function listAuthorizedProperties(
  deps: HandlerDeps,
  handled: HandledCall<ListAuthorizedPropertiesRequest>,
): Promise<Handled> {
  const { scope, version, request } = handled;
  const begun = deps.ports.clock.now();
  const sales = (await deps.ports.connections.list(scope)).filter(({ kinds }) => kinds.includes('sales'));
  const declared = sales.filter((seller) => seller.state === 'live' && declaresIt(seller));
  const requested = sales.filter((seller) => !declared.includes(seller));
  const connections = { ...deps.ports.connections, list: () => Promise.resolve(requested) };
  const ports = { ...deps.ports, connections };
  const market = await answerFromMarket({ ...deps, ports }, handled, task, {
    count: (answer) => answer.properties.length,
  });
  const reported: readonly SellerAnswer[] = [
    ...declared.flatMap(({ slug, capabilities }) =>
      capabilities === undefined
        ? []
        : [{ seller: slug, ...readDeclaredPortfolio(capabilities), findings: [] }],
    ),
    ...market.legs.flatMap(({ seller, answer, setAside, findings }) =>
      answer === undefined ? [] : [{ seller, answer, setAside, findings }],
    ),
  ];
  const { properties, denied } = await verifyPublishers(
    deps,
    sales,
    publishersIn(reported, request.publisherDomains),
    begun + timeoutOf(handled.args, task.deadlineMs) - deps.ports.clock.now(),
  );
  const answer = merged(reported, properties);
  const rows = [...declared.map(rowOf), ...market.rows];
  if (answer.properties.length === 0 && version.profile.form !== 'service') {
    // The answer must name at least one publisher.
    const words =
      denied.length === 0
        ? 'No seller here has this publisher.'
        : 'No seller here is authorized by this publisher.';
    const error = taskError('REFERENCE_NOT_FOUND', words, {
      ...(request.publisherDomains === undefined ? {} : { field: 'publisher_domains' }),
    });
    return { kind: 'failed', errors: [error], sellers: rows, operationId: market.operationId };
  }
  return {
    kind: 'done',
    status: 'completed',
    payload: withOurs(
      writeAnswer(task, answer, version.profile),
      {
        findings: [...readFindings(reported), ...denied],
        seller_errors: sellerErrors(market.legs, version.profile),
      },
      version.profile,
    ),
    sellers: rows,
    operationId: market.operationId,
  };
}

/** A seller of 3.x, or one of an older version that declares a portfolio and has no task to list it. */
function declaresIt({ form, capabilities, tools }: Connection): boolean {
  if (hasFeature(form, 'declaredPortfolio')) return true;
  const isOffered = tools === undefined || task.names.ads.some((name) => Object.hasOwn(tools, name));
  return !isOffered && (capabilities?.publisherDomains.length ?? 0) > 0;
}

/** In order of name, so that equal requests get equal answers. */
function publishersIn(
  reported: readonly SellerAnswer[],
  wanted: readonly string[] | undefined,
): readonly AuthorizedProperty[] {
  const sellers = new Map<string, Set<string>>();
  for (const { seller, answer } of reported)
    for (const { publisherDomain } of answer.properties) {
      if (wanted !== undefined && !wanted.includes(publisherDomain)) continue;
      sellers.set(publisherDomain, (sellers.get(publisherDomain) ?? new Set()).add(seller));
    }
  return [...sellers]
    .map(([publisherDomain, of]): AuthorizedProperty => ({ publisherDomain, sellers: [...of].sort() }))
    .sort((one, other) => (one.publisherDomain < other.publisherDomain ? -1 : 1));
}

function merged(
  reported: readonly SellerAnswer[],
  properties: readonly AuthorizedProperty[],
): ListAuthorizedPropertiesAnswer {
  const named = new Set(properties.flatMap(({ sellers }) => sellers));
  const among = reported.filter(({ seller }) => named.has(seller));
  const isOne = among.length === 1;
  const union = (read: (answer: ListAuthorizedPropertiesAnswer) => readonly string[]): string[] =>
    [...new Set(among.flatMap(({ answer }) => read(answer)))].sort();
  return {
    properties,
    channels: union(({ channels }) => channels),
    countries: union(({ countries }) => countries),
    portfolios: among.flatMap(({ seller, answer: { portfolios, lastUpdated } }) => {
      if (isOne || lastUpdated === undefined) return portfolios.map((words) => ({ ...words, seller }));
      return [{ ...portfolios[0], seller, lastUpdated }];
    }),
    // A list over several sellers changes with each of them, and with the set of them, so it has no single time.
    ...(isOne && among[0]?.answer.lastUpdated !== undefined
      ? { lastUpdated: among[0].answer.lastUpdated }
      : {}),
  };
}

function rowOf({ slug, capabilities }: Connection): SellerRow {
  const items = capabilities?.publisherDomains.length ?? 0;
  const reason = 'From what the seller declares of itself.';
  return { seller: slug, status: 'answered', reason, elapsed_ms: 0, items };
}
