import { Button, Drawer, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSparkles, IconX } from '@tabler/icons-react';
import { useEffect, useMemo, type SubmitEvent } from 'react';
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
import { useAnswer, useMay } from '../../../parts/use-rows.js';
import { decimal, micros } from '../../../parts/money.js';
import { lastDayOf } from '../buy-status.js';
import { useCampaignsOf } from '../use-campaigns-of.js';
import { basketNow, changeBasket, isDomain, useBasket } from './basket.js';
import { BrandPicker, CampaignPicker } from './brand-campaign.js';
import { Compare } from './compare.js';
import { NoSeller } from './no-seller.js';
import { offersIn } from './offers.js';
import { Proposals } from './proposals.js';
import { setAside } from './stored-plan.js';
import { typedAmount } from './typed-amount.js';
import { wishesIn, type Wish } from './wishes.js';
import './ask.css';

interface Typed {
  readonly brief: string;
  /** As it was typed. */
  readonly budget?: string;
  /** Wishes of the brief that do not count. */
  readonly dropped?: readonly string[];
}

/** Sends a brief to all sellers. Their offers are shown as each of them answers. */
export function AskPage() {
  const run = useKeptRun('ask');
  const basket = useBasket();
  const [filters] = useFilters();
  const [typed, keepTyped] = useKept<Typed>('brief', { brief: '' });
  const { brief, budget = '', dropped = [] } = typed;
  // A campaign leads here with its brand.
  useEffect(() => {
    const { brand, campaign } = filters;
    if (brand !== undefined && isDomain(brand) && (basket.brand !== brand || campaign !== undefined))
      changeBasket({ brand, ...(campaign !== undefined && { campaignId: campaign }) });
  }, [filters['brand'], filters['campaign']]);
  useCampaignNamed(filters['brand'] === undefined ? filters['campaign'] : undefined);
  usePlaceElsewhere(filters['from'], (left) => keepTyped({ ...typed, budget: left }));
  const domain = basket.brand.trim().toLowerCase();
  const amount = typedAmount(budget) ?? '';
  const all = useMemo(() => wishesIn(brief, amount), [brief, amount]);
  const wishes = useMemo(() => all.filter(({ key }) => !dropped.includes(key)), [all, dropped.join()]);
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
  const form = (
    <BriefForm run={run} typed={typed} keep={keepTyped} ask={ask} wishes={wishes} domain={domain} />
  );
  return (
    <>
      <PageHead title="Ask the market" actions={<PlanLink lines={basket.lines.length} />}>
        {run === undefined && 'One brief goes to every seller that you are connected with.'}
      </PageHead>
      {form}
      {run === undefined && (
        <EmptyState title="Nothing was asked yet">
          Write a brief, for example “video for a bike shop in spring”, and choose Ask the sellers.
        </EmptyState>
      )}
      {run?.error !== undefined && <ErrorPanel error={run.error} />}
      {run !== undefined && <Answers run={run} budget={amount} wishes={wishes} />}
    </>
  );
}

function PlanLink({ lines }: { readonly lines: number }) {
  return (
    <Go to="/plans/new">
      {lines === 0 ? 'Plan: empty' : `Plan: ${lines} ${lines === 1 ? 'line' : 'lines'}`}
    </Go>
  );
}

/** Who was asked, and what came of it so far. */
function Answers({
  run,
  budget,
  wishes,
}: {
  readonly run: Run;
  readonly budget: string;
  readonly wishes: readonly Wish[];
}) {
  const { rows, answer, products = [], isBusy } = run;
  const settled = new Set(rows.map(({ seller }) => seller));
  const waiting = isBusy ? (run.asked ?? []).filter((seller) => !settled.has(seller)) : [];
  const soFar = useMemo(() => ({ products: [...products] }), [products]);
  if (answer === undefined && run.error !== undefined && products.length === 0) return undefined;
  return (
    <>
      <WhoAnswers run={run} waiting={waiting} />
      {answer !== undefined && rows.length === 0 ? (
        <NoSeller />
      ) : (
        (answer !== undefined || products.length > 0) && (
          <Compare answer={answer ?? soFar} budget={budget} wishes={wishes} waiting={waiting} />
        )
      )}
      {answer !== undefined && <Proposals answer={answer} />}
    </>
  );
}

