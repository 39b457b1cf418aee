import type { BuyerRegistration } from '@switchyard/events';
import type { Finding, TaskError, WireProfile } from '@switchyard/protocol';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import type { JsonObject, Result } from '@switchyard/values';
import type { Leg, Operation } from './operation.js';
import type { OperationDraft } from './operation-store.js';
import type { BuyerAccount } from './buyer-account.js';

type DraftedFor = Pick<Operation, 'task' | 'mediaBuyId' | 'brandDomain' | 'clientId' | 'campaignId'>;

/** A mutation as the application passes it: authenticated, scanned and parsed, with its account resolved. */
export interface Mutation<Request> {
  readonly scope: TenantScope;
  /** The caller. A buy that it changes may belong to another principal, and stays with it. */
  readonly principalId: string;
  /** The OAuth client id of the program that acts for the caller; absent: the caller acts itself. */
  readonly program?: string;
  /** The objects that it may change; absent: those that it made. */
  readonly reach?: Reach;
  readonly profile: WireProfile;
  readonly version?: string;
  /** The conversation of the request, where its transport has one. */
  readonly contextId?: string;
  readonly request: Request;
  /** The buyer's arguments as received. */
  readonly args: JsonObject;
  /** Hash of the received arguments, where secrets were removed from `args` before storing. */
  readonly requestHash?: string;
  /** The signer of the received request, if it was signed. */
  readonly signedBy?: { readonly keyid: string; readonly agentUrl: string };
  /** The account of the request; absent where it has none. */
  readonly account?: BuyerAccount;
  /** Checks whether we may act for the brand; called after planning, before anything is stored or sent. */
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
