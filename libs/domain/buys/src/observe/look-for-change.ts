import {
  getMediaBuys,
  type CreatedPackage,
  type MediaBuyView,
  type PackageUpdate,
  type UpdateMediaBuyRequest,
} from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { askedOf } from '../update/asked-of.js';
import { callSeller } from '../send/call-seller.js';
import type { Looked } from './look-for-buy.js';
import type { Leg } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import { quotedAmount } from '../model/quoted-amount.js';
import type { LegRun } from '../send/run-leg.js';

/**
 * Reads a buy at its seller and tells whether what a change asked for can be seen there: its state, its dates, and
 * each package's budget and flags. A change of which nothing can be seen, as of targeting, is never taken for done.
 */
export async function lookForChange(
  ports: BuysPorts,
  _scope: TenantScope,
  leg: Leg,
  run: LegRun,
): Promise<Looked> {
  const asked = askedOf(leg);
  const id = asked?.mediaBuyId;
  if (asked === undefined || id === undefined) return { kind: 'no_way' };
  const { args } = getMediaBuys.projectRequest({ mediaBuyIds: [id] }, leg.voice);
  const said = await callSeller(ports.transport, run, { task: getMediaBuys.name, args }, run.signal);
  const read = said.ok ? getMediaBuys.readAnswer(said.value.reply.payload, leg.voice) : undefined;
  if (read?.ok !== true) return { kind: 'no_answer' };
  const buy = read.value.answer.mediaBuys.find((one) => one.mediaBuyId === id);
  if (buy === undefined || !shows(buy, asked)) return { kind: 'not_found' };
  const { status, ...members } = buy.original.value;
  // In a list `status` is the buy's; in an answer it may be the task's.
  return {
    kind: 'found',
    payload: { ...members, ...(status === undefined ? {} : { media_buy_status: status }) },
  };
}

function shows(buy: MediaBuyView, asked: UpdateMediaBuyRequest): boolean {
  const seen: (boolean | undefined)[] = [
    asked.canceled === true ? buy.status === 'canceled' : undefined,
    asked.paused === undefined || asked.canceled === true
      ? undefined
      : asked.paused === (buy.status === 'paused'),
    asked.endTime === undefined ? undefined : isSameTime(buy.endTime, asked.endTime),
    asked.startTime === undefined || asked.startTime === 'asap'
      ? undefined
      : isSameTime(buy.startTime, asked.startTime),
    ...asked.packages.flatMap((update) =>
      showsPackage(
        buy.packages.find((one) => one.packageId === update.packageId),
        update,
      ),
    ),
    asked.newPackages.length === 0 ? undefined : false,
  ];
  const told = seen.filter((one) => one !== undefined);
  return told.length > 0 && told.every(Boolean);
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
    unseen.some((one) => one !== undefined) ? false : undefined,
  ];
}

function isSameTime(shown: string | undefined, asked: string): boolean {
  return shown !== undefined && Date.parse(shown) === Date.parse(asked);
}
