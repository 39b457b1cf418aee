export { knownNow, type KnownNow } from './known-now.js';
export { readOutcome } from './read-outcome.js';
