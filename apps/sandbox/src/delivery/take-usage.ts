import type { Agent } from '../agent/agent.js';
import { isObject, listOf, objectOf, textOf, type JsonObject } from '../json.js';
import { done, refusal, refusalBody, refuse, type Outcome, type Refusal } from '../agent/outcome.js';

/** Brands of this domain pay by invoice, outside the protocol. */
const billedElsewhere = 'elsewhere.example';

/** Accepts a usage report of this agent's signals, record by record. */
export function takeUsage(agent: Agent, args: JsonObject): Outcome {
  const records = listOf(args['usage']);
  if (!records || records.length === 0) return refuse('VALIDATION_ERROR', 'one record or more', 'usage');
  const errors = records.flatMap((record, at) => faultOf(agent, record, at) ?? []);
  const accepted = records.length - errors.length;
  return done({ accepted, ...(errors.length === 0 ? {} : { errors: errors.map(refusalBody) }) });
}

function faultOf(agent: Agent, record: unknown, at: number): Refusal | undefined {
  const field = (name: string): string => `usage[${String(at)}].${name}`;
  if (!isObject(record)) return refusal('VALIDATION_ERROR', 'a record is an object', `usage[${String(at)}]`);
  const brand = objectOf(objectOf(record['account'])?.['brand']);
  if (textOf(brand?.['domain']) === billedElsewhere)
    return refusal('BILLING_OUT_OF_BAND', 'this account is billed elsewhere', field('account'));
  if (typeof record['vendor_cost'] !== 'number')
    return refusal('VALIDATION_ERROR', 'a number', field('vendor_cost'));
  const id = textOf(record['signal_agent_segment_id']);
  if (id !== undefined && !agent.signals.some((signal) => signal.segmentId === id))
    return refusal('SIGNAL_NOT_FOUND', 'no such signal', field('signal_agent_segment_id'));
  return undefined;
}

/** Accepts a buyer's feedback about a buy. It is advice, and not stored. */
export function takeFeedback(agent: Agent, args: JsonObject): Outcome {
  const id = textOf(args['media_buy_id']);
  const buy = id === undefined ? undefined : agent.books.buys.get(id);
  if (!buy) return refuse('MEDIA_BUY_NOT_FOUND', 'no such media buy', 'media_buy_id');
  const index = args['performance_index'];
  if (typeof index !== 'number' || index < 0)
    return refuse('VALIDATION_ERROR', 'a number of zero or more', 'performance_index');
  const named = textOf(args['package_id']);
  if (named !== undefined && !buy.packages.some((item) => item.packageId === named))
    return refuse('PACKAGE_NOT_FOUND', 'the buy has no such package', 'package_id');
  return done({ success: true });
}
