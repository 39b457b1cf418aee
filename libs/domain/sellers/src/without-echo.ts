import { Buffer } from 'node:buffer';
import type { TaskError } from '@switchyard/protocol';
import type { SellerTarget } from './transport.js';

/**
 * A seller's errors as they may be shown: whole, unless one of them holds the credential that the seller was called
 * with. Of such an error nothing is left but its code and what can be done about it.
 */
export function withoutEcho(
  errors: readonly TaskError[],
  credential: SellerTarget['credential'],
): readonly TaskError[] {
  if (credential === undefined || errors.length === 0) return errors;
  return credential.secret.useText((secret) => {
    // Basic goes out in base64, and would come back so.
    const forms = [secret, Buffer.from(secret, 'utf8').toString('base64')].filter((form) => form !== '');
    const holds = (text: string): boolean => forms.some((form) => text.includes(form));
    return errors.map((error) => {
      if (!holds(JSON.stringify(error))) return error;
      const { recovery, retryAfter } = error;
      return {
        code: holds(error.code) ? 'SERVICE_UNAVAILABLE' : error.code,
        message: 'The seller refused, in words that hold a credential: they are not shown.',
        ...(recovery === undefined ? {} : { recovery }),
        ...(retryAfter === undefined ? {} : { retryAfter }),
      };
    });
  });
}
