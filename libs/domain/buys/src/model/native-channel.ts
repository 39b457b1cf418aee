import { createHash, createHmac } from 'node:crypto';
import type { Secret } from '@switchyard/values';

/** What a leg's native A2A channel is registered with. */
export interface NativeChannel {
  /** The registration's id, which is also what the configuration is called at the seller. */
  readonly id: string;
  /** What its posts bring in `X-A2A-Notification-Token`. */
  readonly token: string;
  /** SHA-256 of the token, lower-case hex: all that is stored of it. */
  readonly tokenHash: string;
}

/**
 * The native channel of a leg, made from the connection's own secret: a leg that is sent again, by whichever process,
 * names the same address and brings the same token, and neither has to be kept beside its frozen arguments.
 */
export function nativeChannel(keySecret: Secret, legId: string): NativeChannel {
  const derive = (what: string): string =>
    keySecret.use((bytes) =>
      createHmac('sha256', bytes).update(`a2a-${what}|${legId}`, 'utf8').digest('base64url'),
    );
  const token = derive('token');
  return {
    id: `whr_${derive('address')}`,
    token,
    tokenHash: createHash('sha256').update(token, 'utf8').digest('hex'),
  };
}
