import {
  findCredential,
  projectExtras,
  type ProjectedRequest,
  type RequestExtras,
} from '@switchyard/protocol';
import { isMeantFor, type Connection } from '@switchyard/sellers';
import { weightOf, type JsonObject } from '@switchyard/values';
import type { MarketQuestion } from './market-question.js';

/** A request as one seller gets it. What is the same for all sellers of a release is the same object. */
export interface SellerRequest extends ProjectedRequest {
  /** Arguments that were searched for credentials already, and hold none. */
  readonly searched?: JsonObject;
  /** Set where writing it out takes so long that each seller gets a turn of the event loop of its own. */
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

/** What of a request is one seller's; nothing where it gets what all get. */
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
