import { Button, Drawer, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, type SubmitEvent } from 'react';
import type { JsonObject } from '../../../api/client.js';
import { Avatar } from '../../../parts/avatar.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { ErrorPanel } from '../../../parts/error-panel.js';
import { useFilters } from '../../../parts/filters.js';
import { Go } from '../../../parts/go.js';
import { clean } from '../../../parts/name.js';
import { PageHead } from '../../../parts/page-head.js';
import { startRun, type Run } from '../../../parts/run.js';
import { SellerRows } from '../../../parts/seller-rows.js';
import { useSellerNames } from '../../../parts/seller-name.js';
import { useKept, useKeptRun } from '../../../parts/use-kept.js';
import { useAnswer } from '../../../parts/use-rows.js';
import { decimal, micros } from '../../../parts/money.js';
import { lastDayOf } from '../buy-status.js';
import { basketNow, changeBasket, isDomain, useBasket } from './basket.js';
import { BrandPicker, CampaignPicker } from './brand-campaign.js';
import { Compare } from './compare.js';
import { NoSeller } from './no-seller.js';
import { offersIn } from './offers.js';
import { Proposals } from './proposals.js';
import { setAside } from './stored-plan.js';
import { typedAmount } from './typed-amount.js';
import './ask.css';

interface Typed {
  readonly brief: string;
  /** As it was typed. */
  readonly budget?: string;
}

/** Sends a brief to all sellers. Their answers are shown as they come, and their offers once all are in. */
export function AskPage() {
  const run = useKeptRun('ask');
  const basket = useBasket();
  const [filters] = useFilters();
  const [typed, keepTyped] = useKept<Typed>('brief', { brief: '' });
  const { brief, budget = '' } = typed;
  // A campaign leads here with its brand.
  useEffect(() => {
    const { brand, campaign } = filters;
    if (brand !== undefined && isDomain(brand) && (basket.brand !== brand || campaign !== undefined))
      changeBasket({ brand, ...(campaign !== undefined && { campaignId: campaign }) });
  }, [filters['brand'], filters['campaign']]);
  usePlaceElsewhere(filters['from'], (left) => keepTyped({ ...typed, budget: left }));
  const domain = basket.brand.trim().toLowerCase();
  const isNoBrand = domain !== '' && !isDomain(domain);
  const amount = typedAmount(budget);
  const ask = (event: SubmitEvent): void => {
    event.preventDefault();
    // Without a version the answer may come in the service's own form, whose prices have other members.
    const request: JsonObject = {
      adcp_version: '3.1',
      brief: brief.trim(),
      ...(domain !== '' && { brand: { domain } }),
    };
    void startRun('ask', 'get_products', request);
  };
  const rows = run?.rows ?? [];
  return (
    <>
      <PageHead
        title="Ask the market"
        actions={
          <Go to="/plans/new">
            {basket.lines.length === 0
              ? 'Plan: empty'
              : `Plan: ${basket.lines.length} ${basket.lines.length === 1 ? 'line' : 'lines'}`}
          </Go>
        }
      >
        One brief goes to every seller that you are connected with.
      </PageHead>
      <form className="panel brief" onSubmit={ask}>
        <Textarea
          label="Brief"
          placeholder="Goal, audience, country, days: in plain words"
          autosize
          minRows={1}
          required
          maxLength={4_000}
          value={brief}
          onChange={({ currentTarget }) => keepTyped({ ...typed, brief: currentTarget.value })}
        />
        <div className="brief-row">
          <BrandPicker value={basket.brand} onChange={(brand) => changeBasket({ brand })} />
          <CampaignPicker brand={domain} value={basket.campaignId} />
          <TextInput
            label="Budget"
            description="To compare what each offer brings"
            inputMode="decimal"
            value={budget}
            error={budget !== '' && amount === undefined && 'Write an amount, such as 22,000.'}
            onChange={({ currentTarget }) => keepTyped({ ...typed, budget: currentTarget.value })}
          />
          <Button
            type="submit"
            loading={run?.isBusy === true}
            disabled={brief.trim() === '' || isNoBrand}
            className="brief-ask"
          >
            {run?.answer === undefined ? 'Ask the sellers' : 'Ask again'}
          </Button>
        </div>
      </form>
      {run === undefined && (
        <EmptyState title="Nothing was asked yet">
          Write a brief, for example “video for a bike shop in spring”, and choose Ask the sellers.
        </EmptyState>
      )}
      {run?.error !== undefined && <ErrorPanel error={run.error} />}
      {run !== undefined && run.error === undefined && <WhoAnswers run={run} />}
      {run?.answer !== undefined && (
        <>
          {rows.length === 0 ? <NoSeller /> : <Compare answer={run.answer} budget={amount ?? ''} />}
          <Proposals answer={run.answer} />
        </>
      )}
    </>
  );
}

/** What a seller refused of a buy is to be placed elsewhere: a plan of its own for the same campaign and days. */
function usePlaceElsewhere(buyId: string | undefined, take: (left: string) => void): void {
  const buy = useAnswer('GET /v1/buys/{id}', { params: { id: buyId ?? '' } }, buyId !== undefined).data;
  useEffect(() => {
    if (buy === undefined || buy.media_buy_id !== buyId || basketNow().refusedIn === buyId) return;
    void setAside().then(() => {
      changeBasket({ brand: buy.brand ?? '' });
      changeBasket({ campaignId: buy.campaign_id ?? '', end: lastDayOf(buy), refusedIn: buyId });
      take(decimal(micros(buy.not_placed) ?? 0n));
    });
  }, [buy, buyId]);
}

const tones: Readonly<Record<string, string>> = { answered: 'good', slow: 'warn', skipped: 'gray' };

/** One line for all sellers that were asked; each with its state, and the details in a panel. */
function WhoAnswers({ run }: { readonly run: Run }) {
  const [isOpen, drawer] = useDisclosure();
  const nameOf = useSellerNames();
  const { rows, total, isBusy } = run;
  const answered = rows.filter(({ status }) => status === 'answered').length;
  const failed = rows.filter(({ status }) => !(status in tones)).length;
  const waiting = isBusy ? Math.max(0, (total ?? rows.length) - rows.length) : 0;
  const offers =
    run.answer === undefined
      ? rows.reduce((sum, { items = 0 }) => sum + items, 0)
      : offersIn(run.answer).length;
  const last = Math.max(0, ...rows.map(({ elapsed_ms: elapsed = 0 }) => elapsed));
  return (
    <div className="answers" role="status">
      <span>
        <b>
          {offers} {offers === 1 ? 'offer' : 'offers'}
        </b>{' '}
        from {answered} of {total ?? rows.length} sellers
        {!isBusy && last > 0 && ` · ${(last / 1_000).toFixed(1)} s`}
      </span>
      <span className="answer-avatars">
        {rows.map(({ seller, status }) => (
          <span
            key={seller}
            data-tone={tones[status] ?? 'bad'}
            title={`${clean(nameOf(seller), 60)}: ${clean(status, 40)}`}
          >
            <Avatar of={nameOf(seller)} size={26} />
          </span>
        ))}
      </span>
      <span>
        {waiting > 0 && `${waiting} still answering · `}
        {failed > 0 && `${failed} failed `}
        <button type="button" className="text-button" onClick={drawer.open}>
          Details
        </button>
      </span>
      <Drawer
        opened={isOpen}
        onClose={drawer.close}
        position="right"
        size="lg"
        title="Sellers that were asked"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <SellerRows rows={rows} total={total} isBusy={isBusy} />
      </Drawer>
    </div>
  );
}
