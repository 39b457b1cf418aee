import { microsToDecimal } from '@switchyard/money';
import type { ConnectionDirectory } from '@switchyard/sellers';
import { everySeller, type SellerCalendar, type SellerCalendars } from '@switchyard/store';
import { isTimeZone } from '@switchyard/tenancy';
import { defined, err, isoOf, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { instant, reasonText } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { routesOn } from '../platform/routes/route.js';

interface SellerCalendarsDeps {
  readonly calendars: SellerCalendars;
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  readonly clock: Clock;
}

const zone = z.string().max(64).refine(isTimeZone, 'must be a time zone like Europe/Berlin');
const longPeriods = z.enum(['split', 'hold']);
const billingCalendar = z.enum(['month', 'broadcast', 'issue_day']);

const moved = z.strictObject({
  buys: z.int(),
  figures: z.int(),
  months: z
    .array(z.strictObject({ month: z.string(), currency: z.string(), amount: z.string() }))
    .describe('What each month gets, or loses where it is negative.'),
  next: z.string().exactOptional().describe('More buys follow: the next call begins after this one.'),
});

const calendar = z.strictObject({
  seller: z.string().describe('`-` is every seller.'),
  zones: z
    .array(z.strictObject({ time_zone: z.string(), by: z.enum(['person', 'account', 'product']) }))
    .describe('The zones that were said, by weight. None: it is not known in which zone its days are.'),
  overrides: z.boolean(),
  long_periods: longPeriods.exactOptional(),
  billing_calendar: billingCalendar.exactOptional(),
  issue_day: z.int().exactOptional(),
  reason: z.string().exactOptional(),
  set_by: z.string().exactOptional(),
  set_at: instant.exactOptional(),
  declared_at: instant.exactOptional().describe('When the seller named the zone of our account.'),
  proposal: z
    .strictObject({ time_zone: z.string(), bounds: z.int(), others: z.array(z.string()) })
    .exactOptional()
    .describe('A zone in which all bounds of its newest periods begin a day. A person confirms it.'),
  moves: moved.exactOptional().describe('What would move if booked figures stood on the days known now.'),
});

const setting = z
  .strictObject({
    time_zone: zone.exactOptional(),
    overrides: z
      .boolean()
      .exactOptional()
      .describe('Whether time_zone holds before what the seller declares.'),
    long_periods: longPeriods
      .exactOptional()
      .describe('Whether a figure over the end of a month is split by its days, or waits for a person.'),
    billing_calendar: billingCalendar.exactOptional().describe('Proposes the days that its invoices bill.'),
    issue_day: z
      .int()
      .min(1)
      .max(28)
      .exactOptional()
      .describe('With issue_day: the first day of its months.'),
    reason: reasonText.exactOptional(),
  })
  .refine((row) => Object.keys(row).some((name) => name !== 'reason'), 'must set something')
  .refine((row) => row.overrides !== true || row.time_zone !== undefined, 'overrides needs a time_zone')
  .refine(
    (row) => (row.billing_calendar === 'issue_day') === (row.issue_day !== undefined),
    'issue_day goes with the billing_calendar issue_day',
  );

const example = {
  seller: 'harbor',
  zones: [
    { time_zone: 'Europe/Madrid', by: 'account' as const },
    { time_zone: 'UTC', by: 'product' as const },
  ],
  overrides: false,
};

const route = routesOn<SellerCalendarsDeps>();

/** In which time zone the days of a seller are, and how its long figures and its bills are cut. */
export const sellerCalendarRoutes = [
  route({
    method: 'get',
    path: '/v1/sellers/{slug}/calendar',
    id: 'show_seller_calendar',
    summary: 'The time zones of a seller, what they come from, and what would move; `-` is every seller',
    needs: 'ledger.read',
    answer: calendar,
    example,
    handle: async (deps, { caller, params: { slug } }) => {
      const found = await findSeller(deps, caller, slug, 'read');
      return found.ok ? ok(await showCalendar(deps, caller, found.value)) : found;
    },
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/calendar',
    id: 'set_seller_calendar',
    summary: 'Set the time zone of a seller, and how long figures and bills are cut; replaces what was set',
    needs: 'ledger.write',
    byPerson: true,
    body: setting,
    answer: calendar,
    example,
    handle: async (deps, { caller, params: { slug }, body }) => {
      const found = await findSeller(deps, caller, slug, 'write');
      if (!found.ok) return found;
      const {
        time_zone: zone,
        long_periods: longPeriods,
        billing_calendar: billing,
        issue_day,
        reason,
      } = body;
      const wanted = {
        overrides: body.overrides === true,
        ...defined({ zone, longPeriods, billingCalendar: billing, issueDay: issue_day, reason }),
      };
      await deps.calendars.set(caller, found.value.key, wanted, caller.principalId, deps.clock.now());
      return ok(await showCalendar(deps, caller, found.value));
    },
  }),
  route({
    method: 'delete',
    path: '/v1/sellers/{slug}/calendar',
    id: 'remove_seller_calendar',
    summary: 'Remove what was set for a seller; what it declares itself holds then',
    needs: 'ledger.write',
    byPerson: true,
    answer: calendar,
    example,
    handle: async (deps, { caller, params: { slug } }) => {
      const found = await findSeller(deps, caller, slug, 'write');
      if (!found.ok) return found;
      if (!(await deps.calendars.remove(caller, found.value.key)))
        return err({ code: 'NOT_FOUND', message: 'Nothing is set for this seller.', field: 'slug' });
      return ok(await showCalendar(deps, caller, found.value));
    },
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/calendar/restate',
    id: 'restate_seller_days',
    summary:
      'Move the booked figures of a seller to the days that are known now, with one entry for each buy',
    needs: 'ledger.write',
    byPerson: true,
    body: z.strictObject({
      reason: reasonText,
      after: z.string().max(1_000).exactOptional().describe('The member next of the last call.'),
    }),
    answer: moved.extend({ entry_ids: z.array(z.string()) }),
    example: {
      buys: 1,
      figures: 1,
      months: [
        { month: '2026-09', currency: 'EUR', amount: '-310' },
        { month: '2026-10', currency: 'EUR', amount: '310' },
      ],
      entry_ids: ['0193a1f2-7d6a-7c11-8a54-2f6a1d9c4b10'],
    },
    handle: async (deps, { caller, params: { slug }, body }) => {
      const found = await findSeller(deps, caller, slug, 'write');
      if (!found.ok) return found;
      const { connectionId } = found.value;
      if (connectionId === undefined)
        return err({ code: 'INVALID_REQUEST', message: 'Name one seller.', field: 'slug' });
      const wanted = { by: caller.principalId, ...body };
      const done = await deps.calendars.restate(caller, connectionId, wanted, deps.clock.now());
      return ok({ ...movedView(done), entry_ids: [...done.entries] });
    },
  }),
];

interface Found {
  readonly slug: string;
  /** As it is stored: empty for every seller. */
  readonly key: string;
  readonly connectionId?: string;
}

async function findSeller(
  { connections }: SellerCalendarsDeps,
  caller: PrincipalCaller,
  slug: string,
  action: 'read' | 'write',
): Promise<Result<Found, AdminFailure>> {
  const narrow = organizationWide(caller, 'ledger', action);
  if (narrow !== undefined) return err(narrow);
  if (slug === '-') return ok({ slug, key: everySeller });
  const connection = await connections.bySlug(caller, slug);
  if (connection === undefined)
    return err({ code: 'NOT_FOUND', message: 'No seller has this name.', field: 'slug' });
  return ok({ slug, key: connection.slug, connectionId: connection.id });
}

async function showCalendar(
  { calendars, clock }: SellerCalendarsDeps,
  caller: PrincipalCaller,
  { slug, key, connectionId }: Found,
): Promise<z.output<typeof calendar>> {
  const stored = await calendars.show(caller, key);
  const proposal = connectionId === undefined ? undefined : await calendars.proposal(caller, connectionId);
  const isSaid = zonesOf(stored).some(({ time_zone: said }) => said === proposal?.zone);
  const moves =
    connectionId === undefined ? undefined : await calendars.preview(caller, connectionId, clock.now());
  const { overrides, longPeriods, billingCalendar, issueDay, reason, setBy, setAt, declaredAt } = stored;
  return {
    seller: slug,
    zones: zonesOf(stored),
    overrides,
    ...defined({
      long_periods: longPeriods,
      billing_calendar: billingCalendar,
      issue_day: issueDay,
      reason,
      set_by: setBy,
      set_at: setAt === undefined ? undefined : isoOf(setAt),
      declared_at: declaredAt === undefined ? undefined : isoOf(declaredAt),
      proposal:
        proposal === undefined || isSaid
          ? undefined
          : { time_zone: proposal.zone, bounds: proposal.bounds, others: [...proposal.others] },
      moves: moves === undefined || moves.buys === 0 ? undefined : movedView(moves),
    }),
  };
}

/** By weight, as figures are placed. */
function zonesOf({ zone, overrides, declaredZone, productZones }: SellerCalendar) {
  const person = zone === undefined ? [] : [{ time_zone: zone, by: 'person' as const }];
  const account = declaredZone === undefined ? [] : [{ time_zone: declaredZone, by: 'account' as const }];
  const products = productZones.map((name) => ({ time_zone: name, by: 'product' as const }));
  return overrides ? [...person, ...account, ...products] : [...account, ...products, ...person];
}

function movedView({ buys, figures, months, next }: Awaited<ReturnType<SellerCalendars['preview']>>) {
  return {
    buys,
    figures,
    months: months.map(({ month, currency, amountMicros }) => ({
      month,
      currency,
      amount: microsToDecimal(amountMicros),
    })),
    ...defined({ next }),
  };
}
