import type { Finding } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import type { MarketQuestion } from './market-question.js';

/** The arguments of one call in a seller's voice, and what could not be carried over. */
export interface Projected {
  readonly args: JsonObject;
  readonly findings: readonly Finding[];
}

/** One projection per voice, not per seller: five hundred sellers speak a handful of voices. */
export function projectRequests<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
): (connection: Connection) => Projected {
  const byVoice = new Map<string, Projected>();
  return (connection) => {
    const voice = { dialect: connection.dialect, form: connection.form };
    const own = question.requestFor?.(connection);
    if (own !== undefined || connection.account !== undefined) {
      const account = connection.account === undefined ? {} : { account: connection.account };
      return question.spec.projectRequest({ ...(own ?? question.request), ...account }, voice);
    }
    const name = `${voice.dialect} ${voice.form}`;
    const known = byVoice.get(name);
    if (known !== undefined) return known;
    const projected = question.spec.projectRequest(question.request, voice);
    byVoice.set(name, projected);
    return projected;
  };
}
