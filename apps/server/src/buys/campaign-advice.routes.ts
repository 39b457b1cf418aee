import { createHash } from 'node:crypto';
import type { ClientRepository } from '@switchyard/buys';
import { adviseBudgets, groupBy, type Advice } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { prefixId } from '@switchyard/protocol';
import { budgetLinesAtMost, type BudgetLine, type PacingFigures, type PacingWanted } from '@switchyard/store';
import { reachOf, type TenantScope } from '@switchyard/tenancy';
import { defined, err, ok, type Clock, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { campaignIn, noCampaign, paceFor, utcDay } from '../business/index.js';
import { scopeOf, type PrincipalCaller, type TaskService } from '../platform/tasks/call/task-call.js';
import { routesOn } from '../platform/routes/route.js';
import { changeBuy, outcome, type BuyChange, type Outcome } from './change-buys.js';

interface AdviceDeps {
  readonly clients: ClientRepository;
  readonly pacing: (scope: TenantScope, wanted: PacingWanted) => Promise<readonly PacingFigures[]>;
  readonly budgetLines: (scope: TenantScope, campaignId: string) => Promise<readonly BudgetLine[]>;
  /** Changes buys as their callers do. */
  readonly tasks: TaskService;
  readonly clock: Clock;
}

const change = z.strictObject({
  media_buy_id: z.string(),
  buyer_ref: z.string().exactOptional(),
  package_id: z.string(),
  product_id: z.string(),
  seller: z.string(),
  budget: z.string().describe('Its budget now.'),
  new_budget: z.string(),
  why: z
    .enum(['unspent', 'dearest', 'room'])
    .describe(
      'unspent: at its pace it would leave `fact` of its budget. dearest: of the lines that can be cut its thousand ' +
        'impressions cost most, `fact`. room: at its pace it would spend `fact` more than its budget.',
    ),
  fact: z.string().exactOptional(),
});

const advice = z.strictObject({
  advice_id: z.string().describe('The same as long as nothing of the advice changes.'),
  kind: z.enum(['lower', 'move', 'raise']),
  currency: z.string(),
  amount: z
    .string()
    .describe('By how much the budgets become smaller, or larger where none becomes smaller.'),
  left: z.string().describe('What would still be over the budget of the campaign.'),
  changes: z.array(change).describe('Budgets that become smaller stand first.'),
});

const example = {
  advice_id: '0b6f4b2f4e6c4a1f9a3d',
  kind: 'move' as const,
  currency: 'USD',
  amount: '4000',
  left: '0',
  changes: [
    {
      media_buy_id: 'mb_1',
      package_id: 'harbor:p1',
      product_id: 'harbor:video',
      seller: 'harbor',
      budget: '18000',
      new_budget: '14000',
      why: 'unspent' as const,
      fact: '4210.5',
    },
    {
      media_buy_id: 'mb_2',
      package_id: 'meridian:p1',
      product_id: 'meridian:ctv',
      seller: 'meridian',
      budget: '14000',
      new_budget: '18000',
      why: 'room' as const,
      fact: '5200',
    },
  ],
};

const route = routesOn<AdviceDeps>();

/** What to change of the budgets of a campaign, and the change itself. */
export const campaignAdviceRoutes = [
  route({
    method: 'get',
    path: '/v1/campaigns/{id}/advice',
    id: 'show_campaign_advice',
    summary: 'What the rule of advice says of the budgets of a campaign; null where it has nothing to say',
    needs: 'ledger.read',
    answer: z.strictObject({ advice: advice.nullable() }),
    example: { advice: example },
    handle: async (deps, { caller, params }) => {
      const found = await adviceFor(deps, caller, params.id);
      if (found === 'no_campaign') return err(noCampaign);
      return ok({ advice: found === undefined ? null : viewOf(found) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/campaigns/{id}/advice',
    id: 'follow_campaign_advice',
    summary: 'Change the budgets as the advice says, at all its sellers: smaller ones first',
    needs: 'media_buys.write',
    byPerson: true,
    body: z.strictObject({
      advice_id: z.string().min(1).max(100).describe('As it was read: what has changed since is refused.'),
    }),
    answer: z.strictObject({ outcomes: z.array(outcome) }),
    example: { outcomes: [{ media_buy_id: 'mb_1', sellers: ['harbor'], status: 'completed' }] },
    handle: async (deps, { caller, params, body }) => {
      const found = await adviceFor(deps, caller, params.id);
      if (found === 'no_campaign') return err(noCampaign);
      if (found === undefined || idOf(found) !== body.advice_id)
        return err({
          code: 'CONFLICT',
          message: 'The figures or budgets have changed since the advice was read.',
          suggestion: 'Read the advice again, and decide about what it says now.',
        });
      return ok({ outcomes: await follow(deps, caller, found) });
    },
  }),
];

interface Found {
  readonly advice: Advice<BudgetLine>;
  readonly currency: string;
}

/** The advice on a campaign that the caller may see the figures of. */
async function adviceFor(
  deps: AdviceDeps,
  caller: PrincipalCaller,
  campaignId: string,
): Promise<Found | undefined | 'no_campaign'> {
  const reach = reachOf(caller, 'ledger', 'read');
  const campaign = await campaignIn(deps, caller, reach, campaignId);
  if (campaign === undefined) return 'no_campaign';
  const scope = scopeOf(caller);
  const today = utcDay(deps.clock);
  const wanted = { by: 'campaign', reach, campaignIds: [campaign.id], limit: 1 } as const;
  const [[figures], lines] = await Promise.all([
    deps.pacing(scope, wanted),
    deps.budgetLines(scope, campaign.id),
  ]);
  const planMicros = figures === undefined ? undefined : paceFor(figures, today).plannedMicros;
  const isOneCurrency = lines.every(({ currency }) => currency === campaign.currency);
  if (planMicros === undefined || !isOneCurrency || lines.length > budgetLinesAtMost) return undefined;
  const found = adviseBudgets({ today, planMicros, lines });
  return found === undefined ? undefined : { advice: found, currency: campaign.currency };
}

const packageOf = ({ line }: { readonly line: BudgetLine }): string =>
  prefixId(line.seller, line.sellerPackageId);

function idOf({ advice: { changes } }: Found): string {
  const said = changes.map((one) => [packageOf(one), one.line.revision, String(one.toMicros)]);
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 32);
}

function viewOf(found: Found): z.output<typeof advice> {
  const { advice: of, currency } = found;
  return {
    advice_id: idOf(found),
    kind: of.kind,
    currency,
    amount: microsToDecimal(of.amountMicros),
    left: microsToDecimal(of.leftMicros),
    changes: of.changes.map((one) => ({
      media_buy_id: one.line.mediaBuyId,
      package_id: packageOf(one),
      product_id: prefixId(one.line.seller, one.line.productId),
      seller: one.line.seller,
      budget: microsToDecimal(one.line.budgetMicros),
      new_budget: microsToDecimal(one.toMicros),
      why: one.why,
      ...(one.factMicros !== undefined && { fact: microsToDecimal(one.factMicros) }),
      ...defined({ buyer_ref: one.line.buyerRef }),
    })),
  };
}

type Change = Advice<BudgetLine>['changes'][number];

/** The smaller budgets of all buys at the same time; then the larger ones, if each smaller one was accepted. */
async function follow(deps: AdviceDeps, caller: PrincipalCaller, found: Found): Promise<readonly Outcome[]> {
  const { changes } = found.advice;
  const [smaller, larger] = [
    changes.filter(({ line, toMicros }) => toMicros < line.budgetMicros),
    changes.filter(({ line, toMicros }) => toMicros > line.budgetMicros),
  ];
  const ask = (of: readonly Change[]): Promise<readonly Outcome[]> =>
    Promise.all(byBuy(of).map((part) => changeBuy(deps.tasks, caller, changeOf(idOf(found), part))));
  const first = await ask(smaller);
  const isFree = first.every(({ status }) => status === 'completed');
  if (isFree) return [...first, ...(await ask(larger))];
  const held = byBuy(larger).map((part) => ({
    ...partOf(part),
    status: 'not_asked',
    message: 'Its budget is raised once every smaller one is accepted: read the advice again then.',
  }));
  return [...first, ...held];
}

const byBuy = (changes: readonly Change[]): readonly (readonly Change[])[] => [
  ...groupBy(changes, ({ line }) => line.mediaBuyId).values(),
];

const partOf = (part: readonly Change[]): Pick<Outcome, 'media_buy_id' | 'sellers'> => ({
  media_buy_id: part[0]?.line.mediaBuyId ?? '',
  sellers: [...new Set(part.map(({ line }) => line.seller))],
});

/** The change of one buy. The same advice, followed twice, changes it once. */
function changeOf(adviceId: string, part: readonly Change[]): BuyChange {
  const of = partOf(part);
  const packages: readonly JsonObject[] = part.map((one) => ({
    package_id: packageOf(one),
    budget: Number(microsToDecimal(one.toMicros)),
  }));
  return {
    of,
    args: { packages: [...packages] },
    exact: new Map(part.map((one, at) => [`/packages/${at}/budget`, microsToDecimal(one.toMicros)])),
    key: `advice-${adviceId}-${createHash('sha256').update(of.media_buy_id).digest('hex').slice(0, 24)}`,
  };
}
