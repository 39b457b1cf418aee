import {
  findCredential,
  projectExtras,
  type ProjectedRequest,
  type RequestExtras,
} from '@switchyard/protocol';
import { isMeantFor, type Connection } from '@switchyard/sellers';
import { defined, nextTurn, weightOf, type JsonObject } from '@switchyard/values';
import type { MarketQuestion } from './market-question.js';

/** The request for one seller. Sellers with the same dialect and release share one object. */
export interface SellerRequest extends ProjectedRequest {
  /** Arguments that were already scanned for credentials. */
  readonly searched?: JsonObject;
}

/** Maximum weight of a request that is projected for all releases in one turn. */
const lightRequest = 4_000;

/**
 * Projects the request, finds its losses and scans it for credentials once per wire profile, because hundreds of
 * sellers use a handful of them. A seller's own members are added: its account, its webhook, and a `governance_context`
 * if it is the audience. No other seller gets that token.
 */
export function projectRequests<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
): (connection: Connection) => SellerRequest {
  const { spec } = question;
  const known = new Map<Request, Map<string, SellerRequest>>();
  const sharedBy = (request: Request, { dialect, form }: Connection): SellerRequest => {
    const byProfile = known.get(request) ?? new Map<string, SellerRequest>();
    known.set(request, byProfile);
    const profile = `${dialect} ${form}`;
    const found = byProfile.get(profile);
    if (found !== undefined) return found;
    const projected = spec.projectRequest(withoutToken(request), { dialect, form });
    const shared: SellerRequest = {
      ...projected,
      ...(findCredential(spec.name, projected.args) === undefined ? { searched: projected.args } : {}),
    };
    byProfile.set(profile, shared);
    return shared;
  };
  return (connection) => {
    const request = question.requestFor?.(connection) ?? question.request;
    const shared = sharedBy(request, connection);
    const own = ownMembers(question, request, connection);
    return own === undefined ? shared : { ...shared, args: { ...shared.args, ...own } };
  };
}

/**
 * Projects a long request for each release in a separate turn of the event loop, so that other requests run in between.
 * An error is ignored here: each leg fails with it.
 */
export async function projectInTurns<Request, Answer>(
  { request }: Pick<MarketQuestion<Request, Answer>, 'request'>,
  project: (connection: Connection) => SellerRequest,
  connections: readonly Connection[],
): Promise<void> {
  if (weightOf(request, lightRequest) <= lightRequest) return;
  const releases = new Map(
    connections.map((connection) => [`${connection.dialect} ${connection.form}`, connection]),
  );
  for (const connection of releases.values()) {
    await nextTurn();
    try {
      project(connection);
    } catch {
      continue;
    }
  }
}

/** Returns the members for one seller only; `undefined` if it gets the common request. */
function ownMembers<Request, Answer>(
  { pushFor }: MarketQuestion<Request, Answer>,
  request: Request,
  connection: Connection,
): JsonObject | undefined {
  const { dialect, form, account, agentUrl } = connection;
  const { governanceContext: token } = request as RequestExtras;
  const push = pushFor?.(connection);
  const isForIt = token !== undefined && isMeantFor(token, agentUrl);
  if (account === undefined && push === undefined && !isForIt) return undefined;
  const extras = {
    ...defined({ account, push }),
    ...(isForIt ? { governanceContext: token } : {}),
  };
  return projectExtras(extras, { dialect, form }, 'read');
}

function withoutToken<Request>(request: Request): Request {
  const { governanceContext: _ofOneSeller, ...others } = request as Request & RequestExtras;
  return others as Request;
}
