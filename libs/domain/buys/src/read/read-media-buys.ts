import { defined } from '@switchyard/values';
import {
  isBuyOver,
  readBuyStatus,
  taskError,
  type BuyHistoryEntry,
  type GetMediaBuysRequest,
  type MediaBuyView,
  type SellerRow,
  type TaskError,
} from '@switchyard/protocol';
import { ownReach } from '@switchyard/tenancy';
import type { ReadRequest } from '../model/read-request.js';
import type { ReadPorts } from '../model/read-request.js';
import { buyHistory } from './buy-history.js';
import type { BuyerAccount } from '../model/buyer-account.js';
import { staleResponse } from '../call/stale-response.js';
import { viewBuy } from './buy-view.js';
import type { MediaBuyRecord } from '../model/operation.js';
import type { BuyFilter, BuyPlace } from '../model/operation-store.js';
import { receivedOf } from '../apply/reported-package.js';
import type { SellerRefusal } from '../apply/buys-refreshed.js';
import type { CallerReach } from '../model/find-buy.js';
import { buysAtMost, walkBuys, type BuysPage } from './walk-buys.js';

interface MediaBuysRead {
  readonly mediaBuys: readonly MediaBuyView[];
  readonly records: readonly MediaBuyRecord[];
  readonly rows: readonly SellerRow[];
  readonly refusals: readonly SellerRefusal[];
  /** One error for each requested id that is not the caller's. */
  readonly errors: readonly TaskError[];
  /** Position of the next page; absent on the last one. */
  readonly next?: BuyPlace;
}

/** Selects all buys in reach, or those of one account. */
export type BuysRequest = ReadRequest & CallerReach & { readonly account?: BuyerAccount };

/**
 * Reads a principal's media buys, with statuses queried from the sellers now. For a seller that does not
 * answer, the last known status is shown, and `status_as_of` is its time.
 */
export async function readMediaBuys(
  ports: ReadPorts,
  query: BuysRequest,
  request: GetMediaBuysRequest,
  page: BuysPage = { size: buysAtMost },
): Promise<MediaBuysRead> {
  const { mediaBuyIds, buyerRefs } = request;
  const named = mediaBuyIds !== undefined || buyerRefs !== undefined;
  const wanted = request.statusFilter ?? (named ? undefined : ['active']);
  const walked = await walkBuys(
    ports,
    query,
    {
      filter: {
        ...buysMeant(query, request),
        // An end is final, so ended buys need not be read.
        ...(wanted === undefined || wanted.some(isEnd) ? {} : { isOpen: true as const }),
      },
      ...(wanted === undefined ? {} : { statuses: wanted }),
      includeSnapshot: request.includeSnapshot === true,
    },
    page,
  );
  const { shown } = walked;
  const ids = shown.map(({ buy }) => buy.id);
  const impaired = await ports.impairments?.of(query.scope, ids);
  const approvals = await ports.creativeApprovals?.of(query.scope, ids);
  const cases = await ports.casesOf?.(query.scope, ids);
  const histories = await historiesOf(ports, query, shown, request.includeHistory ?? 0);
  return {
    mediaBuys: shown.map((record) => {
      const history = histories.get(record.buy.id);
      const view = viewBuy(record);
      return {
        ...view,
        packages: view.packages.map((item) => {
          const creativeApprovals = approvals?.get(item.packageId);
          const reported = receivedOf(walked, record, item, request.includeSnapshot === true);
          return {
            ...item,
            reportedTerms: reported,
            ...(creativeApprovals === undefined ? {} : { creativeApprovals }),
          };
        }),
        ...defined({ cases: cases?.get(record.buy.id) }),
        impairments: isBuyOver(record.buy.status) ? [] : (impaired?.get(record.buy.id) ?? []),
        ...(history === undefined ? {} : { history }),
      };
    }),
    records: shown,
    rows: walked.rows,
    refusals: walked.refusals,
    ...(walked.next === undefined ? {} : { next: walked.next }),
    errors: [...missingIds(mediaBuyIds, walked.read), ...staleErrors(shown, walked.rows, ports.clock.now())],
  };
}

/** The filter for the requested buys. */
export function buysMeant(
  { principalId, reach = ownReach(principalId), account }: BuysRequest,
  { mediaBuyIds, buyerRefs }: Pick<GetMediaBuysRequest, 'mediaBuyIds' | 'buyerRefs'>,
): Omit<BuyFilter, 'limit'> {
  return {
    reach,
    ...defined({ account, ids: mediaBuyIds, buyerRefs }),
  };
}

function isEnd(word: string): boolean {
  const status = readBuyStatus(word);
  return status !== undefined && isBuyOver(status);
}

/** The histories of these buys by id; empty where none were requested. */
async function historiesOf(
  { store }: Pick<ReadPorts, 'store'>,
  { scope }: Pick<ReadRequest, 'scope'>,
  records: readonly MediaBuyRecord[],
  limit: number,
): Promise<ReadonlyMap<string, readonly BuyHistoryEntry[]>> {
  if (limit === 0) return new Map();
  const read = records.map(async (record) => {
    const changes = await store.changesOf(scope, record.buy.id, limit);
    return [record.buy.id, buyHistory(record, changes, limit)] as const;
  });
  return new Map(await Promise.all(read));
}

/**
 * One error per seller whose last observation replaces its answer (docs/protocol/errors.md#stale-answers):
 * the read succeeds, and the error has the age. A seller without any observation has only its row.
 */
function staleErrors(
  records: readonly MediaBuyRecord[],
  rows: readonly SellerRow[],
  now: number,
): readonly TaskError[] {
  return (
    rows
      // A seller without this task is not called, so nothing failed.
      .filter(({ status, code }) => status !== 'answered' && code !== 'NOT_OFFERED')
      .flatMap((row) => {
        const seen = records.flatMap(({ sellerBuys }) =>
          sellerBuys.filter((item) => item.seller === row.seller).flatMap((item) => item.statusAsOf ?? []),
        );
        return seen.length === 0 ? [] : (staleResponse(row, Math.min(...seen), now) ?? []);
      })
  );
}

/** One error per id that does not exist or is not the caller's: both look the same. Each names the member that was sent. */
export function missingIds(
  wanted: readonly string[] = [],
  found: readonly MediaBuyRecord[],
  isLastAlone = false,
): readonly TaskError[] {
  const known = new Set(found.map(({ buy }) => buy.id));
  return wanted.flatMap((id, index) =>
    known.has(id)
      ? []
      : [
          taskError('MEDIA_BUY_NOT_FOUND', 'You have no media buy with this id.', {
            field: isLastAlone && index === wanted.length - 1 ? 'media_buy_id' : `media_buy_ids[${index}]`,
            suggestion: 'get_media_buys without ids lists yours.',
          }),
        ],
  );
}
