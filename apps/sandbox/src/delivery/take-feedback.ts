import type { Agent } from '../agent/agent.js';
import { textOf, type JsonObject } from '../json.js';
import { done, refuse, type Outcome } from '../agent/outcome.js';

/** Accepts a buyer's feedback about a buy. It is advice, and not stored. */
export function takeFeedback(agent: Agent, args: JsonObject): Outcome {
  const id = textOf(args['media_buy_id']);
  const buy = id === undefined ? undefined : agent.books.buys.get(id);
  if (!buy) return refuse('MEDIA_BUY_NOT_FOUND', 'no such media buy', 'media_buy_id');
  const index = args['performance_index'];
  if (typeof index !== 'number' || index < 0)
    return refuse('VALIDATION_ERROR', 'a number of zero or more', 'performance_index');
  const named = textOf(args['package_id']);
  if (named !== undefined && !buy.packages.some((one) => one.packageId === named))
    return refuse('PACKAGE_NOT_FOUND', 'the buy has no such package', 'package_id');
  return done({ success: true });
}
