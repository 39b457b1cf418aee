import type fc from 'fast-check';
import type { taskTable } from '../../task-table.js';
import * as kept from './recorded-answers.js';
import * as other from './other-answers.js';
import * as sales from './sales-answers.js';

type Table = typeof taskTable;
type AnswerOf<Name extends keyof Table> = Parameters<Table[Name]['projectAnswer']>[0];

/** Answers of each task in the internal shape, with every member and every value of it. */
export const answers: { readonly [Name in keyof Table]: fc.Arbitrary<AnswerOf<Name>> } = {
  getCapabilities: other.capabilitiesAnswer,
  getProducts: sales.productsAnswer,
  getSignals: other.signalsAnswer,
  listCreativeFormats: sales.formatsAnswer,
  syncCreatives: kept.syncedAnswer,
  listCreatives: kept.creativesAnswer,
  createMediaBuy: sales.createdAnswer,
  updateMediaBuy: sales.updatedAnswer,
  getMediaBuys: sales.buysAnswer,
  getMediaBuyDelivery: other.deliveryAnswer,
  activateSignal: other.activatedAnswer,
  getTask: kept.taskAnswer,
  listTasks: kept.tasksAnswer,
  cancelTask: kept.canceledAnswer,
  listAuthorizedProperties: other.propertiesAnswer,
  listAccounts: other.accountsAnswer,
  syncAccounts: other.syncedAccountsAnswer,
  providePerformanceFeedback: other.feedbackAnswer,
  reportUsage: other.usageAnswer,
};

/** The same for a caller that does not know the task's type. */
export function answersOf(row: keyof Table): fc.Arbitrary<object> {
  const table: Readonly<Record<string, fc.Arbitrary<object>>> = answers;
  const found = table[row];
  if (found === undefined) throw new Error(`Nothing is generated for ${row}.`);
  return found;
}
