import { Button, Card, Checkbox, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../../../api/session.js';
import { textAt } from '../../../api/task.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import { DateInput } from '../../../parts/forms/date-input.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { ErrorPanel } from '../../../parts/error-panel.js';
import { Go } from '../../../parts/go.js';
import { clean } from '../../../parts/name.js';
import { PageHead } from '../../../parts/page-head.js';
import { forgetRun, runOf, startRun, useRun } from '../../../parts/run.js';
import { SellerRows } from '../../../parts/seller-rows.js';
import { useMay } from '../../../parts/use-rows.js';
import { changeBasket, emptyBasket, useBasket, type Basket } from './basket.js';
import { CampaignPlan } from './campaign-plan.js';
import { LimitsCard } from '../limits-card.js';
import { PlanCheck } from './plan-check.js';
import { PlanLines } from './plan-lines.js';
import { monthsOf, mostMonths, packagesOf, spendByMonth, splitLine, splitMonths } from './plan-months.js';
import { isRefusal, problemsOf, requestOf, totalsOf } from './plan-request.js';
import { useCampaignsOf } from '../use-campaigns-of.js';

/** The basket as one media buy over its sellers: budgets, limits, one confirmation, and each seller's answer. */
export function PlanPage() {
  const basket = useBasket();
  const run = useRun('buy');
  const me = useMe().data;
  const brand = basket.brand.trim().toLowerCase();
  const campaigns = useCampaignsOf(brand, useMay()('clients.read')) ?? [];
  const [blocked, setBlocked] = useState<string>();
  const today = new Date().toISOString().slice(0, 10);
  const problems = problemsOf(basket, today);
  const totals = totalsOf(basket, today);
  const make = () => requestOf(basket, me?.organization.domain ?? '', today);
  const campaign = campaigns.find(({ campaign_id: id }) => id === basket.campaignId);
  const buy = async (): Promise<void> => {
    const answer = await startRun('buy', 'create_media_buy', make());
    if (answer !== undefined) return emptyBasket();
    // A refused order is another one when it is sent again.
    if (isRefusal(runOf('buy')?.error)) changeBasket({});
  };
  return (
    <Stack>
      <PageHead title="Plans">One media buy over the sellers in your basket.</PageHead>
      {run !== undefined && <Outcome />}
      {basket.lines.length === 0 ? (
        <EmptyState title="The basket is empty">
          <Go to="/ask">Ask the market</Go>, and add the products that you want to buy.
        </EmptyState>
      ) : (
        <>
          <PlanLines lines={basket.lines} months={splitMonths(basket, today)} />
          <Card withBorder>
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
              <TextInput
                label="Brand"
                required
                description="Its domain."
                placeholder="acme.example"
                value={basket.brand}
                onChange={({ currentTarget }) => changeBasket({ brand: currentTarget.value })}
              />
              <NativeSelect
                label="Campaign"
                description="Of this brand."
                value={basket.campaignId}
                onChange={({ currentTarget }) => changeBasket({ campaignId: currentTarget.value })}
                data={[
                  { value: '', label: 'None: assign later' },
                  ...campaigns
                    .filter(({ status }) => status !== 'closed')
                    .map(({ campaign_id: value, name }) => ({ value, label: clean(name, 60) })),
                ]}
              />
              <DateInput
                label="First day (UTC)"
                description="Empty: at once."
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
          </Card>
          {campaign !== undefined && <CampaignPlan campaign={campaign} adds={spendByMonth(basket, today)} />}
          <LimitsCard basket={basket} today={today} />
          {problems.length > 0 && (
            <Text role="status" size="sm">
              Before you can buy: {problems.join(' ')}
            </Text>
          )}
          <ConfirmButton
            label="Buy"
            size="sm"
            w="fit-content"
            disabled={problems.length > 0 || run?.isBusy === true}
            blocked={blocked}
            act={() => (void buy(), Promise.resolve())}
            done="Sent. What each seller says is shown on this page as it comes."
          >
            <Text mb="sm">
              You order {counted(packagesOf(basket, today).length, 'package')} at{' '}
              {counted(new Set(basket.lines.map(({ seller }) => seller)).size, 'seller')} for {basket.brand}:{' '}
              {totals.map(({ text }) => text).join(', ')}.
            </Text>
            <PlanCheck make={make} onBlocked={setBlocked} />
          </ConfirmButton>
        </>
      )}
    </Stack>
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
      label="A package for each month"
      description={`Each has its own days and budget. For a flight over 2 to ${mostMonths} months.`}
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
    <Stack gap="xs">
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
