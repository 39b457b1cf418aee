export { queryMarket } from './query-market.js';
export type { LeasedCredential, MarketAnswer, MarketLeg, MarketQuestion } from './market-question.js';
export {
  querySeller,
  targetOf,
  type LegAnswer,
  type PendingTask,
  type SellerQuestion,
} from './query-seller.js';
export { cutOffCodes, fanOut, type FanOut, type LegOutcome } from './fan-out.js';
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
export { planMarket, type MarketPlan, type PlannedLeg } from './plan-market.js';
export type { LegReport } from './leg-report.js';
export { stampSeller } from './stamp-seller.js';
export { standsFor, type SellerStanding } from './stands-for.js';
export { toolNameFor, type NamedTask } from './tool-name.js';
export { comparablePrices, type ComparablePrice, type PriceGroup } from './comparable-prices.js';
export { mergeProposals } from './merge-proposals.js';
export { isFinalizing, proposalsIn, refineFaults, type NamedProposal } from './refine-faults.js';
export { mergeVerdicts, refineFor, type SellerRefinement, type SellerVerdicts } from './refine-for.js';
export { sameSupply, type SameSupply, type WayTo } from './same-supply.js';
export { furtherPages, type AllPages, type Pages } from './further-pages.js';
export type { AnswerCache, StoredAnswer } from './answer-cache.js';
export { answerIdOf, openCursor, writeCursor, type PagePlace } from './page-cursor.js';
