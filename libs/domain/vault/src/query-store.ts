import { err, ok, type Result } from '@switchyard/values';
import type { VaultFailure } from './vault-failure.js';

/**
 * Turns a rejection of the store into a failure value. The cause is left out: a driver's message may quote parameters,
 * and the store reports its own errors.
 */
export async function askStore<T>(
  question: () => Promise<T>,
  code: 'store_unavailable' | 'audit_unavailable' = 'store_unavailable',
): Promise<Result<T, VaultFailure>> {
  try {
    return ok(await question());
  } catch {
    return err({ code, message: messages[code] });
  }
}

const messages = {
  store_unavailable: 'The credential store did not answer.',
  audit_unavailable: 'The use could not be recorded, so nothing was opened.',
} as const;
