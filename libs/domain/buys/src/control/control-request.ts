import type { Agreement } from '@switchyard/ledger';
import type { Micros } from '@switchyard/money';
import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import type {
  Belongings,
  CampaignRules,
  FourEyes,
  GrantRecord,
  ListSort,
  Permissions,
  Reach,
  SignInPolicy,
  SignInProvider,
  TenantScope,
  TimeFilter,
} from '@switchyard/tenancy';
import type { Instant, PageRead } from '@switchyard/values';
import type { BuyMove, BuyMoved, Campaign, ClientBrand } from '../campaigns/client.js';
import type { ExchangeRate } from '../model/exchange.js';
import type { SpendingLimit } from '../model/limit.js';

/** A change of a control: what may need another person (docs/security/model.md#changes-of-controls). */
export type ControlAct =
  | { readonly kind: 'set_limit'; readonly limit: SpendingLimit }
  | { readonly kind: 'remove_limit'; readonly limitId: string }
  | {
      readonly kind: 'set_rates';
      readonly rates: readonly ExchangeRate[];
      /** A person says that they are right, though one is far from the rate before it. */
      readonly asWritten?: true;
    }
  | { readonly kind: 'add_grant'; readonly grant: GrantRecord }
  | { readonly kind: 'set_role'; readonly name: string; readonly permissions: Permissions }
  | { readonly kind: 'add_team_member'; readonly teamId: string; readonly principalId: string }
  | { readonly kind: 'restore_principal'; readonly principalId: string }
  | { readonly kind: 'set_four_eyes'; readonly fourEyes: FourEyes }
  | {
      readonly kind: 'set_sign_in_policy';
      readonly change: Partial<SignInPolicy>;
      /** What holds where the organization has set nothing. */
      readonly usual: SignInPolicy;
    }
  | { readonly kind: 'set_sign_in_provider'; readonly provider: SignInProvider }
  | { readonly kind: 'allow_scim'; readonly principalId: string }
  /** `jobId`: UUID of the job that it becomes; `dueMs`: how long that waits. */
  | {
      readonly kind: 'erase_person';
      readonly principalId: string;
      readonly jobId: string;
      readonly dueMs: number;
    }
  | { readonly kind: 'delete_organization' }
  | { readonly kind: 'assign_buy'; readonly move: StoredMove }
  | { readonly kind: 'add_brand'; readonly brand: Omit<ClientBrand, 'client'> }
  | { readonly kind: 'set_campaign'; readonly campaign: Omit<Campaign, 'client' | 'owner'> }
  | { readonly kind: 'set_campaign_rules'; readonly rules: CampaignRules }
  /** `reason`: why the document of a seller is taken back. */
  | { readonly kind: 'void_invoice'; readonly invoiceId: string; readonly reason: string }
  /** `reason`: why what is left of an invoice is not paid. */
  | { readonly kind: 'write_off_rest'; readonly invoiceId: string; readonly reason: string }
  | {
      readonly kind: 'set_bank_account';
      readonly owner: { readonly seller: string } | { readonly currency: string };
      readonly account: { readonly name: string; readonly iban: string; readonly bic?: string };
    }
  | { readonly kind: 'set_legal_entity'; readonly entity: EntityDraft }
  | { readonly kind: 'set_billing_rule'; readonly rule: RuleDraft }
  /** `endsOn`: the last day that it holds, `YYYY-MM-DD`. */
  | { readonly kind: 'end_billing_rule'; readonly ruleId: string; readonly endsOn: string }
  | { readonly kind: 'set_agreement'; readonly agreement: Agreement; readonly reason: string }
  /** `lastMonth`: the last month that it holds, `YYYY-MM`. */
  | { readonly kind: 'end_agreement'; readonly agreementId: string; readonly lastMonth: string }
  /** `reason`: why a payment of a client is taken back. */
  | { readonly kind: 'void_client_payment'; readonly paymentId: string; readonly reason: string }
  | {
      readonly kind: 'seller_live';
      readonly connectionId: string;
      /** Of the checks that it went through. */
      readonly digest: string;
    };

