import type { SellerReply } from '@switchyard/protocol';
import type { SellerTransport } from '@switchyard/sellers';
import { replaceTexts, type JsonValue } from '@switchyard/values';
import { endingAt } from './name-at-seller.js';

/**
 * Replaces local ids of creatives with the buyer's own in all texts of a seller's answer, including messages.
 * Check before, by the sent ids, which rows are this tenant's.
 */
export function withBuyerIds<T extends JsonValue>(reported: T, connectionId: string): T {
  return replaceTexts(reported, [endingAt(connectionId)], '');
}

/** Does the same in a reply. */
export function replyWithBuyerIds(reply: SellerReply, connectionId: string): SellerReply {
  const { payload, errors, ...others } = reply;
  return {
    ...others,
    payload: withBuyerIds(payload, connectionId),
    errors: errorsWithBuyerIds(errors, connectionId),
  };
}

/** Does the same in errors. */
export function errorsWithBuyerIds<Errors extends SellerReply['errors']>(
  errors: Errors,
  connectionId: string,
): Errors {
  return withBuyerIds(errors as unknown as JsonValue, connectionId) as unknown as Errors;
}

/** Does the same in all answers of a transport, for requests that name no creative. */
export function transportWithBuyerIds(transport: SellerTransport): SellerTransport {
  return {
    call: async (target, call, signal) => {
      const reported = await transport.call(target, call, signal);
      if (!reported.ok) return reported;
      const { payload } = reported.value;
      const received = withBuyerIds(payload, target.connectionId);
      return received === payload
        ? reported
        : { ...reported, value: { ...reported.value, payload: received } };
    },
    listTools: (target, signal) => transport.listTools(target, signal),
    forget: (connectionId) => transport.forget(connectionId),
    close: () => transport.close(),
  };
}
