import { randomUUID } from 'node:crypto';
import type { ClientRepository } from '@switchyard/buys';
import { groupBy } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { budgetLinesAtMost, type BudgetLine } from '@switchyard/store';
import { reachOf, type TenantScope } from '@switchyard/tenancy';
import { defined, err, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import { campaignIn, noCampaign, utcDay } from '../business/index.js';
import type { AdminFailure } from '../platform/failure.js';
import { routesOn } from '../platform/routes/route.js';
import { scopeOf, type PrincipalCaller, type TaskService } from '../platform/tasks/call/task-call.js';
import { changeBuy, outcome, type Outcome } from './change-buys.js';

interface PauseDeps {
  readonly clients: ClientRepository;
  readonly budgetLines: (scope: TenantScope, campaignId: string) => Promise<readonly BudgetLine[]>;
  /** Changes buys as their callers do. */
  readonly tasks: TaskService;
  readonly clock: Clock;
}

const row = z.strictObject({
  media_buy_id: z.string(),
  buyer_ref: z.string().exactOptional(),
  sellers: z.array(z.string()).describe('The sellers whose part changes.'),
  currency: z.string(),
  left: z.string().describe('What of the budgets of its lines is not delivered yet.'),
});

const wanted = z.strictObject({
  media_buy_ids: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(100)
    .describe('Buys of the campaign, as they were shown.'),
});

const answer = z.strictObject({ outcomes: z.array(outcome) });
const done = { outcomes: [{ media_buy_id: 'mb_1', sellers: ['harbor'], status: 'completed' }] };

const route = routesOn<PauseDeps>();

/** Pauses what runs of a campaign at all its sellers, and its opposite. */
export const campaignPauseRoutes = [
  route({
    method: 'get',
    path: '/v1/campaigns/{id}/pause',
    id: 'show_campaign_pause',
    summary: 'The buys of a campaign that would be paused, and those that are paused and would run again',
    needs: 'media_buys.read',
    answer: z.strictObject({ running: z.array(row), paused: z.array(row) }),
    example: {
      running: [{ media_buy_id: 'mb_1', sellers: ['harbor'], currency: 'USD', left: '3180' }],
      paused: [],
    },
    handle: async (deps, { caller, params }) => {
      const lines = await linesFor(deps, caller, params.id, 'read');
      if (!lines.ok) return lines;
      return ok({
        running: rowsOf(lines.value.filter(({ sellerStatus }) => sellerStatus !== 'paused')),
        paused: rowsOf(lines.value.filter(({ sellerStatus }) => sellerStatus === 'paused')),
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/campaigns/{id}/pause',
    id: 'pause_campaign',
    summary: 'Pause buys of a campaign at all their sellers at the same time',
    needs: 'media_buys.write',
    byPerson: true,
    body: wanted,
    answer,
    example: done,
    handle: (deps, { caller, params, body }) => change(deps, caller, params.id, body.media_buy_ids, true),
  }),
  route({
    method: 'post',
    path: '/v1/campaigns/{id}/resume',
    id: 'resume_campaign',
    summary: 'Let paused buys of a campaign run again at all their sellers',
    needs: 'media_buys.write',
    byPerson: true,
    body: wanted,
    answer,
    example: done,
    handle: (deps, { caller, params, body }) => change(deps, caller, params.id, body.media_buy_ids, false),
  }),
];

/** The lines of a campaign that can still deliver, of buys that sellers have taken. */
async function linesFor(
  deps: PauseDeps,
  caller: PrincipalCaller,
  campaignId: string,
  permission: 'read' | 'write',
): Promise<Result<readonly BudgetLine[], AdminFailure>> {
  const campaign = await campaignIn(deps, caller, reachOf(caller, 'media_buys', permission), campaignId);
  if (campaign === undefined) return err(noCampaign);
  const lines = await deps.budgetLines(scopeOf(caller), campaign.id);
  if (lines.length > budgetLinesAtMost)
    return err({
      code: 'CONFLICT',
      message: `The campaign has more than ${budgetLinesAtMost} lines: they are not paused in one change.`,
      suggestion: 'Pause its buys one by one with update_media_buy.',
    });
  const today = utcDay(deps.clock);
  return ok(lines.filter(({ state, endsOn }) => state !== 'over' && endsOn >= today));
}

function rowsOf(lines: readonly BudgetLine[]): z.output<typeof row>[] {
  return [...groupBy(lines, ({ mediaBuyId }) => mediaBuyId)].map(([id, own]) => ({
    media_buy_id: id,
    sellers: sellersOf(own),
    currency: own[0]?.currency ?? '',
    left: microsToDecimal(own.reduce((sum, line) => sum + leftOf(line), 0n)),
    ...defined({ buyer_ref: own[0]?.buyerRef }),
  }));
}

const sellersOf = (lines: readonly BudgetLine[]): string[] => [...new Set(lines.map(({ seller }) => seller))];

function leftOf({ budgetMicros, delivered }: BudgetLine): bigint {
  const left = [...delivered.values()].reduce((rest, amount) => rest - amount, budgetMicros);
  return left > 0n ? left : 0n;
}

/** Asks the sellers of all the buys at the same time. */
async function change(
  deps: PauseDeps,
  caller: PrincipalCaller,
  campaignId: string,
  ids: readonly string[],
  paused: boolean,
): Promise<Result<{ readonly outcomes: Outcome[] }, AdminFailure>> {
  const lines = await linesFor(deps, caller, campaignId, 'write');
  if (!lines.ok) return lines;
  const byBuy = groupBy(lines.value, ({ mediaBuyId }) => mediaBuyId);
  const unknown = ids.findIndex((id) => !byBuy.has(id));
  if (unknown !== -1)
    return err({
      code: 'NOT_FOUND',
      message: 'No buy of the campaign with this id can still deliver.',
      field: `media_buy_ids[${unknown}]`,
      suggestion: 'Read which buys run and which are paused again. Nothing was changed.',
    });
  const asked = [...new Set(ids)].map(async (id) => {
    const sellers = sellersOf(byBuy.get(id) ?? []);
    const of = { media_buy_id: id, sellers };
    return changeBuy(deps.tasks, caller, { of, args: { paused }, key: `pause-${randomUUID()}` });
  });
  return ok({ outcomes: await Promise.all(asked) });
}