/** A legal entity that bills clients, new or with the id of one that is there. */
interface EntityDraft {
  readonly id: string;
  readonly name: string;
  readonly address: {
    readonly street: string;
    readonly post_code: string;
    readonly city: string;
    readonly country: string;
  };
  readonly taxId: string;
  readonly series: string;
  readonly currency: string;
  readonly iban?: string;
  readonly bic?: string;
}

/** A rule of billing, with its amounts in micros as text. */
interface RuleDraft {
  readonly id: string;
  readonly clientId?: string;
  readonly campaignId?: string;
  readonly seller?: string;
  readonly kind: 'cost_plus' | 'commission' | 'fixed_month' | 'fixed_campaign' | 'cpm';
  readonly basis: 'delivered' | 'third_party' | 'invoiced' | 'planned';
  readonly percentHundredths?: number;
  readonly amount?: string;
  readonly currency?: string;
  readonly cap?: string;
  readonly taxHundredths?: number;
  readonly taxCategory?: 'S' | 'Z' | 'E' | 'AE' | 'O';
  readonly startsOn: string;
  readonly endsOn?: string;
}

/** A move of a buy, with its target by id: absent, the buy is removed from its campaign. */
export type StoredMove = Pick<BuyMove, 'id' | 'mediaBuyId' | 'from' | 'reason'> & {
  readonly campaignId?: string;
};

export type ControlKind = ControlAct['kind'];
type ActOf<Kind extends ControlKind> = Extract<ControlAct, { readonly kind: Kind }>;

/** What an act answers once it is done. */
export interface ControlOutcomes {
  readonly set_limit: true;
  readonly remove_limit: true;
  readonly set_rates: true;
  readonly add_grant: true;
  readonly set_role: true;
  readonly add_team_member: true;
  readonly restore_principal: true;
  readonly set_four_eyes: true;
  readonly set_sign_in_policy: { readonly policy: SignInPolicy; readonly isLooser: boolean };
  readonly set_sign_in_provider: true;
  readonly allow_scim: true;
  readonly erase_person: true;
  readonly delete_organization: true;
  /** Undefined: no such buy is in reach. */
  readonly assign_buy: BuyMoved | undefined;
  /** Undefined: another client has the brand. */
  readonly add_brand: BrandEntered | undefined;
  readonly set_campaign: true;
  readonly set_campaign_rules: true;
  /** UUID of the entry that takes its entry back. */
  readonly void_invoice: { readonly entryId: string };
  readonly write_off_rest: WrittenOff;
  readonly set_bank_account: true;
  readonly set_legal_entity: true;
  readonly set_billing_rule: true;
  readonly end_billing_rule: true;
  readonly set_agreement: true;
  readonly end_agreement: true;
  /** UUID of the document that is open again. */
  readonly void_client_payment: { readonly invoiceId: string };
  readonly seller_live: true;
}

/** The rest of an invoice, in micros of its currency. */
export interface WrittenOff {
  /** UUID: it stands among the payments of the invoice, and is taken back as one. */
  readonly paymentId: string;
  readonly entryId: string;
  readonly amountMicros: bigint;
  readonly currency: string;
}

export interface BrandEntered {
  readonly brand: Omit<ClientBrand, 'client'>;
  /** Number of buys that now have its client. */
  readonly assigned: number;
  /** True if more remain. */
  readonly isMoreLeft: boolean;
}

/** The permission that decides each act, in the reach of its object. */
export const decidesControl: Readonly<
  Record<ControlKind, { readonly area: PermissionArea; readonly kind: PermissionKind }>
