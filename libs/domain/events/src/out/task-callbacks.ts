import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';

/** The native A2A addresses of a task, which buyers register one by one. */
export interface TaskCallbacks {
  /** Oldest first, including those sent with the message. */
  list(scope: TenantScope, operationId: string): Promise<readonly BuyerRegistration[]>;
  /**
   * Adds an address under the lock of its operation, so that no event is missed, and ends the one it
   * replaces. `over`: no more events will follow, and nothing was changed.
   */
  add(scope: TenantScope, registration: BuyerRegistration, replaces?: string): Promise<'added' | 'over'>;
  /** Removes an address with its unsent events. */
  remove(scope: TenantScope, registrationId: string, at: Instant): Promise<void>;
}
