import { createHash, createHmac } from 'node:crypto';
import type { Secret } from '@switchyard/values';

/** The registration of a leg's native A2A channel. */
interface NativeChannel {
  /** The registration's id, also the id of the configuration at the seller. */
  readonly id: string;
  /** Value of `X-A2A-Notification-Token` in its posts. */
  readonly token: string;
  /** SHA-256 of the token, lower-case hex. The token itself is not stored. */
  readonly tokenHash: string;
}

/**
 * Derives the native channel of a leg from the connection's secret: every process that sends the leg again
 * uses the same address and token, so neither has to be stored with the frozen arguments.
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
