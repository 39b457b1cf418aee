import {
  findCredential,
  projectExtras,
  type ProjectedRequest,
  type RequestExtras,
} from '@switchyard/protocol';
import { isMeantFor, type Connection } from '@switchyard/sellers';
import { weightOf, type JsonObject } from '@switchyard/values';
import type { MarketQuestion } from './market-question.js';

/** The request for one seller. Sellers of one release share the same object. */
export interface SellerRequest extends ProjectedRequest {
  /** Arguments that were already scanned for credentials. */
  readonly searched?: JsonObject;
  /** Set where serializing takes so long that each seller gets its own turn of the event loop. */
  readonly isHeavy?: true;
}

/** Weight of a request that is sent to all sellers at once. */
const lightRequest = 4_000;

/**
 * One translation, one search for what is lost and one for credentials per release, not per seller: five hundred sellers
 * speak a handful of them. A seller's own members are added to it: its account, the address that is its own, and a
 * `governance_context` that is meant for it. Nobody else gets that one.
 */
export function projectRequests<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
): (connection: Connection) => SellerRequest {
  const { spec } = question;
  const known = new Map<Request, Map<string, SellerRequest>>();
  const sharedBy = (request: Request, { dialect, form }: Connection): SellerRequest => {
    const byVoice = known.get(request) ?? new Map<string, SellerRequest>();
    known.set(request, byVoice);
    const profile = `${dialect} ${form}`;
    const found = byVoice.get(profile);
    if (found !== undefined) return found;
    const projected = spec.projectRequest(withoutToken(request), { dialect, form });
    const shared: SellerRequest = {
      ...projected,
      ...(findCredential(spec.name, projected.args) === undefined ? { searched: projected.args } : {}),
      ...(weightOf(projected.args, lightRequest) > lightRequest ? { isHeavy: true } : {}),
    };
    byVoice.set(profile, shared);
    return shared;
  };
  return (connection) => {
    const request = question.requestFor?.(connection) ?? question.request;
    const shared = sharedBy(request, connection);
    const own = ownMembers(question, request, connection);
    return own === undefined ? shared : { ...shared, args: { ...shared.args, ...own } };
  };
}

/** The members of a request for one seller only; `undefined` where it gets the common request. */
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
    ...(account === undefined ? {} : { account }),
    ...(push === undefined ? {} : { push }),
    ...(isForIt ? { governanceContext: token } : {}),
  };
  return projectExtras(extras, { dialect, form }, 'read');
}

function withoutToken<Request>(request: Request): Request {
  const { governanceContext: _ofOneSeller, ...others } = request as Request & RequestExtras;
  return others as Request;
}
