import type { MarketLeg } from '@switchyard/fanout';
import type { SellerRow } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { Operation } from '../model/operation.js';

/** The state of a read at its first answer: a row for each seller, and the sellers that have more items. */
interface ReadPlan {
  readonly rows: readonly SellerRow[];
  readonly cut: readonly string[];
}

export function planOfRead(rows: readonly SellerRow[], legs: readonly MarketLeg<unknown>[]): JsonObject {
  const cut = legs.filter(({ isCut }) => isCut === true).map(({ seller }) => seller);
  return { rows: rows.map((row) => ({ ...row })), cut };
}

export function readPlanOf({ plan }: Pick<Operation, 'plan'>): ReadPlan {
  const { rows, cut } = plan ?? {};
  return {
    rows: Array.isArray(rows) ? (rows.filter(isJsonObject) as unknown as SellerRow[]) : [],
    cut: Array.isArray(cut) ? cut.filter((seller) => typeof seller === 'string') : [],
  };
}
