import { actionsIn, actionsOf, taskError, type TaskError } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { requestedActions, type PartRequest } from './requested-actions.js';
import type { MediaBuy, SellerBuy } from '../model/operation.js';

/**
 * A part that the seller has not made yet, or that we cannot reach, takes no change; one at a suspended seller takes those
 * that only reduce or stop it.
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
/** Members of a package's change that no verb stands for and that add nothing. */
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
 * What the seller itself said may not be done to its part in this state (docs/protocol/media-buys.md#actions): said
 * here, before any seller has heard of the change. A seller that says nothing of its own judges for itself.
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