> = {
  set_limit: { area: 'ledger', kind: 'approve' },
  remove_limit: { area: 'ledger', kind: 'approve' },
  set_rates: { area: 'ledger', kind: 'approve' },
  add_grant: { area: 'principals', kind: 'write' },
  set_role: { area: 'principals', kind: 'write' },
  add_team_member: { area: 'principals', kind: 'write' },
  restore_principal: { area: 'principals', kind: 'write' },
  set_four_eyes: { area: 'principals', kind: 'write' },
  set_sign_in_policy: { area: 'principals', kind: 'write' },
  set_sign_in_provider: { area: 'principals', kind: 'write' },
  allow_scim: { area: 'principals', kind: 'write' },
  erase_person: { area: 'principals', kind: 'write' },
  delete_organization: { area: 'principals', kind: 'delete' },
  assign_buy: { area: 'media_buys', kind: 'approve' },
  add_brand: { area: 'media_buys', kind: 'approve' },
  set_campaign: { area: 'ledger', kind: 'approve' },
  set_campaign_rules: { area: 'ledger', kind: 'approve' },
  void_invoice: { area: 'ledger', kind: 'approve' },
  write_off_rest: { area: 'ledger', kind: 'approve' },
  set_bank_account: { area: 'ledger', kind: 'approve' },
  set_legal_entity: { area: 'ledger', kind: 'approve' },
  set_billing_rule: { area: 'ledger', kind: 'approve' },
  end_billing_rule: { area: 'ledger', kind: 'approve' },
  set_agreement: { area: 'ledger', kind: 'approve' },
  end_agreement: { area: 'ledger', kind: 'approve' },
  void_client_payment: { area: 'ledger', kind: 'approve' },
  seller_live: { area: 'sellers', kind: 'approve' },
};

/** The permission that the requester of each act needs, and still needs when it is approved. */
export const requestsControl: typeof decidesControl = {
  set_limit: { area: 'ledger', kind: 'write' },
  remove_limit: { area: 'ledger', kind: 'write' },
  set_rates: { area: 'ledger', kind: 'write' },
  add_grant: { area: 'principals', kind: 'write' },
  set_role: { area: 'principals', kind: 'write' },
  add_team_member: { area: 'principals', kind: 'write' },
  restore_principal: { area: 'principals', kind: 'write' },
  set_four_eyes: { area: 'principals', kind: 'write' },
  set_sign_in_policy: { area: 'principals', kind: 'write' },
  set_sign_in_provider: { area: 'principals', kind: 'write' },
  allow_scim: { area: 'principals', kind: 'write' },
  erase_person: { area: 'principals', kind: 'delete' },
  delete_organization: { area: 'principals', kind: 'delete' },
  assign_buy: { area: 'clients', kind: 'write' },
  add_brand: { area: 'clients', kind: 'write' },
  set_campaign: { area: 'clients', kind: 'write' },
  set_campaign_rules: { area: 'principals', kind: 'write' },
  void_invoice: { area: 'ledger', kind: 'write' },
  write_off_rest: { area: 'ledger', kind: 'write' },
  set_bank_account: { area: 'ledger', kind: 'write' },
  set_legal_entity: { area: 'ledger', kind: 'write' },
  set_billing_rule: { area: 'ledger', kind: 'write' },
  end_billing_rule: { area: 'ledger', kind: 'write' },
  set_agreement: { area: 'ledger', kind: 'write' },
  end_agreement: { area: 'ledger', kind: 'write' },
  void_client_payment: { area: 'ledger', kind: 'write' },
  seller_live: { area: 'sellers', kind: 'write' },
};

export type ControlState = 'open' | 'approved' | 'denied' | 'expired' | 'withdrawn' | 'failed';

/** A change of a control that waits, or waited, for another person. */
export interface ControlRequest {
  /** UUID. */
  readonly id: string;
  readonly kind: ControlKind;
  /** What it changes, in words: `limit on client Nova`. */
  readonly subject: string;
  /** What it makes possible, in words. */
  readonly reason: string;
  readonly before?: string;
  readonly after?: string;
  /** What it makes possible in money, in micros of `currency`. */
  readonly amount?: Micros;
  readonly currency?: string;
  /** UUID of the requesting principal. */
  readonly requestedBy: string;
  readonly requestedByName?: string;
  readonly clientId?: string;
  readonly clientName?: string;
  readonly brandDomain?: string;
  readonly campaignId?: string;
  readonly campaignName?: string;
  readonly state: ControlState;
  readonly requestedAt: Instant;
  readonly expiresAt: Instant;
  readonly decidedAt?: Instant;
  /** Absent of one that nobody else could approve. */
  readonly decidedBy?: string;
  readonly decidedByName?: string;
  readonly decisionReason?: string;
  /** Names of principals that could act as both the requester and the decider. */
  readonly holdersOfBoth: readonly string[];
}

