import { Button, Card, Checkbox, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMe } from '../../../api/session.js';
import { textAt } from '../../../api/task.js';
import { BudgetTruth } from '../../../parts/budget-truth.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import { DateInput, isDay } from '../../../parts/forms/date-input.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { ErrorPanel } from '../../../parts/error-panel.js';
import { Go } from '../../../parts/go.js';
import { decimal, micros, Money, shortText } from '../../../parts/money.js';
import { Name } from '../../../parts/name.js';
import { PageHead } from '../../../parts/page-head.js';
import { FactList, Panel } from '../../../parts/panel.js';
import { forgetRun, runOf, startRun, useRun } from '../../../parts/run.js';
import { SellerRows } from '../../../parts/seller-rows.js';
import { useSellerNames } from '../../../parts/seller-name.js';
import { StatusBadge } from '../../../parts/status.js';
import { monthName, rangeText } from '../../../parts/time.js';
import { useAnswer, useMay } from '../../../parts/use-rows.js';
import { EditCampaign } from '../edit-campaign.js';
import { useCampaignsOf } from '../use-campaigns-of.js';
import { changeBasket, emptyBasket, useBasket, type Basket } from './basket.js';
import { BrandPicker, CampaignPicker } from './brand-campaign.js';
import { CampaignPlan } from './campaign-plan.js';
import { PlanCalendar } from './plan-calendar.js';
import { BeforeYouBuy, checksOf, usePlanCheck } from './plan-check.js';
import { impressionsOf, PlanLines } from './plan-lines.js';
import { monthsOf, mostMonths, packagesOf, spendByMonth, splitLine, splitMonths } from './plan-months.js';
import { isRefusal, problemsOf, requestOf, totalsOf } from './plan-request.js';
import './plan.css';

