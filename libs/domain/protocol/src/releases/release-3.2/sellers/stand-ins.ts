import type { StandIn } from '../../seller-lifecycle.js';
import { purchase } from './buy.js';
import { change } from './control.js';
import { discovery } from './discover.js';

/** Older tasks by name, at sellers that have lifecycle tasks in their place. */
export const standIns: Readonly<Record<string, StandIn>> = {
  get_products: discovery,
  create_media_buy: purchase,
  update_media_buy: change,
};
