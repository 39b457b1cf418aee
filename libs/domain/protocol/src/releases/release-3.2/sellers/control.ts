import { err, ok, type JsonObject } from '@switchyard/values';
import { objectsAt, textAt, without } from '../../../message/pick.js';
import type { StandIn } from '../../seller-lifecycle.js';
import { same } from '../compact/keep.js';
import { refusal } from './buy.js';
import { inOlderShape } from './older-answers.js';

const envelope = [
  ...['idempotency_key', 'account', 'governance_context', 'push_notification_config', 'context', 'ext'],
];
const changes = [
  ...[
    'media_buy_id',
    'name',
    'paused',
    'canceled',
    'cancellation_reason',
    'total_budget',
    'pacing',
    'bidding',
  ],
  ...['daily_budget_cap', 'budget_cap_timezone', 'budget_allocation', 'reporting_webhook'],
];
const ofPackage = [
  ...['package_id', 'budget', 'daily_budget_cap', 'min_spend_target', 'impressions', 'pacing', 'bidding'],
  ...['paused', 'canceled', 'cancellation_reason', 'targeting_overlay', 'optimization_goals'],
  ...['keyword_targets_add', 'keyword_targets_remove', 'negative_keywords_add', 'negative_keywords_remove'],
];

/** `update_media_buy`, by the control of what the terms allow. Changes of the terms are refused with their place. */
export const change: StandIn = {
  by: ['control_media_buy'],
  carries: [
    ...[...envelope, ...changes, 'packages', 'revision', 'context_id'],
    // They are refused by name below, so that a change is never made in part.
    ...['start_time', 'end_time', 'new_packages', 'invoice_recipient'],
  ],
  async ask(args, seller) {
    const place = unsayable(args);
    if (place !== undefined)
      return ok(refusal('UNSUPPORTED_FEATURE', 'This seller changes it by a new agreement alone.', place));
    const key = `control_media_buy ${textAt(args, 'idempotency_key') ?? ''}`;
    const before = seller.recall(key);
    let sent = before;
    if (sent === undefined) {
      const read = await seller.call('get_media_buys', {
        ...same(args, ['account', 'context']),
        media_buy_ids: [args['media_buy_id'] ?? ''],
      });
      if (!read.ok) return read;
      const [buy] = objectsAt(read.value.payload, 'media_buys');
      const revision = args['revision'] ?? buy?.['revision'];
      if (typeof revision !== 'number')
        return ok(refusal('CONFLICT', 'The seller does not say the revision of this buy.', 'revision'));
      sent = {
        ...same(args, [...envelope, ...changes]),
        revision,
        ...(args['packages'] === undefined ? {} : { packages: objectsAt(args, 'packages').map(controlOf) }),
      };
      seller.keep(key, sent);
    }
    const said = await seller.call('control_media_buy', sent);
    if (!said.ok) return said;
    const codes = objectsAt(said.value.payload, 'errors').map(({ code }) => code);
    // Made anew after a restart: the first try may have been taken.
    if (before === undefined && codes.includes('IDEMPOTENCY_CONFLICT')) {
      seller.forget(key);
      return err(seller.uncertain());
    }
    return ok({ ...said.value, payload: inOlderShape(said.value.payload) });
  },
};

function controlOf(part: JsonObject): JsonObject {
  const bid = part['bid_price'];
  return { ...same(part, ofPackage), ...(typeof bid === 'number' ? { bidding: { bid_amount: bid } } : {}) };
}

/** The place of a change that is none of a running agreement. */
function unsayable(args: JsonObject): string | undefined {
  const own = ['start_time', 'end_time', 'new_packages', 'invoice_recipient'].find(
    (name) => args[name] !== undefined,
  );
  if (own !== undefined) return own;
  for (const [at, part] of objectsAt(args, 'packages').entries()) {
    const [name] = Object.keys(without(part, [...ofPackage, 'bid_price', 'context', 'buyer_ref']));
    if (name !== undefined) return `packages[${at}].${name}`;
  }
  return undefined;
}
