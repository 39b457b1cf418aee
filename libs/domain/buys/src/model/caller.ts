import type { BuyerRegistration } from '@switchyard/events';
import type { Finding, TaskError, WireProfile } from '@switchyard/protocol';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import type { JsonObject, Result } from '@switchyard/values';
import type { Leg, Operation } from './operation.js';
import type { OperationDraft } from './operation-store.js';

/**
 * The pair that an account is on our plane: who advertises, and who acts for it (docs/protocol/accounts.md#two-planes).
 */
export interface BuyerAccount {
  readonly brandDomain: string;
  /** Empty where the brand has one identity only. */
  readonly brandId: string;
  readonly operator: string;
}

/** What a drafted operation is about. */
export type DraftedFor = Pick<Operation, 'task' | 'mediaBuyId' | 'brandDomain' | 'clientId' | 'campaignId'>;

/** A mutation as the application hands it over: authenticated, scanned, read, its account known. */
export interface Mutation<Request> {
  readonly scope: TenantScope;
  /** Who acts. A buy that it changes may be another's, and stays so. */
  readonly principalId: string;
  /** Which objects it may do this to; absent: those that it made itself. */
  readonly reach?: Reach;
  readonly profile: WireProfile;
  readonly version?: string;
  /** The conversation that the request came in, where its transport has such a thing. */
  readonly contextId?: string;
  readonly request: Request;
  /** The buyer's arguments as they came. */
  readonly args: JsonObject;
  /** Of the arguments as they came, where `args` is not all of them: secrets are taken out before anything is stored. */
  readonly requestHash?: string;
  /** Who signed the request as it came to us, if somebody did. */
  readonly signedBy?: { readonly keyid: string; readonly agentUrl: string };
  /** The account this is for; absent where the request is about none. */
  readonly account?: BuyerAccount;
  /** Whether we may act for the brand that this is for; asked once all is planned, before anything is stored or sent. */
  readonly authorize?: (
    draft: Pick<OperationDraft, 'buy'> & { readonly operation: DraftedFor },
  ) => Promise<Result<readonly Finding[], readonly TaskError[]>>;
  readonly deadlineMs: number;
  readonly onAnswered?: (leg: Leg) => void;
  /** Stores the buyer's callback addresses with their secrets sealed; called once the operation has its ids. */
  readonly registerCallbacks?: (
    of: Pick<BuyerRegistration, 'operationId' | 'mediaBuyId'>,
  ) => Promise<Result<readonly BuyerRegistration[], readonly TaskError[]>>;
}