/** The basket as one media buy over its sellers: what its campaign has left, its lines, its checks, one confirmation. */
export function PlanPage() {
  const basket = useBasket();
  const run = useRun('buy');
  const me = useMe().data;
  const may = useMay();
  const nameOf = useSellerNames();
  const brand = basket.brand.trim().toLowerCase();
  const campaigns = useCampaignsOf(brand, may('clients.read')) ?? [];
  const today = new Date().toISOString().slice(0, 10);
  const problems = problemsOf(basket, today);
  const make = () => requestOf(basket, me?.organization.domain ?? '', today);
  const isComplete = basket.lines.length > 0 && problems.length === 0;
  const check = usePlanCheck(isComplete ? make() : undefined);
  const campaign = campaigns.find(({ campaign_id: id }) => id === basket.campaignId);
  const checks =
    isComplete && check.query.data !== undefined
      ? checksOf(check.query.data, { campaign, basketEnd: basket.end, nameOf })
      : [];
  const buy = async (): Promise<void> => {
    const answer = await startRun('buy', 'create_media_buy', make());
    if (answer !== undefined) return emptyBasket();
    // A refused order is another one when it is sent again.
    if (isRefusal(runOf('buy')?.error)) changeBasket({});
  };
  const blocked =
    problems.length > 0
      ? problems.join(' ')
      : run?.isBusy === true
        ? 'It is being sent.'
        : check.isWaiting
          ? 'The plan is being checked.'
          : check.isRefused
            ? 'It would be refused. Change the plan first.'
            : undefined;
  const sellers = new Set(basket.lines.map(({ seller }) => seller)).size;
  const totals = totalsOf(basket, today);
  return (
    <>
      <PageHead
        title={campaign === undefined ? 'Plan' : `Plan for ${campaign.name}`}
        beside={basket.lines.length > 0 && <StatusBadge of="Draft" tone="gray" />}
        actions={
          basket.lines.length > 0 && (
            <ConfirmButton
              label="Buy"
              size="sm"
              blocked={blocked}
              act={() => (void buy(), Promise.resolve())}
              done="Sent. What each seller says is shown on this page as it comes."
            >
              You order {counted(packagesOf(basket, today).length, 'line')} at {counted(sellers, 'seller')}{' '}
              for {basket.brand}: {totals.map(({ text }) => text).join(', ')}.
            </ConfirmButton>
          )
        }
      >
        {campaign === undefined ? (
          'What you want to buy, kept in this browser until it is bought.'
        ) : (
          <span className="facts-line">
            <span>
              <Go to={`/campaigns/${campaign.campaign_id}`}>
                <Name of={campaign.name} most={60} />
              </Go>
            </span>
            <span>
              <Name of={campaign.client} most={60} />
            </span>
            <span>
              <Name of={campaign.brand} most={60} />
            </span>
          </span>
        )}
      </PageHead>
      {run !== undefined && <Outcome />}
      {basket.lines.length === 0 ? (
        <EmptyState title="The plan is empty">
          <Go to="/ask">Ask the market</Go>, and add the products that you want to buy.
        </EmptyState>
      ) : (
        <div className="columns">
          <div className="column">
            <Truth basket={basket} campaign={campaign} total={totals} />
            <Panel title="For whom and when">
              <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
                <BrandPicker
                  isRequired
                  value={basket.brand}
                  onChange={(domain) => changeBasket({ brand: domain })}
                />
                <CampaignPicker
                  brand={brand}
                  value={basket.campaignId}
                  onChange={(campaignId, domain) => changeBasket({ brand: domain, campaignId })}
                />
                <DateInput
                  label="First day (UTC)"
                  description="Empty: at once"
                  value={basket.start}
                  onChange={(start) => changeBasket({ start })}
                />
                <DateInput
                  label="Last day (UTC)"
                  required
                  description="Last day, included"
                  value={basket.end}
                  onChange={(end) => changeBasket({ end })}
                />
              </SimpleGrid>
              <ByMonth basket={basket} today={today} />
            </Panel>
            <PlanLines lines={basket.lines} months={splitMonths(basket, today)} />
            {campaign !== undefined && (
              <CampaignPlan campaign={campaign} adds={spendByMonth(basket, today)} />
            )}
            {isDay(basket.end) && (basket.start === '' || isDay(basket.start)) && basket.end >= today && (
              <PlanCalendar
                lines={basket.lines.map((line) => ({
                  key: `${line.productId} ${line.pricingOptionId}`,
                  name: nameOf(line.seller),
                }))}
                from={basket.start === '' ? today : basket.start}
                to={basket.end}
                today={today}
                campaignEnd={campaign?.to}
              />
            )}
          </div>
          <div className="column">
            <BeforeYouBuy problems={problems} check={check} checks={checks} />
            <IfYouBuy basket={basket} today={today} sellers={sellers} />
          </div>
        </div>
      )}
    </>
  );
}

type Campaign = NonNullable<ReturnType<typeof useCampaignsOf>>[number];

/** What the campaign has left, and what this plan takes of it. */
function Truth({
  basket,
  campaign,
  total,
}: {
  readonly basket: Basket;
  readonly campaign: Campaign | undefined;
  readonly total: ReturnType<typeof totalsOf>;
}) {
  const may = useMay();
  const pace = useAnswer(
    'GET /v1/pacing',
    { query: { campaign_id: campaign?.campaign_id ?? '', by: 'campaign' } },
    campaign !== undefined && may('ledger.read'),
  );
  if (campaign === undefined)
    return (
      <Panel title="Budget">
        <p className="panel-small">
          {basket.brand === '' ? 'Choose the brand and its campaign' : 'Choose the campaign'} below, and what
          is left of its budget stands here.
        </p>
      </Panel>
    );
  const row = pace.data?.pacing.find(({ currency }) => currency === campaign.currency);
  const plan = total.find(({ currency }) => currency === campaign.currency)?.sum ?? 0n;
  const others = total.filter(({ currency }) => currency !== campaign.currency);
  const figures = row ?? campaign.figures ?? undefined;
  return (
    <Panel
      title={`Budget of ${campaign.name}`}
      about={`${campaign.budget === null ? 'no budget' : ''} ${rangeText(campaign.from, campaign.to)}`}
      acts={<EditCampaign campaign={campaign} label="Change the campaign" />}
    >
      {campaign.budget === null ? (
        <p className="panel-small">This campaign has no budget: nothing of it can be passed.</p>
      ) : (
        <BudgetTruth
          of={{
            budget: campaign.budget,
            delivered: figures?.delivered ?? '0',
            committed: figures?.committed ?? '0',
            plan: decimal(plan),
            currency: campaign.currency,
          }}
        />
      )}
      {others.length > 0 && (
        <p className="panel-small">
          In other currencies, not added here: {others.map(({ text }) => text).join(', ')}.
        </p>
      )}
      {!may('ledger.read') && figures === undefined && (
        <p className="panel-small">What is delivered and booked needs the permission ledger.read.</p>
      )}
    </Panel>
  );
}

