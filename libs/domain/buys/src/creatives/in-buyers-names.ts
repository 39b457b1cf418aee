import type { SellerReply } from '@switchyard/protocol';
import type { SellerTransport } from '@switchyard/sellers';
import { replaceTexts, type JsonValue } from '@switchyard/values';
import { endingAt } from './name-at-seller.js';

/**
 * What a seller says with its creatives under the buyer's own ids: an id of ours is in no text of it any more, not in a
 * message either. Which rows of it are this tenant's is to be judged before, by the ids that the seller was sent.
 */
export function inBuyersNames<T extends JsonValue>(reported: T, connectionId: string): T {
  return replaceTexts(reported, [endingAt(connectionId)], '');
}

/** The same of what became of a call. */
export function replyInBuyersNames(reply: SellerReply, connectionId: string): SellerReply {
  const { payload, errors, ...others } = reply;
  return {
    ...others,
    payload: inBuyersNames(payload, connectionId),
    errors: errorsInBuyersNames(errors, connectionId),
  };
}

/** The same of errors. */
export function errorsInBuyersNames<Errors extends SellerReply['errors']>(
  errors: Errors,
  connectionId: string,
): Errors {
  return inBuyersNames(errors as unknown as JsonValue, connectionId) as unknown as Errors;
}

/** The same of all that comes over a transport: for questions in which no creative is named. */
export function transportInBuyersNames(transport: SellerTransport): SellerTransport {
  return {
    call: async (target, call, signal) => {
      const reported = await transport.call(target, call, signal);
      if (!reported.ok) return reported;
      const { payload } = reported.value;
      const received = inBuyersNames(payload, target.connectionId);
      return received === payload
        ? reported
        : { ...reported, value: { ...reported.value, payload: received } };
    },
    listTools: (target, signal) => transport.listTools(target, signal),
    forget: (connectionId) => transport.forget(connectionId),
    close: () => transport.close(),
  };
}
