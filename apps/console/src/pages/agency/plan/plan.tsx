import { Button, Card, Loader, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDeviceFloppy, IconShare } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState, type CSSProperties } from 'react';
import { api, ApiFailure } from '../../../api/client.js';
import { useMe } from '../../../api/session.js';
import { textAt } from '../../../api/task.js';
import { BudgetTruth } from '../../../parts/budget-truth.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import { isDay } from '../../../parts/forms/date-input.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { ErrorPanel } from '../../../parts/error-panel.js';
import { Go } from '../../../parts/go.js';
import { decimal, micros, Money, shortText } from '../../../parts/money.js';
import { clean, Name } from '../../../parts/name.js';
import { PageHead } from '../../../parts/page-head.js';
import { FactList, Panel } from '../../../parts/panel.js';
import { forgetRun, runOf, startRun, useRun } from '../../../parts/run.js';
import { SellerRows } from '../../../parts/seller-rows.js';
import { useSellerNames } from '../../../parts/seller-name.js';
import { StatusBadge } from '../../../parts/status.js';
import { monthName, rangeText, Time } from '../../../parts/time.js';
import { useAnswer, useMay, useRefresh } from '../../../parts/use-rows.js';
import { EditCampaign } from '../edit-campaign.js';
import { useCampaignsOf } from '../use-campaigns-of.js';
import { basketNow, changeBasket, emptyBasket, isDomain, useBasket, type Basket } from './basket.js';
import { CampaignPlan } from './campaign-plan.js';
import { ForWhom } from './for-whom.js';
import { PlanCalendar } from './plan-calendar.js';
import { BeforeYouBuy, checksOf, usePlanCheck } from './plan-check.js';
import { impressionsOf, PlanLines } from './plan-lines.js';
import { packagesOf, spendByMonth, splitMonths } from './plan-months.js';
import { isRefusal, problemsOf, requestOf, totalsOf } from './plan-request.js';
import { openPlan, savePlan, setAside, useAutosave, usualName, type WholePlan } from './stored-plan.js';
import { bindText } from '../../../parts/forms/bind-text.js';
import './plan.css';

/** A plan by its id; `new` is the one of this browser that is not saved yet. */
export function PlanPage() {
  const { id = 'new' } = useParams({ strict: false }) as { readonly id?: string };
  const basket = useBasket();
  const isOpen = id === 'new' || basket.plan?.id === id;
  const stored = useAnswer('GET /v1/plans/{id}', { params: { id } }, !isOpen);
  const [failure, setFailure] = useState<unknown>();
  const plan = stored.data;
  useEffect(() => {
    if (isOpen || plan === undefined || plan.media_buy_id !== null) return;
    setAside().then(() => openPlan(plan), setFailure);
  }, [isOpen, plan]);
  if (isOpen) return <OpenPlan />;
  if (failure !== undefined || stored.isError)
    return (
      <>
        <PageHead title="Plan" />
        <ErrorPanel error={failure ?? stored.error} again={() => void stored.refetch()} />
      </>
    );
  if (plan?.media_buy_id != null) return <BoughtPlan plan={plan} />;
  return (
    <>
      <PageHead title="Plan" />
      <Loader role="status" aria-label="Loading the plan" />
    </>
  );
}

/** A plan that became a buy: what was in it. */
function BoughtPlan({ plan }: { readonly plan: WholePlan }) {
  return (
    <>
      <PageHead title={plan.name} beside={<StatusBadge of="Bought" tone="good" />}>
        <span className="facts-line">
          <span>
            <Go to={`/buys/${encodeURIComponent(plan.media_buy_id ?? '')}`}>Open the buy</Go>
          </span>
          <span>
            <Name of={plan.client ?? plan.brand} most={60} />
          </span>
          <span>
            bought by <Name of={plan.changed_by} most={60} />, <Time at={plan.updated_at} />
          </span>
        </span>
      </PageHead>
      <Panel title="Lines" about={`version ${plan.version}`}>
        <FactList
          of={Object.fromEntries(
            plan.content.lines.map((line) => [
              clean(line.name, 80),
              <Money key={line.product_id} amount={line.budget} currency={line.currency} />,
            ]),
          )}
        />
      </Panel>
    </>
  );
}

