import { isOutdated, type SellerReply } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { LegObservation } from './observe-leg.js';
import type { Leg } from './operation.js';
import type { BuysPorts } from './ports.js';
import { isMarketRead } from './reads/market-read.js';
import { relearnOutdated } from './relearn-outdated.js';

type RefusedLeg = Pick<Leg, 'connectionId' | 'task'> & Partial<Pick<Leg, 'sealed'>>;

const repeat =
  'Send it again as a new request, under another idempotency_key (or, in a form without keys, another buyer_ref): it ' +
  'goes to this seller in what the seller speaks by then.';

/**
 * What a seller took in and refuses for its form afterwards, by poll or webhook, is not written anew: only the process
 * that planned a leg can do that, and it may be gone. Its buyer is told that a repeat is another thing than the first,
 * which the seller's own words do not say: they are about what we speak to it.
 */
export function tellingOfRepeat(leg: RefusedLeg, news: LegObservation): LegObservation {
  if (!isRefusedLater(news) || leg.sealed === true || isMarketRead(leg.task)) return news;
  const errors = news.reply.errors.map((error) => {
    const { suggestion } = error;
    return { ...error, suggestion: suggestion === undefined ? repeat : `${suggestion} ${repeat}` };
  });
  return { ...news, reply: { ...news.reply, errors } };
}

/** Has the seller looked at that refused so, as after a refusal in its direct answer: a repeat finds it known again. */
export async function relearnRefused(
  ports: Partial<Pick<BuysPorts, 'relearn' | 'connections'>>,
  scope: TenantScope,
  { connectionId }: RefusedLeg,
  news: LegObservation,
): Promise<void> {
  const { relearn, connections } = ports;
  if (relearn === undefined || !isRefusedLater(news)) return;
  const connection = await connections?.byId(scope, connectionId).catch(() => undefined);
  if (connection !== undefined) await relearnOutdated({ relearn }, scope, connection, news.reply);
}

/** A direct answer is judged by whoever sent the request. */
function isRefusedLater({ source, reply }: LegObservation): boolean {
  return source !== 'inline' && isWhollyOutdated(reply);
}

function isWhollyOutdated({ status, errors }: SellerReply): boolean {
  const isRefused = status === 'failed' || status === 'rejected';
  return isRefused && errors.length > 0 && errors.every((error) => isOutdated({ errors: [error] }));
}
