import { prefixId, type BuyHistoryEntry } from '@switchyard/protocol';
import { canonicalJson, isoOf, type JsonValue } from '@switchyard/values';
import type { BuyChange, MediaBuyRecord } from '../model/operation.js';

/** The actions of release 3.1; an action without one keeps our name. */
const standardActions: Readonly<Record<string, string>> = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'canceled',
  update_dates: 'updated_dates',
  update_packages: 'updated_packages',
  add_packages: 'updated_packages',
  remove_packages: 'package_canceled',
};

const actors: Readonly<Record<BuyChange['actor'], string>> = {
  buyer: 'buyer',
  compensation: 'switchyard, because another seller failed',
  seller: 'seller',
  person: 'a person at Switchyard',
};

const summaryAtMost = 500;

/** The newest `limit` entries of a buy's history; its creation is the oldest. `changes` are sorted newest first. */
export function buyHistory(
  { buy }: Pick<MediaBuyRecord, 'buy'>,
  changes: readonly BuyChange[],
  limit: number,
): readonly BuyHistoryEntry[] {
  const made = { revision: 1, timestamp: isoOf(buy.createdAt), action: 'created', actor: actors.buyer };
  return [...changes.map(entryOf), made].slice(0, limit);
}

function entryOf(change: BuyChange): BuyHistoryEntry {
  const { revision, at, actor, seller, packageId } = change;
  return {
    revision,
    timestamp: isoOf(at),
    action: actionOf(change),
    actor: actor === 'seller' ? `seller ${seller}` : actors[actor],
    summary: summaryOf(change).slice(0, summaryAtMost),
    ...(packageId === undefined || packageId === '' ? {} : { packageId: prefixId(seller, packageId) }),
  };
}

/** What changed, with the new values. */
function summaryOf({ action, seller, detail }: BuyChange): string {
  const text = (value: JsonValue): string => (typeof value === 'string' ? value : canonicalJson(value));
  const { from, to } = detail;
  if (action === 'refused_transition' && typeof from === 'string' && typeof to === 'string')
    return `${seller} reported ${to} after ${from}: this is not allowed, and was not applied`;
  const members = Object.entries(detail).map(
    ([name, value]) => `${name.replaceAll('_', ' ')} ${text(value)}`,
  );
  return `${action.replaceAll('_', ' ')} at ${seller}${members.length === 0 ? '' : `: ${members.join(', ')}`}`;
}

/** Changes of one package that only pause it, or only change its budget, have actions of their own. */
function actionOf({ action, detail }: BuyChange): string {
  const members = Object.keys(detail);
  const [only] = members;
  if (action === 'update_packages' && members.length === 1) {
    if (only === 'paused') return detail['paused'] === true ? 'package_paused' : 'package_resumed';
    if (only === 'budget') return 'updated_budget';
  }
  return (Object.hasOwn(standardActions, action) ? standardActions[action] : undefined) ?? action;
}
