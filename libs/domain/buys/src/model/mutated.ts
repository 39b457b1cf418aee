import type { OperationState } from './operation-state.js';

/** The outcome of a mutation: new, or that of an earlier request with its key. */
export interface Mutated {
  readonly state: OperationState;
  readonly replayed: boolean;
}
