import type { LegVerdict } from '@switchyard/buys';
import type { JsonObject } from '@switchyard/values';
import type { AccountRef, Dialect, Form, MediaBuyStatus, TaskStatus } from '@switchyard/protocol';
import type { ConnectionState, ReportMode, SellerKind } from '@switchyard/sellers';
import type { Result, Secret } from '@switchyard/values';
import type { PrincipalCaller } from './task-call.js';

/** Why an administrative request did not happen. The door turns the code into an HTTP status. */
export interface AdminFailure {
  readonly code:
    | 'INVALID_REQUEST'
    | 'CREDENTIAL_REQUIRED'
    | 'INSUFFICIENT_PERMISSIONS'
    | 'NOT_FOUND'
    | 'CONFLICT'
    | 'UNAVAILABLE';
  readonly message: string;
  /** Path of the offending member of the request. */
  readonly field?: string;
  readonly suggestion?: string;
  /**
   * Set where the same request may do as it stands, a moment later: somebody was faster. Any other CONFLICT is with what
   * stands there, a name that is taken for one, and ends with another request alone.
   */
  readonly recovery?: 'transient';
}

/** A seller to onboard. The token is sealed by the vault before anything else happens with it. */
export interface SellerDraft {
  readonly slug: string;
  readonly agentUrl: string;
  readonly protocol: 'mcp' | 'a2a';
  readonly dialect: Dialect;
  readonly form?: 'auto' | Form;
  readonly token?: Secret;
  /** How the seller takes it; absent: as it took the one before, and a first one as a bearer token. */
  readonly tokenScheme?: 'bearer' | 'basic';
  readonly account?: AccountRef;
  /** Where the seller's keys are, as an admin says: wins over discovery. */
  readonly jwksUri?: string;
  readonly brandJsonUrl?: string;
  /** For a seller that cannot sign its webhooks: the older mode to ask it for. The secret is made here. */
  readonly legacyWebhooks?: 'hmac-sha256' | 'bearer';
  /** It wants the relay's signature on everything, and so takes no sealed request. */
  readonly wantsRelaySignature?: boolean;
}

/*
 * The views below leave the house as they stand, so their members carry the names of the wire. Amounts are decimal
 * text, instants are RFC 3339 in UTC. None of them can hold a secret.
 */

export interface SellerView {
  readonly slug: string;
  readonly name: string;
  readonly agent_url: string;
  readonly protocol: 'mcp' | 'a2a';
  readonly dialect: Dialect;
  readonly form: 'auto' | Form;
  readonly kinds: readonly SellerKind[];
  readonly state: ConnectionState;
  /** Why it is not live. */
  readonly reason?: string;
  readonly breaker?: 'closed' | 'open' | 'half_open';
  readonly credential_id?: string;
  /** Set by an admin. */
  readonly legacy_webhooks?: 'hmac-sha256' | 'bearer';
  /** How its delivery reports are asked for: by a mark, by what it declares, or by what it refused before. */
  readonly report_webhooks?: ReportMode;
  readonly relay_signature?: true;
  readonly is_sandbox?: boolean;
}

/** What became of one row of an import, in the order of the request. */
export interface ImportedSeller {
  readonly slug: string;
  /** `failed` with a code where the row was refused: then nothing of the seller was changed. */
  readonly state: 'live' | 'failed';
  readonly code?: AdminFailure['code'];
  readonly reason?: string;
}

export interface BuySummary {
  readonly media_buy_id: string;
  readonly operation_id: string;
  readonly buyer_ref?: string;
  readonly status: MediaBuyStatus;
  readonly currency: string;
  /** What the buyer has agreed to, as the ledger holds spend against it. */
  readonly total_budget: string;
  /** What stands at the sellers now: their own amounts where they changed them, and nothing of what is canceled. */
  readonly current_total_budget: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly created_at: string;
  readonly sellers: readonly { readonly seller: string; readonly status: string }[];
}

export interface BuyLeg {
  readonly leg_id: string;
  readonly seller: string;
  /** What the seller was asked: to make its part, or to change it. */
  readonly task: string;
  readonly operation_id: string;
  /** Only a person can tell what became of it: settle it with `POST /v1/legs/{id}/settle`. */
  readonly waits_for_person?: true;
  /** Of the task at that seller. */
  readonly task_status: TaskStatus;
  readonly task_id?: string;
  /** Whether our request to the seller carried our signature (docs/protocol/signing.md#requests-to-sellers). */
  readonly signed?: boolean;
  /** Of what the seller created; absent until it did. */
  readonly status?: string;
  readonly seller_media_buy_id?: string;
  /** Which channel settled it: `answer`, `webhook` or `poll`. */
  readonly observed_by?: string;
  readonly elapsed_ms?: number;
  readonly reason?: string;
  readonly code?: string;
}

export interface BuyPackage {
  readonly package_id: string;
  readonly seller: string;
  readonly buyer_ref?: string;
  readonly product_id: string;
  readonly pricing_option_id: string;
  /** What the buyer has agreed to. */
  readonly budget: string;
  /** What its seller holds now, by its own word where it has changed it. */
  readonly current_budget: string;
  readonly canceled?: true;
  /** What its seller had quoted when it was bought: how it may be left, who counts. `null`: no quote of it is known. */
  readonly quoted_terms: JsonObject | null;
  /** What canceling the package now costs, in words; `null` where its seller quoted no terms. */
  readonly cancellation_cost: string | null;
  /** What holds of it now, by the names of 3.x; terms of cancellation are those that were quoted. */
  readonly terms: JsonObject;
  readonly bid_price?: string;
  readonly seller_package_id?: string;
  readonly spend?: string;
  readonly impressions?: number;
}

