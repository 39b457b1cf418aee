import type { SellerLanes, SellerTarget, SellerTransport, TransportFailure } from '@switchyard/sellers';
import type { Result } from '@switchyard/values';

type Credential = NonNullable<SellerTarget['credential']>;

/** What a refusal of a renewed token leads to. */
export interface RefusedTokens {
  /** Another token than the refused one; undefined if there is none. */
  replace(target: SellerTarget): Promise<Credential | undefined>;
  /** A token that was renewed a moment ago was refused, too. */
  refusedAgain(target: SellerTarget): Promise<void>;
}

/**
 * A call that is refused with 401 because of a token that can be renewed is made once more with another one. The seller
 * has done nothing, so this also holds for what changes something. 403 renews nothing: the token is good and allows less.
 */
export function renewingTransport(
  transport: SellerTransport & SellerLanes,
  tokens: RefusedTokens,
): SellerTransport & SellerLanes {
  const again = async <T>(
    target: SellerTarget,
    call: (target: SellerTarget) => Promise<Result<T, TransportFailure>>,
  ): Promise<Result<T, TransportFailure>> => {
    const first = await call(target);
    if (target.credential?.renews !== true || !isRefusal(first)) return first;
    const credential = await tokens.replace(target);
    if (credential === undefined) return first;
    const second = await call({ ...target, credential });
    credential.secret.wipe();
    if (isRefusal(second)) await tokens.refusedAgain({ ...target, credential });
    return second;
  };
  return {
    call: (target, call, signal) => again(target, (to) => transport.call(to, call, signal)),
    listTools: (target, signal) => again(target, (to) => transport.listTools(to, signal)),
    lane: (target, signal) => transport.lane(target, signal),
    forget: (connectionId) => transport.forget(connectionId),
    close: () => transport.close(),
  };
}

const isRefusal = (answer: Result<unknown, TransportFailure>): boolean =>
  !answer.ok && answer.error.code === 'unauthorized' && answer.error.httpStatus === 401;