/** The basket as one media buy over its sellers: what its campaign has left, its lines, its checks, one confirmation. */
function OpenPlan() {
  const basket = useBasket();
  const saving = useAutosave();
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
    if (answer !== undefined)
      return afterBuy(textAt(answer['media_buy_id']) || (await buyOf(textAt(answer['task_id']))));
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
  // Once it is stored for a brand and has its days, the lines are what is worked on.
  const isPlaced = basket.plan !== undefined && isDomain(basket.brand) && isDay(basket.end);
  return (
    <>
      <PageHead
        title={basket.plan?.name ?? (campaign === undefined ? 'Plan' : `Plan for ${campaign.name}`)}
        beside={basket.lines.length > 0 && <StatusBadge of="Draft" tone="gray" />}
        actions={
          basket.lines.length > 0 && (
            <>
              {basket.plan === undefined ? <SaveButton /> : <ShareButton />}
              <ConfirmButton
                label="Buy"
                size="sm"
                variant={problems.length > 0 || check.isRefused ? 'default' : 'filled'}
                blocked={blocked}
                act={() => (void buy(), Promise.resolve())}
                done="Sent. What each seller says is shown on this page as it comes."
              >
                You order {counted(packagesOf(basket, today).length, 'line')} at {counted(sellers, 'seller')}{' '}
                for {basket.brand}: {totals.map(({ text }) => text).join(', ')}.
              </ConfirmButton>
            </>
          )
        }
      >
        {campaign === undefined ? (
          basket.plan === undefined ? (
            'What you want to buy. It is in this browser alone until you save it.'
          ) : (
            <SavedFact isSaving={saving.isSaving} />
          )
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
            {basket.plan !== undefined && (
              <span>
                <SavedFact isSaving={saving.isSaving} />
              </span>
            )}
          </span>
        )}
      </PageHead>
      {saving.failure !== undefined && <NotStored failure={saving.failure} />}
      {basket.refusedIn !== undefined && basket.lines.length > 0 && <FromRefused buyId={basket.refusedIn} />}
      {run !== undefined && <Outcome />}
      {basket.lines.length === 0 ? (
        <EmptyState title="The plan is empty">
          <Go to="/ask">Ask the market</Go>, and add the products that you want to buy.
        </EmptyState>
      ) : (
        <div className="columns">
          <div className="column">
            <Truth basket={basket} campaign={campaign} total={totals} />
            {!isPlaced && <ForWhom basket={basket} today={today} />}
            <PlanLines lines={basket.lines} months={splitMonths(basket, today)} />
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
            {isPlaced && <ForWhom basket={basket} today={today} />}
            {campaign !== undefined && (
              <CampaignPlan campaign={campaign} adds={spendByMonth(basket, today)} />
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

/** The id of a buy that waits for a person or a seller, by the task that its order is; empty where it is not found. */
async function buyOf(task: string): Promise<string> {
  if (task === '') return '';
  const found = await api('GET /v1/search', { query: { q: task } }).catch(() => undefined);
  return found?.results.find(({ kind }) => kind === 'media_buy')?.id ?? '';
}

/** Says what is bought, and keeps in the plan what a seller refused. */
async function afterBuy(buyId: string): Promise<void> {
  const basket = basketNow();
  const refused = new Set(
    (runOf('buy')?.rows ?? []).flatMap(({ seller, status }) =>
      status === 'refused' || status === 'failed' ? [seller] : [],
    ),
  );
  const left = buyId === '' ? [] : basket.lines.filter(({ seller }) => refused.has(seller));
  if (buyId !== '' && basket.plan !== undefined)
    await savePlan({ media_buy_id: buyId }).catch((failure: unknown) =>
      notifications.show({
        color: 'warn',
        message: `The buy is made. The stored plan could not be marked as bought: ${failure instanceof Error ? failure.message : ''}`,
      }),
    );
  if (left.length === 0) return emptyBasket();
  changeBasket({ lines: left, plan: undefined, refusedIn: buyId });
}

function SavedFact({ isSaving }: { readonly isSaving: boolean }) {
  const { plan } = useBasket();
  if (plan === undefined) return undefined;
  if (isSaving) return <span role="status">saving…</span>;
  return (
    <span role="status">
      saved <Time at={plan.savedAt} /> by <Name of={plan.savedBy} most={40} />
      {plan.isShared && ' · shared'}
    </span>
  );
}

/** Stores the plan under a name. From then on each change is stored by itself. */
function SaveButton() {
  const [name, setName] = useState('');
  const basket = useBasket();
  return (
    <ConfirmButton
      label="Save"
      size="sm"
      variant="default"
      leftSection={<IconDeviceFloppy size={15} stroke={1.7} aria-hidden="true" />}
      act={() => savePlan({ name: name.trim() === '' ? usualName(basket) : name.trim() })}
      done="The plan is saved. Each change is saved by itself from now on."
    >
      <TextInput
        label="Name of the plan"
        data-autofocus
        maxLength={120}
        placeholder={usualName(basket)}
        {...bindText(name, setName)}
      />
    </ConfirmButton>
  );
}

/** Shows the plan to colleagues, or to nobody else any more. */
function ShareButton() {
  const { plan } = useBasket();
  const refresh = useRefresh();
  if (plan === undefined) return undefined;
  const set = async (shared: boolean): Promise<void> => {
    await savePlan({ shared });
    await refresh();
  };
  const address = `${location.origin}/console/plans/${plan.id}`;
  return plan.isShared ? (
    <ConfirmButton
      key="stop"
      label="Stop sharing"
      size="sm"
      variant="default"
      act={() => set(false)}
      undo={() => set(true)}
      done="The plan is shown to you alone."
    >
      Colleagues will not see this plan any more. They open it now at <code>{address}</code>
    </ConfirmButton>
  ) : (
    <ConfirmButton
      key="share"
      label="Share"
      size="sm"
      variant="default"
      leftSection={<IconShare size={15} stroke={1.7} aria-hidden="true" />}
      act={async () => {
        await set(true);
        // Without a secure address there is no clipboard; the address stands in the dialog.
        if (isSecureContext) await navigator.clipboard.writeText(address).catch(() => undefined);
      }}
      undo={() => set(false)}
      done="The plan is shared, and its address is copied."
    >
      Whoever may buy for this brand in your organization sees and changes this plan. Its address is copied:{' '}
      <code>{address}</code>
    </ConfirmButton>
  );
}

/** Why a change is not stored, and what to do. */
function NotStored({ failure }: { readonly failure: unknown }) {
  const { plan } = useBasket();
  const isChanged = failure instanceof ApiFailure && failure.status === 409;
  const again = useAnswer('GET /v1/plans/{id}', { params: { id: plan?.id ?? '' } }, isChanged);
  const mine = async (): Promise<void> => {
    changeBasket({ plan: undefined });
    await savePlan({ name: `${plan?.name ?? ''}, my version`.slice(0, 120) });
  };
  if (!isChanged) return <ErrorPanel error={failure} />;
  return (
    <div className="banner" data-tone="warn" role="alert">
      <div>
        <b>
          <Name of={again.data?.changed_by ?? 'Somebody'} most={40} /> changed this plan after you had opened
          it.
        </b>{' '}
        Your last changes are not saved.
      </div>
      <Button size="xs" variant="default" onClick={() => void mine()}>
        Save mine as another
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={again.data === undefined}
        onClick={() => again.data !== undefined && openPlan(again.data)}
      >
        Read theirs
      </Button>
    </div>
  );
}

function FromRefused({ buyId }: { readonly buyId: string }) {
  return (
    <div className="banner" data-tone="warn" role="note">
      <div>
        <b>These lines were refused in a buy.</b> Repair them here, or ask the market for others with their
        money.
      </div>
      <Go to={`/buys/${encodeURIComponent(buyId)}`}>Open the buy</Go>
      <Go to="/ask" search={{ from: buyId }}>
        Place elsewhere
      </Go>
    </div>
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
/** Names at the left, amounts at the right. */
const atEnds = { '--facts': 'minmax(0, 1fr) max-content' } as CSSProperties;

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
      <div style={atEnds}>
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
      </div>
    </Panel>
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
