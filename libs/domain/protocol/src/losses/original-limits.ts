import type { AnswerLimit } from './answer-limits.js';
import type { Form } from '../versions/wire-profile.js';
import { isPaidOtherwise } from '../entities/delivery/metrics.js';

const modern: readonly Form[] = ['3.0', '3.1'];
const deliveredPackages = 'media_buy_deliveries[].by_package[]';

/** In 3.x `reach` requires a unit, and 2.5 has fewer pricing models. */
const ofFigures: readonly AnswerLimit[] = [
  { forms: modern, at: 'deliveries[].totals.original.reach', as: 'media_buy_deliveries[].totals.reach' },
  { forms: modern, at: 'deliveries[].byPackage[].original.reach', as: `${deliveredPackages}.reach` },
  ...['pricing_model', 'rate'].map((name): AnswerLimit => ({
    forms: ['2.5'],
    at: `deliveries[].byPackage[].original.${name}`,
    as: `${deliveredPackages}.${name}`,
    isLost: (_value, owner) => isPaidOtherwise(owner['pricing_model']),
  })),
];

const shownAccount = 'mediaBuys[].original.value.account';
const accountAs = 'media_buys[].account';

/** In 3.1 one agent governs an account in all categories; 3.0 lacks some members of a brand. */
const ofShownAccounts: readonly AnswerLimit[] = [
  {
    forms: ['3.1'],
    at: `${shownAccount}.governance_agents`,
    as: `${accountAs}.governance_agents`,
  },
  {
    forms: ['3.1'],
    at: `${shownAccount}.governance_agents[].categories`,
    as: `${accountAs}.governance_agents[].categories`,
  },
  {
    forms: ['3.0'],
    at: `${shownAccount}.brand.brand_kit_override`,
    as: `${accountAs}.brand.brand_kit_override`,
  },
];

/** Members of sellers' own objects, stored in answers, that not every form has. */
export const originalLimits: Readonly<Record<string, readonly AnswerLimit[]>> = {
  get_media_buys: ofShownAccounts,
  get_media_buy_delivery: ofFigures,
};
