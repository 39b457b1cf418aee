import type { BuysPorts, ReadAddress } from '@switchyard/buys';
import { type AnyTaskSpec, hasFeature, type PushConfig, taskNameAt } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { isJsonObject } from '@switchyard/values';
import type { HandledCall } from '../handler.js';

/** An address of ours for one seller's answer to one read, and its form for the seller. */
export interface UpdateAddress extends ReadAddress {
  readonly push: PushConfig;
}

/**
 * Addresses for sellers' later answers, by connection. Only a buyer that registered a webhook itself accepts waiting,
 * and only 3.1 has a member for an address in a read; everybody else is polled. These webhooks are signed: a connection
 * that is marked for an older mode is polled as well.
 */
export function updateAddresses(
  { ids, callbackBase }: Pick<BuysPorts, 'ids' | 'callbackBase'>,
  { call, args }: Pick<HandledCall<unknown>, 'call' | 'args'>,
  spec: AnyTaskSpec,
  connections: readonly Connection[],
): ReadonlyMap<string, UpdateAddress> {
  if (call.a2aPush === undefined && !isJsonObject(args['push_notification_config'])) return new Map();
  return new Map(
    connections
      .filter((connection) => takesUpdates(connection, spec))
      .map((connection) => {
        const [id, sellerOperationId] = [ids.token('whr'), ids.uuid()];
        const push = { url: `${callbackBase()}/webhooks/${id}`, operationId: sellerOperationId };
        return [connection.id, { id, legId: ids.uuid(), sellerOperationId, push }];
      }),
  );
}

function takesUpdates(
  { form, dialect, tools, legacyWebhooks, state }: Connection,
  spec: AnyTaskSpec,
): boolean {
  const named = tools?.[taskNameAt(spec, dialect, tools)] ?? [];
  const hasPlace = named.length === 0 || named.includes('push_notification_config');
  return state === 'live' && hasFeature(form, 'accountNotices') && hasPlace && legacyWebhooks === false;
}
