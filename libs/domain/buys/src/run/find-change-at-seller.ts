import {
  getMediaBuys,
  type CreatedPackage,
  type MediaBuyView,
  type PackageUpdate,
  type UpdateMediaBuyRequest,
} from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { requestedChange } from '../apply/requested-change.js';
import { callSeller } from '../call/call-seller.js';
import type { SearchResult } from './search-result.js';
import type { Leg } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import { quotedAmount } from '../terms/quoted-terms.js';
import type { LegRun } from '../call/leg-run.js';

/**
 * Reads a buy at its seller and returns whether a requested change is visible: status, dates, and each
 * package's budget and flags. A change that cannot be seen, for example of targeting, never counts as done.
 */
export async function findChangeAtSeller(
  ports: BuysPorts,
  _scope: TenantScope,
  leg: Leg,
  run: LegRun,
): Promise<SearchResult> {
  const requested = requestedChange(leg);
  const id = requested?.mediaBuyId;
  if (requested === undefined || id === undefined) return { kind: 'no_way' };
  const { args } = getMediaBuys.projectRequest({ mediaBuyIds: [id] }, leg.profile);
  const reported = await callSeller(ports.transport, run, { task: getMediaBuys.name, args }, run.signal);
  const read = reported.ok ? getMediaBuys.readAnswer(reported.value.reply.payload, leg.profile) : undefined;
  if (read?.ok !== true) return { kind: 'no_answer' };
  const buy = read.value.answer.mediaBuys.find((mediaBuy) => mediaBuy.mediaBuyId === id);
  if (buy === undefined || !shows(buy, requested)) return { kind: 'not_found' };
  const { status, ...members } = buy.original.value;
  // In a list `status` is the buy's; in an answer it may be the task's.
  return {
    kind: 'found',
    payload: { ...members, ...(status === undefined ? {} : { media_buy_status: status }) },
  };
}

function shows(buy: MediaBuyView, requested: UpdateMediaBuyRequest): boolean {
  const seen: (boolean | undefined)[] = [
    requested.canceled === true ? buy.status === 'canceled' : undefined,
    requested.paused === undefined || requested.canceled === true
      ? undefined
      : requested.paused === (buy.status === 'paused'),
    requested.endTime === undefined ? undefined : isSameTime(buy.endTime, requested.endTime),
    requested.startTime === undefined || requested.startTime === 'asap'
      ? undefined
      : isSameTime(buy.startTime, requested.startTime),
    ...requested.packages.flatMap((update) =>
      showsPackage(
        buy.packages.find((item) => item.packageId === update.packageId),
        update,
      ),
    ),
    requested.newPackages.length === 0 ? undefined : false,
  ];
  const received = seen.filter((result) => result !== undefined);
  return received.length > 0 && received.every(Boolean);
}

function showsPackage(
  shown: CreatedPackage | undefined,
  update: PackageUpdate,
): readonly (boolean | undefined)[] {
  const unseen = [update.targetingOverlay, update.creativeAssignments, update.creatives, update.pacing];
  return [
    shown !== undefined,
    update.budget === undefined
      ? undefined
      : shown?.budget !== undefined && quotedAmount(shown.budget) === quotedAmount(update.budget),
    update.paused === undefined ? undefined : shown?.paused === update.paused,
    update.canceled === undefined ? undefined : shown?.canceled === true,
    unseen.some((value) => value !== undefined) ? false : undefined,
  ];
}

function isSameTime(shown: string | undefined, requested: string): boolean {
  return shown !== undefined && Date.parse(shown) === Date.parse(requested);
}
