import type { Agent } from '../agent/agent.js';
import { isOver, type Buy, type BuyStatus } from '../buys/buy.js';
import { textOf, type JsonObject } from '../json.js';
import { done, type Outcome } from '../agent/outcome.js';
import { unable } from '../agent/unable.js';

const statuses: readonly BuyStatus[] = [
  'pending_creatives',
  'pending_start',
  'active',
  'paused',
  'completed',
  'canceled',
  'rejected',
];

/** Puts a buy into a state without the steps that lead there. A final state cannot be left. */
export function forceMediaBuyStatus(agent: Agent, params: JsonObject): Outcome {
  const buy = agent.books.buys.get(textOf(params['media_buy_id']) ?? '');
  if (buy === undefined) return unable('NOT_FOUND', 'no such media buy', null);
  const wanted = statuses.find((status) => status === params['status']);
  if (wanted === undefined) return unable('INVALID_PARAMS', 'no buy is in such a state', buy.status);
  const answer = { success: true, previous_state: buy.status, current_state: wanted };
  if (wanted === buy.status) return done(answer);
  if (isOver(buy)) return unable('INVALID_TRANSITION', 'the buy is over', buy.status);
  if (wanted === 'rejected' && buy.status !== 'pending_creatives' && buy.status !== 'pending_start')
    return unable('INVALID_TRANSITION', 'a buy that has begun is not rejected any more', buy.status);
  return done(answer, { buy: { ...buy, ...changeTo(agent, buy, wanted, params) } });
}

function changeTo(agent: Agent, buy: Buy, wanted: BuyStatus, params: JsonObject): Partial<Buy> {
  const now = agent.now();
  const changed = { status: wanted, revision: buy.revision + 1, updatedAt: now };
  const reason = textOf(params['rejection_reason']);
  if (wanted === 'active')
    return { ...changed, clockFrom: buy.clockFrom ?? now, stepsDone: Math.max(buy.stepsDone, 1) };
  // A canceled buy still owes its final report, which needs a clock.
  if (wanted === 'canceled') return { ...changed, clockFrom: buy.clockFrom ?? now };
  return wanted === 'rejected' && reason !== undefined ? { ...changed, rejectionReason: reason } : changed;
}
