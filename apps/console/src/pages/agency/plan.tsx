import { Button, Card, SimpleGrid, Stack, Text, TextInput, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { JsonObject } from '../../api/client.js';
import { newId } from '../../api/new-id.js';
import { useMe } from '../../api/session.js';
import { textAt } from '../../api/task.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { DateInput, isDay } from '../../parts/date-input.js';
import { EmptyState } from '../../parts/empty-state.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Go } from '../../parts/go.js';
import { decimal, micros, moneyText } from '../../parts/money.js';
import { clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { forgetRun, startRun, useRun } from '../../parts/run.js';
import { SellerRows } from '../../parts/seller-rows.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { changeBasket, emptyBasket, useBasket, type Basket } from './basket.js';
import { LimitsCard } from './limits-card.js';
import { PlanCheck } from './plan-check.js';
import { PlanLines } from './plan-lines.js';

/** The basket as one media buy over its sellers: budgets, limits, one confirmation, and each seller's answer. */
export function PlanPage() {
  const basket = useBasket();
  const run = useRun('buy');
  const me = useMe().data;
  const campaigns = useAnswer('GET /v1/campaigns', { query: { limit: '100' } }, useMay()('clients.read'));
  const [outcome, setOutcome] = useState<string>();
  const problems = problemsOf(basket);
  const totals = totalsOf(basket);
  const buy = async (): Promise<void> => {
    const answer = await startRun(
      'buy',
      'create_media_buy',
      requestOf(basket, me?.organization.domain ?? ''),
    );
    if (answer !== undefined) emptyBasket();
  };
  return (
    <Stack>
      <PageHead title="Plan and buy">One media buy over the sellers in your basket.</PageHead>
      {run !== undefined && <Outcome />}
      {basket.lines.length === 0 ? (
        <EmptyState title="The basket is empty">
          <Go to="/ask">Ask the market</Go>, and add the products that you want to buy.
        </EmptyState>
      ) : (
        <>
          <PlanLines lines={basket.lines} />
          <Card withBorder>
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
              <TextInput
                label="Brand"
                required
                placeholder="acme.example"
                value={basket.brand}
                onChange={({ currentTarget }) => changeBasket({ brand: currentTarget.value })}
              />
              <NativeSelect
                label="Campaign"
                value={basket.campaignId}
                onChange={({ currentTarget }) => changeBasket({ campaignId: currentTarget.value })}
                data={[
                  { value: '', label: 'None: assign later' },
                  ...(campaigns.data?.campaigns ?? []).map(({ campaign_id: value, name }) => ({
                    value,
                    label: clean(name, 60),
                  })),
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
                description="It ends with this day."
                value={basket.end}
                onChange={(end) => changeBasket({ end })}
              />
            </SimpleGrid>
          </Card>
          <LimitsCard totals={totals} />
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
            blocked={outcome === 'refused' ? 'It would be refused. Change the plan first.' : undefined}
            act={() => (void buy(), Promise.resolve())}
            done="Sent. What each seller says is shown on this page as it comes."
          >
            <Text mb="sm">
              You order {counted(basket.lines.length, 'package')} at{' '}
              {counted(new Set(basket.lines.map(({ seller }) => seller)).size, 'seller')} for {basket.brand}:{' '}
              {totals.map(({ text }) => text).join(', ')}.
            </Text>
            <PlanCheck make={() => requestOf(basket, me?.organization.domain ?? '')} onOutcome={setOutcome} />
          </ConfirmButton>
        </>
      )}
    </Stack>
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
              <Go to="/buys">buys</Go>, and <Go to="/approvals">Approvals</Go> says who is asked.
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

/** The sum of the budgets in each currency. */
export function totalsOf({ lines }: Basket) {
  const sums = new Map<string, bigint>();
  for (const { currency, budget } of lines)
    sums.set(currency, (sums.get(currency) ?? 0n) + (micros(budget) ?? 0n));
  return [...sums].map(([currency, sum]) => ({ currency, sum, text: moneyText(decimal(sum), currency) }));
}

function problemsOf({ lines, brand, end, start }: Basket): readonly string[] {
  const problems: string[] = [];
  if (brand.trim() === '') problems.push('Name the brand.');
  if (!isDay(end)) problems.push('Say the last day, as YYYY-MM-DD.');
  if (start !== '' && !isDay(start)) problems.push('Write the first day as YYYY-MM-DD, or leave it empty.');
  if (isDay(start) && isDay(end) && end < start) problems.push('The last day is before the first.');
  if (new Set(lines.map(({ currency }) => currency)).size > 1)
    problems.push('A buy has one currency: remove the packages in others.');
  for (const { name, budget, minimum, isAuction, bid } of lines) {
    const amount = micros(budget);
    // A budget is sent as a JSON number: every program keeps 15 digits exactly.
    if (amount === undefined || amount <= 0n || budget.replace('.', '').length > 15)
      problems.push(`Give ${name} a budget, such as 2500.50.`);
    else if (amount < (micros(minimum) ?? 0n)) problems.push(`${name} takes ${minimum} at least.`);
    if (isAuction && (micros(bid) ?? 0n) <= 0n) problems.push(`${name} is an auction: give a bid.`);
  }
  return problems;
}

function requestOf({ lines, brand, start, end, campaignId }: Basket, operator: string): JsonObject {
  const domain = brand.trim().toLowerCase();
  return {
    adcp_version: '3.1',
    idempotency_key: newId(),
    account: { brand: { domain }, operator },
    brand: { domain },
    start_time: start === '' ? 'asap' : `${start}T00:00:00Z`,
    end_time: new Date(Date.parse(`${end}T00:00:00Z`) + 86_400_000).toISOString(),
    ...(campaignId !== '' && { ext: { switchyard: { campaign_id: campaignId } } }),
    packages: lines.map(({ productId, pricingOptionId, budget, bid, isAuction }) => ({
      product_id: productId,
      pricing_option_id: pricingOptionId,
      budget: Number(budget),
      ...(isAuction && { bid_price: Number(bid) }),
    })),
  };
}
