export { queryMarket } from './query/query-market.js';
export type { MarketAnswer, MarketLeg } from './market-question.js';
export type { PendingTask } from './query/query-seller.js';
export {
  interleave,
  mergeAgents,
  mergeFormats,
  mergeProducts,
  mergeSignals,
  type Merged,
  type Offer,
  type Sourced,
} from './merge.js';
export { standsFor } from './stands-for.js';
export { comparablePrices } from './filter/comparable-prices.js';
export { mergeProposals } from './merge-proposals.js';
export { isFinalizing, proposalsIn, refineFaults } from './refine-faults.js';
export { mergeVerdicts, refineFor } from './refine-for.js';
export { sameSupply, type WayTo } from './same-supply.js';
export { furtherPages, type Pages } from './query/further-pages.js';
export type { AnswerCache, StoredAnswer } from './answer-cache.js';
export { answerIdOf, openCursor, writeCursor } from './page-cursor.js';