/** One change of one seller's part, or of a package there; also one that was refused. */
export interface BuyChangeView {
  readonly revision: number;
  readonly at: string;
  readonly seller: string;
  readonly actor: string;
  readonly action: string;
  readonly package_id?: string;
  readonly detail: JsonObject;
  readonly operation_id: string;
}

export interface BuyDetail extends BuySummary {
  readonly revision: number;
  /** Newest first, two hundred at most. */
  readonly changes: readonly BuyChangeView[];
  readonly task_id: string;
  readonly task_status: TaskStatus;
  readonly legs: readonly BuyLeg[];
  readonly packages: readonly BuyPackage[];
}

export interface SpendRow {
  readonly seller: string;
  readonly currency: string;
  readonly spend: string;
}

/** One entry of the ledger's chain; its members are those of the text that was hashed. */
export interface LedgerEntryView {
  readonly entry_id: string;
  readonly kind: string;
  readonly occurred_at: string;
  readonly seller: string;
  readonly hash: string;
  readonly postings: readonly JsonObject[];
  readonly facts: JsonObject;
}

export interface LedgerVerdict {
  readonly ok: boolean;
  readonly entries: number;
  /** Hash of the newest block; `null` while the journal is empty. */
  readonly head: string | null;
  /** The checkpoint that reading began at; absent where everything was read. */
  readonly since?: {
    readonly entries: number;
    readonly verified_at: string;
    /** When everything was last read. */
    readonly whole_at: string;
  };
  /** What is broken first, when `ok` is false. */
  readonly reason?: string;
  /** All that is broken, a hundred at most; `at` is an id, a block's number or the key of a sum. */
  readonly problems?: readonly { readonly code: string; readonly message: string; readonly at: string }[];
  /** How many there are, those beyond the hundred included. */
  readonly problem_total?: number;
}

export interface CredentialView {
  readonly credential_id: string;
  readonly version: number;
  readonly kind: string;
  readonly scheme: string;
  readonly seller?: string;
  /** Origin that the secret is sealed for: it is sent nowhere else. */
  readonly destination?: string;
  /** The master key that wraps its data key. */
  readonly kms_key_id: string;
  readonly created_at: string;
  readonly rewrapped_at?: string;
  readonly last_used_at?: string;
  /** Whether the seller answers to it, found out right after a rotation. */
  readonly seller_check?: { readonly ok: boolean; readonly reason?: string };
}

export interface MintedToken {
  readonly token: string;
  readonly principal: string;
  readonly expires_at: string;
}

export interface InstanceView {
  readonly version: string;
  readonly started_at: string;
  /** How many sellers are live, and how many there are. */
  readonly sellers_live: number;
  readonly sellers: number;
}

/** Webhooks received, by what became of them. */
export interface EventCounts {
  readonly received: number;
  readonly applied: number;
  readonly quarantined: number;
}

/**
 * What an operator does, behind `/v1` and therefore behind the command line. The door has checked the caller's
 * permission before any of these is called; the tenant is the caller's, as everywhere.
 */
export interface AdminService {
  listSellers(caller: PrincipalCaller): Promise<readonly SellerView[]>;
  /** Resolves once the seller is live or has failed; which of the two is in the view. */
  addSeller(caller: PrincipalCaller, draft: SellerDraft): Promise<Result<SellerView, AdminFailure>>;
  /** Resolves once every row is live or has failed. An existing slug is brought up to date, not refused. */
  importSellers(
    caller: PrincipalCaller,
    drafts: readonly SellerDraft[],
  ): Promise<Result<readonly ImportedSeller[], AdminFailure>>;
  listBuys(caller: PrincipalCaller): Promise<readonly BuySummary[]>;
  showBuy(caller: PrincipalCaller, mediaBuyId: string): Promise<Result<BuyDetail, AdminFailure>>;
  /** Settles a parked leg by what a person found out, and keeps who said it and why. */
  settleLeg(
    caller: PrincipalCaller,
    verdict: Omit<LegVerdict, 'by'>,
  ): Promise<Result<{ readonly leg_id: string; readonly task_status: string }, AdminFailure>>;
  ledgerSpend(caller: PrincipalCaller): Promise<readonly SpendRow[]>;
  ledgerVerify(caller: PrincipalCaller, options?: { readonly fromStart?: boolean }): Promise<LedgerVerdict>;
  /** The entries of one media buy as the chain holds them, oldest first. */
  ledgerEntries(caller: PrincipalCaller, mediaBuyId: string): Promise<readonly LedgerEntryView[]>;
  /** The whole chain as one document that verifies by itself. */
  ledgerExport(caller: PrincipalCaller): Promise<JsonObject>;
  listCredentials(caller: PrincipalCaller): Promise<readonly CredentialView[]>;
  rotateCredential(
    caller: PrincipalCaller,
    credentialId: string,
    secret: Secret,
  ): Promise<Result<CredentialView, AdminFailure>>;
  rewrapCredentials(
    caller: PrincipalCaller,
  ): Promise<Result<{ readonly rewrapped: number; readonly kms_key_id: string }, AdminFailure>>;
  /**
   * Hands out a bearer token. `by` is `local` for the holder of the data folder's admin secret, who may ask for any
   * principal; a principal that may write `principals` asks within its own organization. Resolves once the sellers
   * of this start are live, so that the first question asked with it meets the whole market. The time to live is in
   * seconds, 24 hours unless told.
   */
  mintToken(
    by: PrincipalCaller | 'local',
    ask: { readonly ttlSeconds?: number; readonly principal?: string },
  ): Promise<Result<MintedToken, AdminFailure>>;
  instance(caller: PrincipalCaller): Promise<InstanceView>;
  eventCounts(caller: PrincipalCaller): Promise<EventCounts>;
}
