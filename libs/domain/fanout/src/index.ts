export { queryMarket } from './query/query-market.js';
export type { MarketAnswer, MarketLeg } from './market-question.js';
export type { PendingTask } from './query/leg-answer.js';
export {
  interleave,
  mergeAgents,
  mergeFormats,
  mergeProducts,
  mergeSignals,
  type Merged,
  type Offer,
  type Sourced,
  mergeProposals,
} from './merge.js';
export { matchCapabilities } from './match-capabilities.js';
export { comparablePrices } from './filter/comparable-prices.js';
export { isFinalizing, proposalsIn, refineFaults } from './refine-faults.js';
export { finalizationFault } from './finalization-fault.js';
export { mergeVerdicts, refineFor } from './refine-for.js';
export { sameSupply, type WayTo } from './same-supply.js';
export { furtherPages, type Pages } from './query/further-pages.js';
export { type AnswerCache, type StoredAnswer, answerIdOf, openCursor, writeCursor } from './page-cursor.js';
