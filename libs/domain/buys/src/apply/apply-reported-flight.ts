import type { Finding, Original } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { flightAtSeller, type Flight } from '../model/flight.js';
import { termsDiffer } from '../terms/stored-terms.js';
import type { Leg, ReportedBuy, SellerBuy } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';

interface FlightTaken {
  readonly sellerBuy: SellerBuy;
  /** Dates that this report changed, by their names in 3.x; empty where nothing is new. */
  readonly detail: JsonObject;
  /** One for each date that differs from the agreed one. */
  readonly findings: readonly Finding[];
}

const names = { startTime: 'start_time', endTime: 'end_time' } as const;

/**
 * Applies the flight that a seller reports for its part of a buy (docs/protocol/media-buys.md#confirmation).
 * It counts as the seller's own change, like another budget, unless the start was `asap`, which the seller
 * resolves. Invalid times, and an end before the start, are ignored.
 */
export function applyReportedFlight(
  buy: Flight,
  sellerBuy: SellerBuy,
  received: Partial<Flight>,
  making: Pick<Leg, 'id' | 'outbound'> | undefined,
): FlightTaken {
  const before = flightAtSeller(buy, sellerBuy);
  const now = {
    startTime: isMoment(received.startTime) ? received.startTime : before.startTime,
    endTime: isMoment(received.endTime) ? received.endTime : before.endTime,
  };
  const isUpdate = !isSame(now.startTime, before.startTime) || !isSame(now.endTime, before.endTime);
  if (!isUpdate || Date.parse(now.startTime) >= Date.parse(now.endTime))
    return { sellerBuy, detail: {}, findings: [] };
  const isResolved = startsAsap(sellerBuy, making);
  const own = (['startTime', 'endTime'] as const).filter((name) => !(name === 'startTime' && isResolved));
  return {
    sellerBuy: withFlight(sellerBuy, {
      ...(isSame(now.startTime, buy.startTime) ? {} : { startTime: now.startTime }),
      ...(isSame(now.endTime, buy.endTime) ? {} : { endTime: now.endTime }),
      ...(isResolved || sellerBuy.reported?.startsAsap !== undefined ? { startsAsap: isResolved } : {}),
    }),
    detail: Object.fromEntries(
      own.filter((name) => !isSame(now[name], before[name])).map((name) => [names[name], now[name]]),
    ),
    findings: own
      .filter((name) => !isSame(now[name], buy[name]))
      .map((name) => ({
        code: termsDiffer,
        message: `We ordered ${names[name]} ${buy[name]}; the seller stored ${now[name]}.`,
        field: names[name],
      })),
  };
}

/** Returns a part with the flight of the whole buy, except for the given dates. */
export function withFlight(
  sellerBuy: SellerBuy,
  flight: Pick<ReportedBuy, 'startTime' | 'endTime' | 'startsAsap'>,
): SellerBuy {
  const { reported, ...rest } = sellerBuy;
  const { startTime: _start, endTime: _end, startsAsap: _asap, ...others } = reported ?? {};
  const stored: ReportedBuy = { ...others, ...flight };
  return Object.keys(stored).length === 0 ? rest : { ...rest, reported: stored };
}

/** Whether a seller reports dates of its part that differ from the known ones. */
export function reportsOtherDates(buy: Flight, sellerBuy: SellerBuy, received: Partial<Flight>): boolean {
  return applyReportedFlight(buy, sellerBuy, received, undefined).sellerBuy !== sellerBuy;
}

function startsAsap({ reported }: SellerBuy, making: Parameters<typeof applyReportedFlight>[3]): boolean {
  if (reported?.startsAsap !== undefined || making === undefined) return reported?.startsAsap === true;
  const start = outboundOf(making)['start_time'];
  return start === 'asap' || (typeof start === 'object' && JSON.stringify(start).includes('"asap"'));
}

/** The dates in an answer that creates or changes a buy. No form defines them there, but some sellers send them. */
export function datesIn({ value }: Original): Partial<Flight> {
  const { start_time: start, end_time: end } = value;
  return {
    ...(typeof start === 'string' ? { startTime: start } : {}),
    ...(typeof end === 'string' ? { endTime: end } : {}),
  };
}

function isMoment(value: string | undefined): value is string {
  return value !== undefined && rfc3339.test(value) && !Number.isNaN(Date.parse(value));
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

function isSame(one: string, other: string): boolean {
  return Date.parse(one) === Date.parse(other);
}