/** What follows from the buy, as far as the prices say it. */
function IfYouBuy({
  basket,
  today,
  sellers,
}: {
  readonly basket: Basket;
  readonly today: string;
  readonly sellers: number;
}) {
  const [total] = totalsOf(basket, today);
  if (total === undefined) return undefined;
  const months = splitMonths(basket, today);
  const counts = packagesOf(basket, today).map(({ line, budget }) => ({
    budget,
    count: impressionsOf(budget, line),
  }));
  const known = counts.filter(({ count }) => count !== undefined);
  const impressions = known.reduce((sum, { count = '0' }) => sum + BigInt(count), 0n);
  const paid = known.reduce((sum, { budget }) => sum + (micros(budget) ?? 0n), 0n);
  const byMonth = [...spendByMonth(basket, today)];
  return (
    <Panel title="If you buy" about="what follows">
      <FactList
        of={{
          [`Ordered at ${counted(sellers, 'seller')}`]: (
            <Money amount={decimal(total.sum)} currency={total.currency} />
          ),
          'Expected impressions': impressions > 0n && shortText(String(impressions)),
          'Average CPM': impressions > 0n && (
            <Money amount={decimal((paid * 1_000n) / impressions)} currency={total.currency} show="cents" />
          ),
          ...(months.length > 0 || byMonth.length > 1
            ? Object.fromEntries(
                byMonth.map(([month, part]) => [
                  `In ${monthName(month)}`,
                  <Money key={month} amount={decimal(part)} currency={total.currency} />,
                ]),
              )
            : {}),
          'You are told': 'when each seller answers',
        }}
      />
    </Panel>
  );
}

/** Splits the plan by month: each month becomes a package of each product, with a budget and days of its own. */
function ByMonth({ basket, today }: { readonly basket: Basket; readonly today: string }) {
  const months = monthsOf(basket.start === '' ? today : basket.start, basket.end);
  const isPossible = months.length > 1 && months.length <= mostMonths;
  const change = (byMonth: boolean): void =>
    changeBasket({
      byMonth,
      lines: byMonth ? basket.lines.map((line) => splitLine(line, months)) : basket.lines,
    });
  return (
    <Checkbox
      mt="sm"
      label="A line for each month"
      description={`Each has its own days and budget. For days over 2 to ${mostMonths} months.`}
      checked={basket.byMonth && isPossible}
      disabled={!isPossible}
      onChange={({ currentTarget }) => change(currentTarget.checked)}
    />
  );
}

function Outcome() {
  const run = useRun('buy');
  const id = textAt(run?.answer?.['media_buy_id']);
  const status = textAt(run?.answer?.['status']);
  return (
    <Stack gap="xs" mb="md">
      {run?.error !== undefined && <ErrorPanel error={run.error} />}
      <SellerRows rows={run?.rows ?? []} total={run?.total} isBusy={run?.isBusy === true} />
      {run?.answer !== undefined && (
        <Card withBorder role="status">
          {id !== '' ? (
            <Text>
              The media buy is made. <Go to={`/buys/${encodeURIComponent(id)}`}>Open the buy</Go>
            </Text>
          ) : (
            <Text>
              It is {status.replaceAll('_', ' ')}: a seller or a person has to say yes first. It is among your{' '}
              <Go to="/buys">buys</Go>, and <Go to="/inbox/approvals">Approvals</Go> says who is asked.
            </Text>
          )}
          <Button mt="xs" size="xs" variant="default" w="fit-content" onClick={() => forgetRun('buy')}>
            Close
          </Button>
        </Card>
      )}
    </Stack>
  );
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
