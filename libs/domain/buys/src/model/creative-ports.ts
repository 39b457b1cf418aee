import type { SyncCreativesRequest } from '@switchyard/protocol';
import type { Mutation } from './caller.js';
import type { CreativeStore } from './creative-library.js';
import type { BuysPorts } from './ports.js';

export type CreativeMutation = Mutation<SyncCreativesRequest>;

export interface CreativePorts extends BuysPorts {
  readonly creatives: CreativeStore;
}

/** The caller that names creatives, and the creatives it may name. */
export type CreativeReader = Pick<Mutation<unknown>, 'scope' | 'principalId' | 'reach'>;
