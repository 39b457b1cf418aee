export { noMediaBuy } from './buy-views.js';
export type { EndedBuy } from './legs/follow-ends.js';
export { EndedBuys, LegsModule } from './legs/legs.module.js';
export { announcedWithinMs, postponedUntil } from './reports/postponed-until.js';
