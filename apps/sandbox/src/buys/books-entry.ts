import type { SellerAccount } from '../accounts/seller-account.js';
import type { SellerTask } from '../agent/seller-task.js';
import type { LibraryCreative } from '../creatives/library-creative.js';
import type { JsonObject } from '../json.js';
import type { ForcedArm } from '../test-controller/forced-arm.js';
import type { SeededFormat } from '../creatives/seeded-format.js';
import type { OutEvent, Attempt } from '../webhooks/out-event.js';
import type { Buy } from './buy.js';
import type { Channel, Pricing } from './catalogue.js';

/** Everything that changes together is one entry, and so one line of the file. */
export interface BooksEntry {
  readonly buy?: Buy;
  readonly task?: SellerTask;
  readonly events?: readonly OutEvent[];
  readonly attempt?: Attempt;
  readonly replay?: Replay;
  readonly activations?: readonly Activation[];
  readonly creatives?: readonly LibraryCreative[];
  /** Buys whose packages the creatives were assigned to. */
  readonly assigned?: readonly Buy[];
  /** A product added to the catalogue from outside. */
  readonly seeded?: SeededProduct;
  /** A creative format added to the list from outside. */
  readonly format?: SeededFormat;
  readonly accounts?: readonly SellerAccount[];
  readonly proposals?: readonly ProposalState[];
  /** The forced answers to the next buys, all that are left. */
  readonly forcedArms?: readonly ForcedArm[];
}

/** A product that was added to the catalogue, as the books store it: amounts as decimal text of micros. */
export interface SeededProduct {
  readonly productId: string;
  readonly name: string;
  readonly channel: Channel;
  readonly formatIds: readonly string[];
  readonly guaranteed: boolean;
  readonly pricing: readonly {
    readonly id: string;
    readonly model: Pricing['model'];
    readonly priceMicros: string;
  }[];
}

/** The stored state of a proposal, once a change of it was requested. The plan itself is in its id. */
export interface ProposalState {
  readonly proposalId: string;
  /** True if shares are equal, because the buyer wanted others. */
  readonly isEven?: boolean;
  /** Until when its prices are firm and its inventory is reserved; absent for a draft. */
  readonly heldUntil?: number;
}

/** A successful answer to a keyed mutation, stored to answer the same request again. */
export interface Replay {
  readonly key: string;
  readonly hash: string;
  readonly status: 'completed' | 'submitted' | 'input-required';
  readonly answer: JsonObject;
}

/** The state of a signal at one target: active, in progress or deactivated. */
export interface Activation {
  readonly segmentId: string;
  readonly target: string;
  readonly live: boolean;
  readonly takenBack?: true;
  readonly deployedAt?: string;
}
