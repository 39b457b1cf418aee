import { actionsIn, actionsOf, taskError, type TaskError } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { requestedActions, type PartRequest } from './requested-actions.js';
import type { MediaBuy, SellerBuy } from '../model/operation.js';

/**
 * The errors of a part that takes no change: the seller has not created it yet, or the connection is not
 * live. A part at a suspended seller takes only changes that reduce or stop it.
 */
export function partFaults(
  sellerBuy: SellerBuy,
  connection: Connection | undefined,
  part: PartRequest,
  buy: Pick<MediaBuy, 'startTime' | 'endTime'>,
): readonly TaskError[] {
  const details = { seller: sellerBuy.seller };
  if (connection?.state === 'suspended' && !onlyReduces(part, buy)) {
    const message = `The seller ${sellerBuy.seller} is suspended: its part of the buy can only be reduced or stopped.`;
    return [
      taskError('INVALID_STATE', message, {
        field: 'media_buy_id',
        suggestion: 'Pause or cancel it, or have the seller resumed.',
        details,
      }),
    ];
  }
  if (connection?.state !== 'live' && connection?.state !== 'suspended') {
    const message = `The seller ${sellerBuy.seller} is not live.`;
    return [taskError('INVALID_STATE', message, { field: 'media_buy_id', details })];
  }
  if (sellerBuy.sellerMediaBuyId !== undefined) return [];
  return [
    taskError('INVALID_STATE', `The seller ${sellerBuy.seller} has not made its part of the buy yet.`, {
      field: 'media_buy_id',
      suggestion: 'Wait until create_media_buy is completed, or name packages of other sellers.',
      details,
    }),
  ];
}

const reducing: ReadonlySet<string> = new Set([
  'cancel',
  'pause',
  'remove_packages',
  'decrease_budget',
  'shorten_flight',
]);
/** Members of a package's change that are no action of their own and add nothing. */
const harmless: ReadonlySet<string> = new Set([
  'package_id',
  'buyer_ref',
  'paused',
  'canceled',
  'cancellation_reason',
  'budget',
  'end_time',
]);

function onlyReduces(part: PartRequest, buy: Pick<MediaBuy, 'startTime' | 'endTime'>): boolean {
  const isHarmless = part.updates.every(
    ({ update }) =>
      update.paused !== false && Object.keys(update.original.value).every((name) => harmless.has(name)),
  );
  return isHarmless && requestedActions(part, buy).every(({ action }) => reducing.has(action));
}

/**
 * The errors for actions that the seller excludes for its part in this status (docs/protocol/media-buys.md#actions),
 * before any seller is called. A seller that lists no actions checks the change itself.
 */
export function actionFaults(
  part: PartRequest,
  { seller, status, actions }: SellerBuy,
  buy: Pick<MediaBuy, 'startTime' | 'endTime'>,
): readonly TaskError[] {
  if (actions === undefined) return [];
  const allowed = actionsOf(status, actions).map(({ action }) => action);
  const coversPackages = actions.some(({ action }) => action === 'update_packages');
  const inState = new Set(actionsIn(status).map(({ action }) => action));
  return requestedActions(part, buy)
    .filter(({ action, orElse, isOfPackage }) => {
      if (isOfPackage && coversPackages) return false;
      return ![[action], ...orElse].some((verbs) => verbs.every((verb) => allowed.includes(verb)));
    })
    .map(({ action, field }) =>
      taskError('ACTION_NOT_ALLOWED', `The seller ${seller} does not allow this now.`, {
        field,
        suggestion: 'Read available_actions with get_media_buys: they change with the state of the buy.',
        details: {
          seller,
          attempted_action: action,
          reason: inState.has(action) ? 'not_supported_on_buy' : 'wrong_status',
          currently_available_actions: allowed,
        },
      }),
    );
}