/** The brief with what goes with it. Once it was asked it is a sentence with its wishes, each of which can be left out. */
function BriefForm({
  run,
  typed,
  keep,
  ask,
  wishes,
  domain,
}: {
  readonly run: Run | undefined;
  readonly typed: Typed;
  readonly keep: (typed: Typed) => void;
  readonly ask: (event: SubmitEvent) => void;
  readonly wishes: readonly Wish[];
  /** Of the brand; empty for none. */
  readonly domain: string;
}) {
  const { brief, budget = '', dropped = [] } = typed;
  const basket = useBasket();
  // What is to be placed elsewhere brings its money: it is shown.
  const [isOpen, { toggle }] = useDisclosure(useFilters()[0]['from'] !== undefined);
  const isAsked = run !== undefined;
  return (
    <form className={isAsked ? 'panel brief asked' : 'panel brief'} onSubmit={ask}>
      <div className="brief-words">
        {isAsked && <IconSparkles size={18} stroke={1.7} aria-hidden="true" />}
        <Textarea
          label="Brief"
          labelProps={isAsked ? { className: 'unseen' } : {}}
          variant={isAsked ? 'unstyled' : 'default'}
          placeholder="Goal, audience, country, days: in plain words"
          autosize
          minRows={1}
          required
          maxLength={4_000}
          value={brief}
          onChange={({ currentTarget }) => keep({ ...typed, brief: currentTarget.value, dropped: [] })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
        {isAsked && <AskButton run={run} brief={brief} domain={domain} />}
      </div>
      {isAsked && (
        <div className="wishes">
          <WhoseChips brand={domain} campaignId={basket.campaignId} />
          {wishes.map(({ key, name }) => (
            <WishChip key={key} name={name} remove={() => keep({ ...typed, dropped: [...dropped, key] })} />
          ))}
          <button type="button" className="text-button" aria-expanded={isOpen} onClick={toggle}>
            Brand, campaign and budget
          </button>
          {dropped.length > 0 && (
            <button type="button" className="text-button" onClick={() => keep({ ...typed, dropped: [] })}>
              Count all wishes again
            </button>
          )}
        </div>
      )}
      {(isOpen || !isAsked) && (
        <div className="brief-row">
          <BrandPicker value={basket.brand} onChange={(brand) => changeBasket({ brand })} />
          <CampaignPicker brand={domain} value={basket.campaignId} />
          <TextInput
            label="Budget"
            description="To compare what each offer brings"
            inputMode="decimal"
            value={budget}
            error={budget !== '' && typedAmount(budget) === undefined && 'Write an amount, such as 22,000.'}
            onChange={({ currentTarget }) => keep({ ...typed, budget: currentTarget.value })}
          />
          {!isAsked && <AskButton run={run} brief={brief} domain={domain} />}
        </div>
      )}
    </form>
  );
}

function AskButton({
  run,
  brief,
  domain,
}: {
  readonly run: Run | undefined;
  readonly brief: string;
  readonly domain: string;
}) {
  return (
    <Button
      type="submit"
      loading={run?.isBusy === true}
      disabled={brief.trim() === '' || (domain !== '' && !isDomain(domain))}
      className="brief-ask"
    >
      {run?.answer === undefined ? 'Ask the sellers' : 'Ask again'}
    </Button>
  );
}

/** For whom the question is asked. */
function WhoseChips({ brand, campaignId }: { readonly brand: string; readonly campaignId: string }) {
  const mayRead = useMay()('clients.read');
  const brands = useAnswer('GET /v1/brands', { query: { limit: '500' } }, mayRead).data?.brands ?? [];
  const campaign = (useCampaignsOf(brand, mayRead && brand !== '') ?? []).find(
    ({ campaign_id: id }) => id === campaignId,
  );
  if (brand === '') return undefined;
  const name = brands.find(({ domain }) => domain === brand)?.name;
  return (
    <>
      <WishChip
        name={`Brand: ${name === undefined || name === '' ? brand : name}`}
        remove={() => changeBasket({ brand: '', campaignId: '' })}
      />
      {campaign !== undefined && (
        <WishChip name={`Campaign: ${campaign.name}`} remove={() => changeBasket({ campaignId: '' })} />
      )}
    </>
  );
}

/** A wish that can be left out: offers are no longer held against it. */
function WishChip({ name, remove }: { readonly name: string; readonly remove: () => void }) {
  return (
    <button type="button" className="wish" onClick={remove}>
      {clean(name, 60)}
      <IconX size={12} stroke={2} aria-hidden="true" />
      <span className="unseen">, leave it out</span>
    </button>
  );
}

/** A campaign that is named without its brand brings it. */
function useCampaignNamed(id: string | undefined): void {
  const named = useAnswer('GET /v1/campaigns/{id}', { params: { id: id ?? '' } }, id !== undefined).data;
  useEffect(() => {
    if (named === undefined) return;
    changeBasket({ brand: named.brand });
    changeBasket({ campaignId: named.campaign_id });
  }, [named?.campaign_id]);
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
function WhoAnswers({ run, waiting }: { readonly run: Run; readonly waiting: readonly string[] }) {
  const [isOpen, drawer] = useDisclosure();
  const nameOf = useSellerNames();
  const { rows, total, isBusy } = run;
  const answered = rows.filter(({ status }) => status === 'answered').length;
  const failed = rows.filter(({ status }) => !(status in tones)).length;
  const offers = offersIn(run.answer ?? { products: [...(run.products ?? [])] }).length;
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
        {waiting.map((seller) => (
          <span key={seller} data-tone="warn" title={`${clean(nameOf(seller), 60)}: still answering`}>
            <Avatar of={nameOf(seller)} size={26} />
          </span>
        ))}
      </span>
      <span>
        {waiting.length > 0 && <b className="still">{waiting.length} still answering</b>}
        {waiting.length > 0 && failed > 0 && ' · '}
        {failed > 0 && `${failed} failed`}{' '}
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
        <SellerRows rows={rows} total={total} isBusy={isBusy} waiting={waiting} />
      </Drawer>
    </div>
  );
}
