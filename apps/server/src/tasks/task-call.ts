import type { BuyPreview } from '@switchyard/buys';
import type { Dialect, ExactNumbers, TaskError, TaskStatus, WireProfile } from '@switchyard/protocol';
import type { Grant } from '@switchyard/tenancy';
import type { JsonObject, JsonValue, Result } from '@switchyard/values';

/** Who is calling, as the door found out. The tenant comes from here and from nowhere else. */
export type Caller =
  | {
      readonly kind: 'public';
      readonly organizationId: string;
      /** Where it comes from, for counting its requests alone. */
      readonly address?: string;
    }
  | {
      readonly kind: 'principal';
      readonly organizationId: string;
      readonly principalId: string;
      readonly name: string;
      readonly principalKind: 'buyer' | 'brand' | 'person' | 'service';
      readonly permissions: Readonly<Record<string, readonly string[]>>;
      /** Where each of them holds; absent where no role was given. */
      readonly grants?: readonly Grant[];
      /** Of a brand's own agent: the brand's domain. */
      readonly brandDomain?: string;
      readonly transitional: boolean;
      readonly legacy: boolean;
      /** The session of a person's browser; absent where it holds less than its person. */
      readonly sessionId?: string;
      /** Set when this very request was signed, and by whom. */
      readonly signedBy?: { readonly keyid: string; readonly agentUrl: string; readonly dialect: Dialect };
    };

/** A caller that has shown who it is. */
export type PrincipalCaller = Extract<Caller, { kind: 'principal' }>;

/** One row per seller that could have been asked (docs/protocol/requests-and-versions.md#sellers-in-an-answer). */
export interface SellerRow {
  readonly seller: string;
  readonly status: 'answered' | 'slow' | 'refused' | 'failed' | 'skipped';
  readonly reason: string;
  readonly code?: string;
  readonly elapsed_ms: number;
  readonly items: number;
}

/** A task call as every door hands it over: strictly parsed, not yet judged. */
export interface TaskCall {
  readonly door: 'mcp' | 'a2a' | 'rest';
  /** The name the caller used: either dialect, or an alias. */
  readonly task: string;
  readonly args: JsonValue;
  readonly exact: ExactNumbers;
  /** Where the message around the arguments holds a credential, if it does: the path alone. */
  readonly credentialBeside?: string;
  readonly caller: Caller;
  /** Fires when the caller went away. */
  readonly signal: AbortSignal;
  /** Told of each seller as its leg settles, in order of settling. */
  readonly onSeller?: (row: SellerRow, settled: number, total: number) => void;
  /** A2A: the native push configuration of the message, if any. */
  readonly a2aPush?: JsonObject;
  /** A2A: the conversation that the call belongs to. */
  readonly a2aContextId?: string;
  /** A2A: the generation that native webhooks are worded for. */
  readonly a2aGeneration?: '0.3' | '1.0';
}

/** What goes back, already in the caller's own form and dialect. Doors only wrap it. */
export interface TaskReply {
  readonly profile: WireProfile;
  readonly status: TaskStatus;
  /** Set when the task answered `submitted`, `working` or `input-required`. */
  readonly taskId?: string;
  /** Under which id `tasks/get` reads what this answer is about, where it is stored as an operation. */
  readonly storedTaskId?: string;
  /** Task payload and envelope members at one level. With errors: `errors[]` (and `adcp_error` in that dialect). */
  readonly body: JsonObject;
  readonly isError: boolean;
  readonly errors: readonly TaskError[];
  /** For REST, from the error table. */
  readonly httpStatus: number;
}

/** The one application service behind all doors. */
export interface TaskService {
  call(call: TaskCall): Promise<TaskReply>;
}

/**
 * Says what `create_media_buy` would do with its arguments, and does nothing. Refuses whom the task refuses, in the same
 * words; a signature alone is not asked for, because nothing is changed.
 */
export type PreviewBuy = (
  call: Pick<TaskCall, 'args' | 'exact'> & { readonly caller: PrincipalCaller },
) => Promise<Result<BuyPreview, readonly TaskError[]>>;
