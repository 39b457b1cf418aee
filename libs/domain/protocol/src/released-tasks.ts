import { taskTable } from './task-table.js';

/** The tasks as everybody outside this library calls them: in all releases. */
export const {
  activateSignal,
  cancelTask,
  createMediaBuy,
  getCapabilities,
  getMediaBuyDelivery,
  getMediaBuys,
  getProducts,
  getSignals,
  getTask,
  listAccounts,
  listAuthorizedProperties,
  listCreativeFormats,
  listCreatives,
  listTasks,
  providePerformanceFeedback,
  reportUsage,
  syncAccounts,
  syncCreatives,
  updateMediaBuy,
} = taskTable;
