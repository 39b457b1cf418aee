import type { Agent } from './agent.js';
import type { Buy } from './buy.js';
import { compact, objectOf, textOf, type JsonObject } from './json.js';
import { done, refuse, type Outcome } from './outcome.js';
import { showPackage } from './show-buy.js';

/** Pause, resume and cancel. Anything else that a buyer might change is refused by name. */
export function updateMediaBuy(agent: Agent, args: JsonObject): Outcome {
  const buy = agent.books.buys.get(textOf(args['media_buy_id']) ?? '');
  if (!buy) return refuse('MEDIA_BUY_NOT_FOUND', 'no such media buy', 'media_buy_id');
  const wish = wishOf(agent.personality.form === 'service' ? (objectOf(args['updates']) ?? {}) : args);
  if (wish === undefined) {
    const advice = 'Set paused or canceled.';
    return refuse('UNSUPPORTED_FEATURE', 'a buy here can be paused, resumed and canceled', undefined, advice);
  }
  if (buy.status === 'canceled' && wish === 'cancel') return refuse('NOT_CANCELLABLE', 'already canceled');
  if (buy.status === 'completed' || buy.status === 'canceled') {
    return refuse('INVALID_STATE', `the buy is ${buy.status}`, 'media_buy_id');
  }
  if (typeof args['revision'] === 'number' && args['revision'] !== buy.revision) {
    return refuse('CONFLICT', 'the buy has changed since', 'revision', 'Read it again.');
  }
  const updated = applied(agent, buy, wish);
  return done(
    compact({
      media_buy_id: buy.mediaBuyId,
      buyer_ref: agent.personality.form === 'service' ? buy.buyerRef : undefined,
      ...statusOf(agent, updated),
      implementation_date: new Date(agent.now()).toISOString(),
      affected_packages: updated.packages.map((part) => showPackage(agent, part)),
    }),
    { buy: updated },
  );
}

type Wish = 'pause' | 'resume' | 'cancel';

function wishOf(args: JsonObject): Wish | undefined {
  if (args['canceled'] === true || args['status'] === 'canceled') return 'cancel';
  if (args['paused'] === true || args['status'] === 'paused') return 'pause';
  if (args['paused'] === false || args['status'] === 'active') return 'resume';
  return undefined;
}

function applied(agent: Agent, buy: Buy, wish: Wish): Buy {
  const now = agent.now();
  const { pausedAfter, ...rest } = buy;
  const changed = { ...rest, updatedAt: now, revision: buy.revision + 1 };
  if (wish === 'cancel') return { ...changed, status: 'canceled', clockFrom: buy.clockFrom ?? now };
  if (wish === 'pause' && buy.status === 'active' && buy.clockFrom !== undefined) {
    return { ...changed, status: 'paused', pausedAfter: now - buy.clockFrom };
  }
  if (wish === 'resume' && pausedAfter !== undefined) {
    return { ...changed, status: 'active', clockFrom: now - pausedAfter };
  }
  return buy;
}

function statusOf(agent: Agent, buy: Buy): JsonObject {
  if (agent.personality.form !== '3.1') return { status: buy.status };
  return {
    media_buy_status: buy.status,
    revision: buy.revision,
    currency: buy.currency,
  };
}
