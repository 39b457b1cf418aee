import { buyNeeds, planningNeeds } from './buy-needs.js';
import { moneyNeeds } from './money-needs.js';
import type { Source } from './need-source.js';
import { sellerNeeds } from './seller-needs.js';

/** Every kind of waiting work. */
export const needSources: readonly Source[] = [...buyNeeds, ...moneyNeeds, ...sellerNeeds, ...planningNeeds];
