import { actionsOf, taskError, type TaskError } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { SellerBuy } from './operation.js';
import type { WholeBuy } from './part-of-update.js';

/** A part that the seller has not made yet, or that we cannot reach, takes no change. */
export function partFaults(sellerBuy: SellerBuy, connection: Connection | undefined): readonly TaskError[] {
  const details = { seller: sellerBuy.seller };
  if (connection?.state !== 'live') {
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

/** What the seller itself said may be done to its part in this state. */
export function actionFaults(whole: WholeBuy, { seller, status, actions }: SellerBuy): readonly TaskError[] {
  if (actions === undefined) return [];
  const wanted = whole.canceled === true ? 'cancel' : pauseVerb(whole.paused);
  const allowed = actionsOf(status, actions).map(({ action }) => action);
  if (wanted === undefined || allowed.includes(wanted)) return [];
  return [
    taskError('ACTION_NOT_ALLOWED', `The seller ${seller} does not allow this now.`, {
      field: wanted === 'cancel' ? 'canceled' : 'paused',
      details: {
        seller,
        attempted_action: wanted,
        reason: 'not_supported_on_buy',
        currently_available_actions: allowed,
      },
    }),
  ];
}

function pauseVerb(paused: boolean | undefined): string | undefined {
  if (paused === undefined) return undefined;
  return paused ? 'pause' : 'resume';
}
