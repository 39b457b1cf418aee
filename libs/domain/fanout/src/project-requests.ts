import type { ProjectedRequest, RequestExtras } from '@switchyard/protocol';
import { isMeantFor, type Connection } from '@switchyard/sellers';
import type { MarketQuestion } from './market-question.js';

/**
 * One projection per voice, not per seller: five hundred sellers speak a handful of voices. A `governance_context` is
 * one seller's: nobody else gets it.
 */
export function projectRequests<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
): (connection: Connection) => ProjectedRequest {
  const byVoice = new Map<string, ProjectedRequest>();
  const token = (question.request as RequestExtras).governanceContext;
  return (connection) => {
    const voice = { dialect: connection.dialect, form: connection.form };
    const own = question.requestFor?.(connection);
    const isForIt = token !== undefined && isMeantFor(token, connection.agentUrl);
    if (own !== undefined || connection.account !== undefined || isForIt) {
      const account = connection.account === undefined ? {} : { account: connection.account };
      const asked = own ?? question.request;
      return question.spec.projectRequest({ ...(isForIt ? asked : withoutToken(asked)), ...account }, voice);
    }
    const name = `${voice.dialect} ${voice.form}`;
    const known = byVoice.get(name);
    if (known !== undefined) return known;
    const projected = question.spec.projectRequest(withoutToken(question.request), voice);
    byVoice.set(name, projected);
    return projected;
  };
}

function withoutToken<Request>(request: Request): Request {
  const { governanceContext: _ofOneSeller, ...others } = request as Request & RequestExtras;
  return others as Request;
}
