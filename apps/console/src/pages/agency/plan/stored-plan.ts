import { useDebouncedValue } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, ApiFailure, type Answer } from '../../../api/client.js';
import { isDay } from '../../../parts/forms/date-input.js';
import { dayText } from '../../../parts/time.js';
import {
  basketNow,
  changeBasket,
  emptyBasket,
  isDomain,
  noteStored,
  useBasket,
  type Basket,
  type Line,
  type StoredPlan,
} from './basket.js';

export type WholePlan = Answer<'GET /v1/plans/{id}'>;
type StoredLine = WholePlan['content']['lines'][number];

/** An amount as the server takes it; what is no amount yet is stored as none. */
const amount = (text: string): string => (/^\d{1,15}(\.\d{1,6})?$/.test(text) ? text : '');

const lineOf = (line: Line): StoredLine => ({
  product_id: line.productId,
  pricing_option_id: line.pricingOptionId,
  name: line.name.slice(0, 300),
  seller: line.seller,
  price: amount(line.price),
  model: line.model ?? '',
  currency: line.currency,
  minimum: amount(line.minimum),
  formats: line.formats.slice(0, 50),
  budget: amount(line.budget),
  bid: amount(line.bid),
  is_auction: line.isAuction,
  ...(line.months !== undefined && {
    months: Object.fromEntries(Object.entries(line.months).map(([month, text]) => [month, amount(text)])),
  }),
  ...(line.creativeIds !== undefined && { creative_ids: line.creativeIds }),
});

const basketLine = (line: StoredLine): Line => ({
  productId: line.product_id,
  pricingOptionId: line.pricing_option_id,
  name: line.name,
  seller: line.seller,
  price: line.price,
  model: line.model,
  currency: line.currency,
  minimum: line.minimum,
  formats: line.formats,
  budget: line.budget,
  bid: line.bid,
  isAuction: line.is_auction,
  ...(line.months !== undefined && { months: line.months }),
  ...(line.creative_ids !== undefined && { creativeIds: line.creative_ids }),
});

const bodyOf = (basket: Basket) => ({
  brand: isDomain(basket.brand) ? basket.brand : '',
  campaign_id: basket.campaignId === '' ? null : basket.campaignId,
  refused_in: basket.refusedIn ?? null,
  content: {
    start: isDay(basket.start) ? basket.start : '',
    end: isDay(basket.end) ? basket.end : '',
    by_month: basket.byMonth,
    lines: basket.lines.map(lineOf),
  },
});

const storedOf = (plan: WholePlan): StoredPlan => ({
  id: plan.plan_id,
  name: plan.name,
  version: plan.version,
  isShared: plan.shared,
  savedAt: plan.updated_at,
  savedBy: plan.changed_by ?? '',
});

/** Puts a stored plan into the basket. */
export function openPlan(plan: WholePlan): void {
  const { start, end, by_month: byMonth, lines } = plan.content;
  changeBasket({ brand: plan.brand ?? '' });
  changeBasket({
    ...{ start, end, byMonth, campaignId: plan.campaign_id ?? '', lines: lines.map(basketLine) },
    plan: storedOf(plan),
    refusedIn: plan.refused_in ?? undefined,
    isDirty: false,
  });
}

/** Stores the basket: as a new plan of this name, or what changed of the plan that it is. */
export async function savePlan(changes: {
  readonly name?: string;
  readonly shared?: boolean;
  readonly media_buy_id?: string;
}): Promise<StoredPlan> {
  const basket = basketNow();
  const { plan, key } = basket;
  const body = { ...bodyOf(basket), ...changes };
  const stored =
    plan === undefined
      ? await api('POST /v1/plans', { body: { ...body, name: changes.name ?? usualName(basket) } })
      : await api('POST /v1/plans/{id}', {
          params: { id: plan.id },
          body: { ...body, version: plan.version },
        });
  const known = storedOf(stored);
  if (basketNow().plan?.id === plan?.id) noteStored(known, basketNow().key === key);
  return known;
}

/** A name for what nobody named. */
export const usualName = ({ lines: [first], end }: Basket): string =>
  `Plan${first === undefined ? '' : `: ${first.name.slice(0, 60)}`}${isDay(end) ? `, to ${dayText(end)}` : ''}`;

/** Stores what would be lost by opening another plan, and empties the basket. */
export async function setAside(): Promise<void> {
  const basket = basketNow();
  if (basket.lines.length > 0 && (basket.plan === undefined || basket.isDirty === true))
    try {
      await savePlan({});
    } catch (failure) {
      if (!(failure instanceof ApiFailure && failure.status === 409)) throw failure;
      // Somebody changed the same plan: both versions are kept.
      changeBasket({ plan: undefined });
      await savePlan({ name: `${basket.plan?.name ?? ''}, my version`.slice(0, 120) });
    }
  emptyBasket();
}

/** How long nothing is typed before a stored plan is stored again, in milliseconds. */
const pauseMs = 1_200;

/** Stores each change of a plan that was saved once. Answers why the last change could not be stored. */
export function useAutosave(): { readonly failure: unknown; readonly isSaving: boolean } {
  const basket = useBasket();
  const client = useQueryClient();
  const [failure, setFailure] = useState<unknown>();
  const [settled] = useDebouncedValue(basket.key, pauseMs);
  const isWaiting = basket.plan !== undefined && basket.isDirty === true;
  const isDue = isWaiting && settled === basket.key;
  useEffect(() => {
    if (!isDue) return;
    savePlan({}).then(
      () => {
        setFailure(undefined);
        void client.invalidateQueries({ queryKey: ['plans'] });
      },
      (error: unknown) => setFailure(error),
    );
  }, [isDue, settled]);
  return { failure: isWaiting ? failure : undefined, isSaving: isWaiting };
}
