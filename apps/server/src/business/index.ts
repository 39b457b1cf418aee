export { campaignIn, noCampaign } from './campaign-in.js';
export { paceFor, paceMembers, paceView, utcDay } from './pace-view.js';
export {
  accountAt,
  nameIn,
  namesWanted,
  namesWantedOf,
  pairOf,
  rowMembers,
  whoseInAnswer,
  whoseMembers,
  whoseOf,
  whoseOfRow,
} from './whose.js';
