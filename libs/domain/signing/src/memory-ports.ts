import type { Instant } from '@switchyard/values';
import type { ReplayStore } from './ports.js';

/**
 * Stores nonces in the memory of one process. A receiver with several processes needs a shared store; otherwise each
 * process would accept a nonce that another has seen.
 */
export function memoryReplayStore(cap: number, now: () => Instant): ReplayStore {
  const seen = new Map<string, Map<string, Instant>>();
  const live = (keyid: string): Map<string, Instant> => {
    const nonces = seen.get(keyid) ?? new Map<string, Instant>();
    seen.set(keyid, nonces);
    if (nonces.size >= cap) {
      for (const [nonce, expiresAt] of nonces) if (expiresAt < now()) nonces.delete(nonce);
    }
    return nonces;
  };
  return {
    isFull: (keyid) => Promise.resolve(live(keyid).size >= cap),
    claim: (keyid, nonce, expiresAt) => {
      const nonces = live(keyid);
      if ((nonces.get(nonce) ?? -Infinity) >= now()) return Promise.resolve('replayed');
      if (nonces.size >= cap) return Promise.resolve('full');
      nonces.set(nonce, expiresAt);
      return Promise.resolve('claimed');
    },
  };
}
