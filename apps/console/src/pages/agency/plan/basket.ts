import { useSyncExternalStore } from 'react';
import { newId } from '../../../api/new-id.js';
import { useMe } from '../../../api/session.js';

/** One product at one price in the basket. Amounts are decimal text. */
export interface Line {
  readonly productId: string;
  readonly name: string;
  readonly seller: string;
  readonly pricingOptionId: string;
  readonly price: string;
  /** What the price is for: `cpm`. Absent in a basket that an earlier release stored. */
  readonly model?: string;
  readonly currency: string;
  readonly minimum: string;
  readonly formats: readonly string[];
  readonly budget: string;
  readonly bid: string;
  /** Budgets by month (YYYY-MM), used if the plan is split by month. */
  readonly months?: Readonly<Record<string, string>>;
  /** Creatives of the library that its packages start with. */
  readonly creativeIds?: readonly string[];
  /** True if the price is an auction: a bid is needed. */
  readonly isAuction: boolean;
}

export interface Basket {
  readonly lines: readonly Line[];
  readonly brand: string;
  readonly start: string;
  readonly end: string;
  readonly campaignId: string;
  /** Whether each month of the flight is a package of its own. */
  readonly byMonth: boolean;
  /** The stored plan that it is; absent until it is saved. */
  readonly plan?: StoredPlan | undefined;
  /** Whether it differs from what is stored. */
  readonly isDirty?: boolean;
  /** The buy whose refused parts it places elsewhere. */
  readonly refusedIn?: string | undefined;
  /** The idempotency key of its buy. It stays until the basket changes, so that a repeated order buys nothing twice. */
  readonly key: string;
}

/** What is known of a plan on the server. */
export interface StoredPlan {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly isShared: boolean;
  readonly savedAt: string;
  readonly savedBy: string;
}

const none: Basket = { lines: [], brand: '', start: '', end: '', campaignId: '', byMonth: false, key: '' };
const listeners = new Set<() => void>();
/** Whose basket it is. A browser may be used by several people. */
let owner = '';
let basket = none;
const place = (): string => `switchyard.basket.${owner}`;

function read(): Basket {
  try {
    const kept = JSON.parse(localStorage.getItem(place()) ?? '{}') as Partial<Basket>;
    return { ...none, ...kept, lines: Array.isArray(kept.lines) ? kept.lines : [] };
  } catch {
    return none;
  }
}

/** Stores the basket in this browser, so that it survives a restart. A campaign goes with its brand. */
export function changeBasket(changes: Partial<Basket>): void {
  const isOtherBrand = changes.brand !== undefined && changes.brand !== basket.brand;
  keep({ ...basket, ...(isOtherBrand && { campaignId: '' }), isDirty: true, ...changes, key: newId() });
}

/** Says what is stored of it now. It buys the same, so its key stays. `isSame`: nothing was changed meanwhile. */
export function noteStored(plan: StoredPlan, isSame: boolean): void {
  keep({ ...basket, plan, isDirty: !isSame });
}

/** The basket as it is now, outside of a component. */
export const basketNow = (): Basket => basket;

function keep(next: Basket): void {
  basket = next;
  try {
    localStorage.setItem(place(), JSON.stringify(basket));
  } catch {
    // Without storage the basket lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

/** Whether a typed brand is a domain, as the server needs it. */
export const isDomain = (brand: string): boolean =>
  /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]+$/.test(brand.trim().toLowerCase());
export const emptyBasket = (): void =>
  changeBasket({ ...none, plan: undefined, refusedIn: undefined, isDirty: false });
const keyOf = ({ productId, pricingOptionId }: Pick<Line, 'productId' | 'pricingOptionId'>): string =>
  `${productId} ${pricingOptionId}`;
export const isIn = ({ lines }: Basket, line: Pick<Line, 'productId' | 'pricingOptionId'>): boolean =>
  lines.some((item) => keyOf(item) === keyOf(line));
export const putLine = (line: Line): void => {
  const others = basket.lines.filter((item) => keyOf(item) !== keyOf(line));
  const at = basket.lines.findIndex((item) => keyOf(item) === keyOf(line));
  changeBasket({ lines: at === -1 ? [...others, line] : basket.lines.with(at, line) });
};
export const dropLine = (line: Line): void =>
  changeBasket({ lines: basket.lines.filter((item) => keyOf(item) !== keyOf(line)) });

export function useBasket(): Basket {
  const id = useMe().data?.principal_id ?? '';
  if (id !== owner) {
    owner = id;
    basket = read();
  }
  return useSyncExternalStore(
    (listener) => {
      const reread = ({ key }: StorageEvent): void => {
        if (key !== place()) return;
        basket = read();
        listener();
      };
      listeners.add(listener);
      // Another tab changed it.
      window.addEventListener('storage', reread);
      return () => {
        listeners.delete(listener);
        window.removeEventListener('storage', reread);
      };
    },
    () => basket,
  );
}
