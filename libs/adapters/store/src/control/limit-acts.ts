import {
  isSurelyLower,
  limitName,
  limitText,
  ratesMakingRoom,
  type ExchangeRate,
  type SpendingLimit,
} from '@switchyard/buys';
import type { JsonValue } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { calendar } from '../spending/judge-move.js';
import {
  limitById,
  limitsLike,
  placeOfLimit,
  removeLimit,
  setLimit,
  setRates,
} from '../spending/spending-limits.js';
import { refused, type ActRules } from './control-act.js';

/** A first limit and a surely lower one are set at once; every other one is a raise. */
export const limitSet: ActRules<'set_limit'> = {
  judge: async (client, { limit }) => {
    const replaced = await limitsLike(client, limit);
    const before = replaced.find((one) => !isSurelyLower(one, limit)) ?? replaced[0];
    const place = await placeOfLimit(client, limit);
    if (place === undefined) return refused('NOT_FOUND', `There is no ${limitName(limit)}.`);
    const after = limitText(limit);
    const named = before?.name === undefined ? limit : { ...limit, name: before.name };
    return {
      asks: !isSurelyLower(before, limit),
      basedOn: basedOn(replaced),
      place,
      subject: subjectOf(named),
      reason: `Raises the ${subjectOf(named)}${before === undefined ? '' : ` from ${limitText(before)}`} to ${after}.`,
      ...(before !== undefined && { before: limitText(before) }),
      after,
      ...(limit.kind !== 'new_brand' && { amount: limit.amount, currency: limit.currency }),
    };
  },
  apply: async (client, { limit }, { by, at }) => {
    await setLimit(client, { ...limit, createdAt: at }, by);
    return true;
  },
};

export const limitRemoved: ActRules<'remove_limit'> = {
  judge: async (client, { limitId }) => {
    const before = await limitById(client, limitId);
    const place = before && (await placeOfLimit(client, before));
    if (before === undefined) return refused('NOT_FOUND', 'There is no limit with this id.');
    return {
      asks: true,
      basedOn: basedOn([before]),
      place: place ?? {},
      subject: subjectOf(before),
      reason: `Removes the ${subjectOf(before)} of ${limitText(before)}: nothing else holds it back.`,
      before: limitText(before),
    };
  },
  apply: async (client, { limitId }, { by, at }) => {
    await removeLimit(client, limitId, by, at);
    return true;
  },
};

/** Rates into a currency of a limit are asked for if they make an amount count for less, or let it through at all. */
export const ratesSet: ActRules<'set_rates'> = {
  judge: async (client, { rates }, { at }) => {
    const known = await ratesOf(client, rates);
    const { rows } = await client.query<{ day: string }>(calendar, [client.organizationId, new Date(at)]);
    const found = ratesMakingRoom(rates, { ...known, today: rows[0]?.day ?? '' });
    const texts = found.map(
      ({ rate, before }) =>
        `1 ${rate.from} = ${rate.rate} ${rate.to} from ${rate.date} on${before === undefined ? ', the first rate' : `, now ${before.rate}`}`,
    );
    const more = texts.length > shownRates ? ` and ${texts.length - shownRates} more` : '';
    return {
      asks: found.length > 0,
      basedOn: found.map(({ before }) => before?.rate ?? null),
      place: {},
      subject:
        rates.length === 1 ? `rate from ${rates[0]?.from} to ${rates[0]?.to}` : `${rates.length} rates`,
      reason: `Makes room under limits: ${texts.slice(0, shownRates).join('; ')}${more}.`,
    };
  },
  apply: async (client, { rates }, { by, at }) => {
    await setRates(client, rates, by, at);
    return true;
  },
};

/** The most rates that a request lists in words. */
const shownRates = 5;

async function ratesOf(client: TenantClient, wanted: readonly ExchangeRate[]) {
  const { rows } = await client.query<{ currency: string }>(
    'select distinct currency from spending_limit where removed_at is null',
  );
  const limits = rows.map(({ currency }) => currency);
  const used = wanted.filter(({ to }) => limits.includes(to));
  const found = await client.query<Pick<ExchangeRate, 'from' | 'to' | 'date' | 'rate'>>(
    `select from_currency as "from", to_currency as "to", date, rate from exchange_rate
     where (from_currency, to_currency) in (select * from unnest($1::text[], $2::text[]))`,
    [used.map(({ from }) => from), used.map(({ to }) => to)],
  );
  return { limits, rates: found.rows };
}

/** Ids alone are enough: a limit is replaced and never changed. */
const basedOn = (before: readonly SpendingLimit[]): JsonValue =>
  before.length === 0
    ? null
    : before
        .map(({ id }) => id)
        .toSorted()
        .join(' ');

function subjectOf({ kind, key, name }: SpendingLimit): string {
  if (kind === 'organization') return 'limit on the organization';
  if (kind === 'each_buy' || kind === 'new_brand') return `limit on ${limitName({ kind, key })}`;
  return `limit on ${kind} ${name ?? key}`;
}
