import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';

/** The native addresses of A2A that a task of ours has, for whoever registers them one by one. */
export interface TaskCallbacks {
  /** Those that came with the message too, oldest first. */
  list(scope: TenantScope, operationId: string): Promise<readonly BuyerRegistration[]>;
  /**
   * Adds an address under the lock of its operation, so that no news fall between, and ends the one whose place it
   * takes. `over`: there will be no news any more, and nothing was changed.
   */
  add(scope: TenantScope, registration: BuyerRegistration, replaces?: string): Promise<'added' | 'over'>;
  /** Takes an address out, and what it had not been told yet with it. */
  remove(scope: TenantScope, registrationId: string, at: Instant): Promise<void>;
}
