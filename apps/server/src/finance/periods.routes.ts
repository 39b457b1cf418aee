import { microsToDecimal } from '@switchyard/money';
import {
  type CloseStep,
  type DisputeRepository,
  type PeriodRepository,
  type SpendQuestion,
  type SpendRow,
} from '@switchyard/store';
import { reachOf, type TenantScope } from '@switchyard/tenancy';
import { closeSteps, daysOfPeriod, isPeriod, localDay, type CloseChecklist } from '@switchyard/ledger';
import { defined, err, isoOf, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { instant, noReason, reasonText } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { routesOn } from '../platform/routes/route.js';
import { refuseArchivedPeriod, type ArchiveDeps } from '../ledger/index.js';

interface PeriodsDeps extends ArchiveDeps {
  readonly periods: PeriodRepository;
  readonly disputes: Pick<DisputeRepository, 'openOfPeriod'>;
  readonly spendBy: (scope: TenantScope, question: SpendQuestion) => Promise<readonly SpendRow[]>;
  readonly clock: Clock;
}

const state = z.enum(['open', 'soft_closed', 'closed']);

const accountingPeriod = z.strictObject({
  period: z.string(),
  state,
  closed_by: z.string().exactOptional().describe('Id of the principal.'),
  closed_at: instant.exactOptional(),
  reopen_asked_by: z.string().exactOptional().describe('Another principal must agree.'),
  reopen_asked_by_name: z.string().exactOptional(),
  reopen_reason: z.string().exactOptional(),
  reopen_until: instant.exactOptional().describe('When that request ends.'),
});

const closeStep = z.strictObject({
  step: z.enum(closeSteps),
  owner_id: z.string().exactOptional(),
  owner: z.string().exactOptional(),
  due_on: z.string().exactOptional().describe('YYYY-MM-DD.'),
  done_by_id: z.string().exactOptional(),
  done_by: z.string().exactOptional(),
  done_at: instant.exactOptional(),
});

const month = z.strictObject({
  ...accountingPeriod.shape,
  steps: z
    .array(closeStep)
    .describe('Steps of its close that belong to somebody, have a day, or are said to be done.'),
  compared: z
    .strictObject({ at: instant, matched: z.int(), found: z.int() })
    .exactOptional()
    .describe('The newest comparison of the whole period.'),
  sellers: z.array(
    z.strictObject({
      seller: z.string(),
      currency: z.string(),
      delivered: z.string(),
      invoiced: z.string().describe('What is held against delivery: without fees, tax and commission.'),
      accrued: z.string().describe('Delivered by the end of the period and not invoiced.'),
      disputed: z.string(),
      open_breaks: z.int(),
      open_amount: z.string().describe('The open differences, added up without their signs.'),
      resolved_breaks: z.int(),
    }),
  ),
});

const checklist = z.strictObject({
  open_breaks: z.int(),
  quarantined_events: z.int(),
  unassigned_buys: z.int(),
  reconciliation_due: z
    .boolean()
    .describe('Whether the whole period must be reconciled: its figures changed after the last run.'),
  open_disputes: z
    .array(
      z.strictObject({
        dispute_id: z.string(),
        number: z.string(),
        seller: z.string(),
        amount: z.string(),
        currency: z.string(),
        due_on: z.string(),
      }),
    )
    .describe('Cases of invoices of the period, 100 at most. They do not prevent its close.'),
  split_evenly: z
    .array(
      z.strictObject({
        seller: z.string(),
        currency: z.string(),
        amount: z.string(),
        figures: z.int(),
      }),
    )
    .describe(
      'Parts of figures over the end of a month that stand here by days alone. They do not prevent its close: ask the seller for single days first.',
    ),
});

const accrual = z.strictObject({ seller: z.string(), currency: z.string(), amount: z.string() });

const route = routesOn<PeriodsDeps>();

/** Accounting periods: calendar months of UTC days. */
export const periodRoutes = [
  route({
    method: 'get',
    path: '/v1/periods',
    id: 'list_periods',
    summary: 'Periods that have figures, or were closed or reopened, newest first; all others are open',
    needs: 'ledger.read',
    answer: z.strictObject({ periods: z.array(accountingPeriod) }),
    handle: async ({ periods, clock }, { caller }) => {
      // When the organization had figures is nothing for who may read a part of them.
      const seesAll = organizationWide(caller, 'ledger', 'read') === undefined;
      const found = await (seesAll ? periods.listWithFigures : periods.list)(caller, clock.now());
      return ok({ periods: found.map(periodView) });
    },
  }),
  route({
    method: 'get',
    path: '/v1/periods/{period}',
    id: 'show_period',
    summary: 'One period: its state, its last comparison, and its amounts by seller',
    needs: 'ledger.read',
    answer: month,
    example: {
      period: '2026-09',
      state: 'open',
      steps: [
        {
          step: 'accruals',
          owner_id: '5a1e4f0e-6a52-4d6b-9a55-6b0f8f6b7c11',
          owner: 'Ines Vogel',
          due_on: '2026-10-05',
        },
      ],
      compared: { at: '2026-11-21T12:00:00.000Z', matched: 1_184, found: 25 },
      sellers: [
        {
          seller: 'acme',
          currency: 'USD',
          delivered: '7534.86',
          invoiced: '7291.8',
          accrued: '243.06',
          disputed: '0',
          open_breaks: 1,
          open_amount: '243.06',
          resolved_breaks: 2,
        },
      ],
    },
    handle: (deps, { caller, params: { period } }) => showPeriod(deps, caller, period),
  }),
  route({
    method: 'get',
    path: '/v1/periods/{period}/checklist',
    id: 'show_checklist',
    summary: 'What prevents closing a period',
    needs: 'ledger.read',
    isOfOrganization: true,
    answer: checklist,
    example: {
      open_breaks: 2,
      quarantined_events: 0,
      unassigned_buys: 1,
      reconciliation_due: true,
      open_disputes: [],
      split_evenly: [{ seller: 'harbor', currency: 'EUR', amount: '160', figures: 1 }],
    },
    handle: async ({ periods, disputes }, { caller, params: { period } }) => {
      if (!isPeriod(period)) return err(noPeriod);
      const open = await disputes.openOfPeriod(caller, period);
      const split = await periods.splitEvenly(caller, period);
      return ok({
        ...checklistView(await periods.checklist(caller, period)),
        open_disputes: open.map(({ id, number, seller, amountMicros, currency, dueOn }) => ({
          dispute_id: id,
          ...{ number, seller, currency },
          amount: microsToDecimal(amountMicros),
          due_on: dueOn,
        })),
        split_evenly: split.map(({ amountMicros, ...row }) => ({
          ...row,
          amount: microsToDecimal(amountMicros),
        })),
      });
    },
  }),
  route({
    method: 'get',
    path: '/v1/periods/{period}/accruals',
    id: 'list_accruals',
    summary: 'Accruals: delivered by the end of a period and not invoiced',
    needs: 'ledger.read',
    isOfOrganization: true,
    answer: z.strictObject({
      accruals: z.array(accrual),
      unbilled: z
        .array(
          z.strictObject({
            client_id: z.string(),
            client: z.string(),
            currency: z.string(),
            amount: z.string(),
          }),
        )
        .describe('Media of clients that is delivered and not billed to them.'),
    }),
    handle: async ({ periods }, { caller, params: { period } }) => {
      if (!isPeriod(period)) return err(noPeriod);
      const found = await periods.accruals(caller, period);
      return ok({
        accruals: found.map(({ seller, currency, amountMicros }) => ({
          seller,
          currency,
          amount: microsToDecimal(amountMicros),
        })),
        unbilled: (await periods.unbilled(caller, period)).map(
          ({ clientId, client, currency, amountMicros }) => ({
            ...{ client_id: clientId, client, currency },
            amount: microsToDecimal(amountMicros),
          }),
        ),
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/periods/{period}/steps',
    id: 'set_close_step',
    summary: 'Say whose a step of the close is, until when, or that it is done',
    needs: 'ledger.write',
    byPerson: true,
    body: z.strictObject({
      step: z.enum(closeSteps),
      owner_id: z.uuid().nullable().exactOptional().describe('Null: nobody.'),
      due_on: z.iso.date().nullable().exactOptional().describe('Null: no day.'),
      done: z
        .boolean()
        .exactOptional()
        .describe('Who says that a step is done cannot close the period; false takes it back.'),
    }),
    answer: z.strictObject({ period: z.string(), steps: z.array(closeStep) }),
    example: {
      period: '2026-09',
      steps: [
        {
          step: 'accruals',
          owner_id: '5a1e4f0e-6a52-4d6b-9a55-6b0f8f6b7c11',
          owner: 'Ines Vogel',
          due_on: '2026-10-05',
        },
      ],
    },
    handle: async ({ periods, clock }, { caller, params: { period }, body }) => {
      if (!isPeriod(period)) return err(noPeriod);
      const narrow = organizationWide(caller, 'ledger', 'write');
      if (narrow !== undefined) return err(narrow);
      const { step, owner_id: owner, due_on: dueOn, done } = body;
      const by = caller.principalId;
      const change = { period, step, by, ...defined({ owner, dueOn, done }) };
      if (!(await periods.changeStep(caller, change, clock.now())))
        return err({
          code: 'INVALID_REQUEST',
          message: 'No active principal of the organization has this id.',
          field: 'owner_id',
        });
      return ok({ period, steps: (await periods.steps(caller, period)).map(stepView) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/periods/{period}/close',
    id: 'close_period',
    summary: 'Close a period that is over, and post its accruals',
    needs: 'ledger.approve',
    body: z.strictObject({
      soft: z.boolean().exactOptional().describe('Soft close: late figures are still posted to it.'),
    }),
    answer: z.strictObject({ period: z.string(), state }),
    example: { period: '2026-09', state: 'closed' },
    handle: (deps, { caller, params: { period }, body }) => close(deps, caller, period, body.soft === true),
  }),
  route({
    method: 'post',
    path: '/v1/periods/{period}/reopen',
    id: 'reopen_period',
    summary: 'Request to reopen a closed period, or agree as another person',
    needs: 'ledger.approve',
    isOfOrganization: true,
    body: z.strictObject({ reason: reasonText.exactOptional() }),
    answer: z.strictObject({
      period: z.string(),
      state,
      waits_for: z
        .literal('another_person')
        .exactOptional()
        .describe('Present while another person must agree with the same request.'),
    }),
    handle: async (deps, { caller, params: { period }, body: { reason = noReason } }) => {
      const { periods, clock } = deps;
      if (!isPeriod(period)) return err(noPeriod);
      const archived = await refuseArchivedPeriod(deps, caller, period);
      if (archived !== undefined) return err(archived);
      const by = caller.principalId;
      const done = await periods.reopen(caller, { period, by, reason }, clock.now());
      if (done === 'asked')
        return ok({ period, state: 'closed' as const, waits_for: 'another_person' as const });
      if (done === 'opened') return ok({ period, state: 'open' as const });
      return err({ code: 'CONFLICT', message: refusals[done], field: 'period' });
    },
  }),
  route({
    method: 'post',
    path: '/v1/periods/{period}/withdraw',
    id: 'withdraw_reopening',
    summary: 'Take back a request to reopen a period, your own or as another person who will not agree',
    needs: 'ledger.approve',
    isOfOrganization: true,
    answer: z.strictObject({ period: z.string(), state }),
    example: { period: '2026-09', state: 'closed' },
    handle: async ({ periods, clock }, { caller, params: { period } }) => {
      if (!isPeriod(period)) return err(noPeriod);
      if (await periods.keepClosed(caller, period, clock.now()))
        return ok({ period, state: 'closed' as const });
      return err({ code: 'CONFLICT', message: 'Nobody asks to reopen this period.', field: 'period' });
    },
  }),
];

const refusals = {
  same_person: 'Reopening a closed period needs two people: another one must agree.',
  not_closed: 'This period is open.',
  not_the_newest: 'A later period is closed: reopen that one first.',
} as const;

const noPeriod: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'A period is a month as YYYY-MM.',
  field: 'period',
};

async function showPeriod(
  { periods, spendBy, clock }: PeriodsDeps,
  caller: PrincipalCaller,
  period: string,
): Promise<Result<z.output<typeof month>, AdminFailure>> {
  if (!isPeriod(period)) return err(noPeriod);
  const narrow = organizationWide(caller, 'ledger', 'read');
  if (narrow !== undefined) return err(narrow);
  const { from, to } = daysOfPeriod(period);
  const [known, steps, summary, accruals, spend] = await Promise.all([
    periods.list(caller, clock.now()),
    periods.steps(caller, period),
    periods.summary(caller, period),
    periods.accruals(caller, period),
    spendBy(caller, { by: ['seller'], from, to, reach: reachOf(caller, 'ledger', 'read') }),
  ]);
  const keyOf = ({
    seller = '',
    currency,
  }: {
    readonly seller?: string;
    readonly currency: string;
  }): string => JSON.stringify([seller, currency]);
  const delivered = new Map(spend.map((row) => [keyOf(row), BigInt(row.amount)]));
  const accrued = new Map(accruals.map((row) => [keyOf(row), row.amountMicros]));
  const counted = new Map(summary.sellers.map((row) => [keyOf(row), row]));
  const keys = [...new Set([...delivered.keys(), ...counted.keys(), ...accrued.keys()])].sort();
  const { run } = summary;
  return ok({
    ...periodView(known.find((one) => one.period === period) ?? { period, state: 'open' }),
    steps: steps.map(stepView),
    ...(run !== undefined && {
      compared: { at: isoOf(run.at), matched: run.matched, found: run.found },
    }),
    sellers: keys.map((key) => {
      const [seller = '', currency = ''] = JSON.parse(key) as readonly string[];
      const row = counted.get(key);
      return {
        seller,
        currency,
        delivered: microsToDecimal(delivered.get(key) ?? 0n),
        invoiced: microsToDecimal(row?.invoicedMicros ?? 0n),
        accrued: microsToDecimal(accrued.get(key) ?? 0n),
        disputed: microsToDecimal(row?.disputedMicros ?? 0n),
        open_breaks: row?.openBreaks ?? 0,
        open_amount: microsToDecimal(row?.openMicros ?? 0n),
        resolved_breaks: row?.resolvedBreaks ?? 0,
      };
    }),
  });
}

const stepView = ({ step, ownerId, owner, dueOn, doneById, doneBy, doneAt }: CloseStep) => ({
  step,
  ...defined({ owner_id: ownerId, owner, due_on: dueOn, done_by_id: doneById, done_by: doneBy }),
  ...(doneAt !== undefined && { done_at: isoOf(doneAt) }),
});

function periodView(stored: Awaited<ReturnType<PeriodRepository['list']>>[number]) {
  return {
    period: stored.period,
    state: stored.state,
    ...(stored.closedBy !== undefined && { closed_by: stored.closedBy }),
    ...(stored.closedAt !== undefined && { closed_at: isoOf(stored.closedAt) }),
    ...(stored.reopenUntil !== undefined && { reopen_until: isoOf(stored.reopenUntil) }),
    ...defined({
      reopen_asked_by: stored.reopenRequestedBy,
      reopen_asked_by_name: stored.reopenRequestedByName,
      reopen_reason: stored.reopenReason,
    }),
  };
}

async function close(
  { periods, clock }: PeriodsDeps,
  caller: PrincipalCaller,
  period: string,
  soft: boolean,
): Promise<Result<{ period: string; state: 'soft_closed' | 'closed' }, AdminFailure>> {
  if (!isPeriod(period)) return err(noPeriod);
  const narrow = organizationWide(caller, 'ledger', 'approve');
  if (narrow !== undefined) return err(narrow);
  const now = clock.now();
  const { to } = daysOfPeriod(period);
  // It is over when its last day is over in the westernmost zone that figures stand in.
  const zones = ['UTC', ...(await periods.zonesInUse(caller))];
  const running = zones.find((zone) => localDay(zone, now) < to);
  if (running !== undefined) {
    const message = `This period is not over yet${running === 'UTC' ? '' : ` in ${running}`}.`;
    return err({ code: 'CONFLICT', message, field: 'period' });
  }
  const keptOpen = await periods.close(caller, { period, soft, by: caller.principalId }, now);
  if (keptOpen === undefined) return ok({ period, state: soft ? 'soft_closed' : 'closed' });
  if (keptOpen === 'closed_already')
    return err({ code: 'CONFLICT', message: 'This period is already closed.', field: 'period' });
  if ('step' in keptOpen)
    return err({
      code: 'CONFLICT',
      message: `You said that the step "${keptOpen.step}" of this close is done: another person closes it.`,
      field: 'period',
      suggestion: 'Ask somebody else who may approve figures.',
    });
  if (keptOpen.reconciliationsDue > 0)
    return err({
      code: 'CONFLICT',
      message: `The figures of ${period} were not reconciled since they last changed.`,
      field: 'period',
      suggestion: `Run the reconciliation of the whole period first: switchyard reconcile --period ${period}. An organization that does not compare may allow it: switchyard organizations set --close-unreconciled yes.`,
    });
  return err({
    code: 'CONFLICT',
    message: `This period cannot be closed yet. Open breaks: ${keptOpen.openBreaks}. Quarantined events: ${keptOpen.quarantinedEvents}. Buys without a campaign: ${keptOpen.unassignedBuys}.`,
    field: 'period',
    suggestion: 'Resolve the breaks, admit or dismiss the events, assign the buys, and close it then.',
  });
}

function checklistView(
  closeChecklist: CloseChecklist,
): Omit<z.output<typeof checklist>, 'open_disputes' | 'split_evenly'> {
  return {
    open_breaks: closeChecklist.openBreaks,
    quarantined_events: closeChecklist.quarantinedEvents,
    unassigned_buys: closeChecklist.unassignedBuys,
    reconciliation_due: closeChecklist.reconciliationsDue > 0,
  };
}
