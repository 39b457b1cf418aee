import {
  firstJump,
  isSurelyLower,
  limitName,
  limitText,
  ratesMakingRoom,
  type ExchangeRate,
  type SpendingLimit,
} from '@switchyard/buys';
import type { JsonValue } from '@switchyard/values';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
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
  judge: async (client, { rates, asWritten }, { at }) => {
    const jump = asWritten === true ? undefined : firstJump(rates, await ratesBefore(client, rates));
    if (jump !== undefined) return refused('CONFLICT', jumpText(jump));
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

const jumpText = ({ rate, before }: NonNullable<ReturnType<typeof firstJump>>): string =>
  `1 ${rate.from} would be ${rate.rate} ${rate.to} from ${rate.date} on, and was ${before.rate} from ${before.date} on: the unit, the direction or the decimal point may be wrong. If it is right, enter it with as_written (--as-written).`;

/** The last rate of each pair of currencies until the first day of the new ones. */
async function ratesBefore(
  client: TenantClient,
  wanted: readonly ExchangeRate[],
): Promise<readonly Pick<ExchangeRate, 'from' | 'to' | 'date' | 'rate'>[]> {
  const first = new Map<string, ExchangeRate>();
  for (const rate of wanted) {
    const pair = `${rate.from} ${rate.to}`;
    const known = first.get(pair);
    if (known === undefined || rate.date < known.date) first.set(pair, rate);
  }
  const pairs = [...first.values()];
  const { rows } = await client.query<Pick<ExchangeRate, 'from' | 'to' | 'date' | 'rate'>>(
    `select found.from_currency as "from", found.to_currency as "to", found.date, found.rate
     from unnest($2::text[], $3::text[], $4::text[]) as wanted (from_currency, to_currency, day),
     lateral (
       select from_currency, to_currency, date, rate from exchange_rate
       where organization_id = $1 and from_currency = wanted.from_currency
         and to_currency = wanted.to_currency and date <= wanted.day
       order by date desc limit 1
     ) as found`,
    [
      client.organizationId,
      pairs.map(({ from }) => from),
      pairs.map(({ to }) => to),
      pairs.map(({ date }) => date),
    ],
  );
  return rows;
}

/** The most rates that a request lists in words. */
const shownRates = 5;

async function ratesOf(client: TenantSession, wanted: readonly ExchangeRate[]) {
  const rows = await client.models.spending_limit.groupBy({ by: 'currency', where: { removed_at: null } });
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