/** Why an act or a decision is refused. `NOBODY`: nobody holds the permission that decides it, its requester included. */
export interface ControlRefusal {
  readonly code: 'NOT_FOUND' | 'CONFLICT' | 'OVER_LIMIT' | 'NO_RATE' | 'PROGRAM' | 'NOBODY';
  readonly message: string;
}

export type Taken<Outcome> =
  /** `alone`: nobody else could have approved it, which its stored request says. */
  | { readonly kind: 'done'; readonly outcome: Outcome; readonly alone: boolean }
  | { readonly kind: 'waits'; readonly id: string }
  | { readonly kind: 'refused'; readonly refusal: ControlRefusal };

/** Who takes an act. */
export interface ControlActor {
  /** UUID. */
  readonly principalId: string;
  readonly at: Instant;
  /** The buys that it may move. */
  readonly reach?: Reach;
  /** Whether a program acts for it: a program may not request such an act. */
  readonly isProgram?: boolean;
}

export type ControlDecided =
  | { readonly kind: 'decided' }
  | { readonly kind: 'decided_before' }
  | { readonly kind: 'own_request' }
  /** It was approved and could not be done any more; it is closed as failed. */
  | { readonly kind: 'failed'; readonly message: string };

/** What a caller sees of an area: the requests whose objects are in reach. */
export interface ControlSeen {
  readonly kinds: readonly ControlKind[];
  readonly reach: Reach;
}

/** The port that `adapters/store` implements. Every function sees the rows of one tenant only. */
export interface ControlRequests {
  /**
   * Takes an act at once if it lifts no control, if the organization demands no second person, or if its requester alone
   * could approve it. It is refused if nobody could. Any other one is stored and waits for another person.
   */
  take<Kind extends ControlKind>(
    scope: TenantScope,
    act: ActOf<Kind>,
    by: ControlActor,
  ): Promise<Taken<ControlOutcomes[Kind]>>;
  /** Newest first unless set: those seen, and those of `principalId`. */
  list(
    scope: TenantScope,
    filter: TimeFilter &
      PageRead & {
        readonly principalId: string;
        readonly seen: readonly ControlSeen[];
        readonly state?: string;
        readonly clientId?: string;
        readonly brandDomain?: string;
        readonly campaignId?: string;
        readonly sort?: ListSort;
        readonly at: Instant;
      },
  ): Promise<readonly ControlRequest[]>;
  find(scope: TenantScope, id: string, at: Instant): Promise<ControlRequest | undefined>;
  /** Decides an open request once. An approved act is judged again and done in the same transaction. */
  decide(
    scope: TenantScope,
    id: string,
    decision: {
      readonly state: 'approved' | 'denied';
      readonly by: string;
      readonly at: Instant;
      readonly reason?: string;
    },
  ): Promise<ControlDecided>;
  /** Whether another person would have to approve an act of this kind of a principal, in the whole organization. */
  demandsAnother(
    scope: TenantScope,
    kind: ControlKind,
    principalId: string,
  ): Promise<'another' | 'alone' | 'off'>;
  /** Whether the request was open and the principal's own. */
  withdraw(scope: TenantScope, id: string, principalId: string, at: Instant): Promise<boolean>;
}

/** Where the object of a request is, for the reach of who decides. */
export function placeOfRequest({ clientId, brandDomain, campaignId }: ControlRequest): Belongings {
  return {
    ...(clientId !== undefined && { clientId }),
    ...(brandDomain !== undefined && { brandDomain }),
    ...(campaignId !== undefined && { campaignId }),
  };
}
