import type { AccountHold } from '@switchyard/tenancy';
import type { Result } from '@switchyard/values';
import type { AdminFailure } from './admin.js';
import type { PrincipalCaller } from './task-call.js';

/** An open account as an admin sees it. It leaves the house as it stands, so its members carry the names of the wire. */
export interface AccountView {
  readonly account_id: string;
  readonly principal_id: string;
  readonly principal: string;
  readonly brand_domain: string;
  readonly brand_id?: string;
  readonly operator: string;
  readonly sandbox: boolean;
  readonly status: 'active' | AccountHold;
  readonly reason?: string;
  readonly held_at?: string;
  readonly created_at: string;
}

/** How an account is to stand, and why. */
export interface StandingAsk {
  readonly status: 'active' | AccountHold;
  readonly reason: string;
}

/** Everybody's accounts, for whoever looks after principals. */
export interface AccountsAdmin {
  list(caller: PrincipalCaller): Promise<readonly AccountView[]>;
  /**
   * Holds an account back or lets it go, along the transitions of tasks 3.16: from active to payment_required or
   * suspended, and from there back. `CONFLICT` for any other, `NOT_FOUND` for an account that is not open here.
   */
  stand(
    caller: PrincipalCaller,
    accountId: string,
    ask: StandingAsk,
  ): Promise<Result<AccountView, AdminFailure>>;
}
