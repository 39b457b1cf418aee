import type { BuyPreview } from '@switchyard/buys';
import type { Dialect, ExactNumbers, TaskError, TaskStatus, WireProfile } from '@switchyard/protocol';
import type { Grant, TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject, JsonValue, Result } from '@switchyard/values';

/** The caller, as the transport authenticated it. It is the only source of the tenant. */
export type Caller =
  | {
      readonly kind: 'public';
      readonly organizationId: string;
      /** The address that its requests are counted under. */
      readonly address?: string;
    }
  | {
      readonly kind: 'principal';
      readonly organizationId: string;
      readonly principalId: string;
      readonly name: string;
      readonly principalKind: 'buyer' | 'brand' | 'person' | 'service';
      readonly permissions: Readonly<Record<string, readonly string[]>>;
      /** The scopes of its roles; absent if it has none. */
      readonly grants?: readonly Grant[];
      /** True if its own permissions are an operator's, of which its credential has only a part. */
      readonly isNarrowedOperator?: boolean;
      /** The brand's domain, if this is a brand's own agent. */
      readonly brandDomain?: string;
      /** The OAuth client id of the program that acts for this person; absent: the principal acts itself. */
      readonly program?: string;
      readonly transitional: boolean;
      readonly legacy: boolean;
      /** The session of a person's browser; absent if it has fewer permissions than its person. */
      readonly sessionId?: string;
      /** When that session began, or its person last showed a password or a factor again. */
      readonly signedInAt?: Instant;
      /** Of any session: until when its sign-in counts as recent. A token and a program have none. */
      readonly recentUntil?: Instant;
      /** Of any session: its person has to set up a second factor before anything else. */
      readonly factorDue?: true;
      /** The signer of this very request; absent if it was not signed. */
      readonly signedBy?: { readonly keyid: string; readonly agentUrl: string; readonly dialect: Dialect };
    };

/** An authenticated caller. */
export type PrincipalCaller = Extract<Caller, { kind: 'principal' }>;

/** The tenant of a caller, without the rest. */
export const scopeOf = ({ organizationId }: TenantScope): TenantScope => ({ organizationId });

/** One row per candidate seller (docs/protocol/requests-and-versions.md#sellers-in-an-answer). */
export interface SellerRow {
  readonly seller: string;
  readonly status: 'answered' | 'slow' | 'refused' | 'failed' | 'skipped';
  readonly reason: string;
  readonly code?: string;
  readonly elapsed_ms: number;
  readonly items: number;
}

/** A task call from any protocol: strictly parsed, not yet checked. */
export interface TaskCall {
  readonly endpoint: 'mcp' | 'a2a' | 'rest';
  /** The name that the caller used: either dialect, or an alias. */
  readonly task: string;
  readonly args: JsonValue;
  readonly exact: ExactNumbers;
  /** The path of a credential in the message around the arguments, if there is one. */
  readonly credentialBeside?: string;
  readonly caller: Caller;
  /** Fires when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** Called for each seller as its leg settles, in that order. */
  readonly onSeller?: (row: SellerRow, settled: number, total: number) => void;
  /** Called once with the sellers that a read asks, by slug, before their rows. */
  readonly onAsked?: (sellers: readonly string[]) => void;
  /** Called with the items of each seller as it answers, in the form of the answer, which has them again. */
  readonly onItems?: (seller: string, list: 'products', items: readonly JsonValue[]) => void;
  /** A2A: the native push configuration of the message, if any. */
  readonly a2aPush?: JsonObject;
  /** A2A: the conversation of the call. */
  readonly a2aContextId?: string;
  /** A2A: the generation of native webhooks. */
  readonly a2aGeneration?: '0.3' | '1.0';
}

/** The answer, in the caller's own version and dialect. Protocols only wrap it. */
export interface TaskReply {
  readonly profile: WireProfile;
  readonly status: TaskStatus;
  /** Set if the task answered `submitted`, `working` or `input-required`. */
  readonly taskId?: string;
  /** The id for `tasks/get`, if the answer is stored as an operation. */
  readonly storedTaskId?: string;
  /** Task payload and envelope members at one level. With errors: `errors[]` (and `adcp_error` in that dialect). */
  readonly body: JsonObject;
  readonly isError: boolean;
  readonly errors: readonly TaskError[];
  /** For REST, from the error table. */
  readonly httpStatus: number;
}

/** The application service behind all protocols. */
export interface TaskService {
  call(call: TaskCall): Promise<TaskReply>;
}

/**
 * Answers what `create_media_buy` would do with its arguments, and does nothing. Refuses the same callers as the task,
 * in the same words, except for a missing signature, because nothing is changed.
 */
export type PreviewBuy = (
  call: Pick<TaskCall, 'args' | 'exact'> & { readonly caller: PrincipalCaller },
) => Promise<Result<BuyPreview, readonly TaskError[]>>;
