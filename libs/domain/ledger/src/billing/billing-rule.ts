/**
 * What a client pays. `cost_plus`: media and a percentage of it on top. `commission`: media and the commission that is
 * this percentage of media and commission together. `fixed_month`: an amount for each month. `fixed_campaign`: an amount
 * once for each campaign. `cpm`: an amount for 1,000 impressions.
 */
export const billingKinds = ['cost_plus', 'commission', 'fixed_month', 'fixed_campaign', 'cpm'] as const;
export type BillingKind = (typeof billingKinds)[number];

/**
 * Which media is billed. `delivered`: what counts in the ledger. `third_party`: what a third party counted where it did,
 * else what is delivered. `invoiced`: what sellers have billed. `planned`: the plan of the month, and from its close on
 * what was delivered, so that a later run bills the difference.
 */
export const billingBases = ['delivered', 'third_party', 'invoiced', 'planned'] as const;
export type BillingBasis = (typeof billingBases)[number];

/** Categories of tax (EN 16931, BT-151): standard, zero, exempt, reverse charge, outside of the scope. */
export const taxCategories = ['S', 'Z', 'E', 'AE', 'O'] as const;
export type TaxCategory = (typeof taxCategories)[number];

/** A rate of tax in hundredths of a percent, and its category. */
export interface TaxRate {
  readonly taxHundredths: number;
  readonly taxCategory: TaxCategory;
}

/** A rule for clients, campaigns and sellers; an absent one is every one of them. */
export interface BillingRule {
  /** UUID. */
  readonly id: string;
  readonly clientId?: string;
  readonly campaignId?: string;
  /** Slug. */
  readonly seller?: string;
  readonly kind: BillingKind;
  readonly basis: BillingBasis;
  /** Of `cost_plus` and `commission`, in hundredths of a percent. */
  readonly percentHundredths?: number;
  /** Of the other kinds, in micros of `currency`. */
  readonly amountMicros?: bigint;
  readonly currency?: string;
  /** The most media of a campaign that is billed, over all months; in micros. */
  readonly capMicros?: bigint;
  /** Instead of the client's. */
  readonly tax?: TaxRate;
  /** First and last day that it holds, `YYYY-MM-DD`. */
  readonly startsOn: string;
  readonly endsOn?: string;
}

type RuleFault = 'percent' | 'amount' | 'currency' | 'cap' | 'basis' | 'ends_on' | 'tax';

/** The member of a rule that cannot be; undefined if it can stand. */
export function faultOfRule(rule: Omit<BillingRule, 'id'>): RuleFault | undefined {
  const isOfMedia = isMediaRule(rule);
  const { percentHundredths: percent, amountMicros: amount, seller, tax } = rule;
  // A commission of the whole amount leaves no media to divide by.
  const most = rule.kind === 'commission' ? 9_999 : 100_000;
  if (isOfMedia !== (percent !== undefined)) return 'percent';
  if (percent !== undefined && (percent < 0 || percent > most)) return 'percent';
  if (isOfMedia !== (amount === undefined) || (amount !== undefined && amount <= 0n)) return 'amount';
  if (isOfMedia === (rule.currency !== undefined)) return 'currency';
  if (rule.capMicros !== undefined && (!isOfMedia || rule.capMicros <= 0n)) return 'cap';
  if (!isOfMedia && rule.basis !== 'delivered') return 'basis';
  // A plan is of a campaign, and names no sellers.
  if (rule.basis === 'planned' && seller !== undefined) return 'basis';
  if (rule.endsOn !== undefined && rule.endsOn < rule.startsOn) return 'ends_on';
  if (tax !== undefined && faultOfTax(tax)) return 'tax';
  return undefined;
}

/** Whether a rate does not fit its category: only the standard category has a rate above zero. */
export function faultOfTax({ taxHundredths, taxCategory }: TaxRate): boolean {
  const isRate = Number.isInteger(taxHundredths) && taxHundredths >= 0 && taxHundredths <= 10_000;
  return !isRate || (taxCategory === 'S') !== taxHundredths > 0;
}

/** Whether a rule says how media is billed; the others are fees beside it. */
export const isMediaRule = ({ kind }: Pick<BillingRule, 'kind'>): boolean =>
  kind === 'cost_plus' || kind === 'commission';

/** What a rule is looked for with. */
export interface RulePlace {
  readonly clientId: string;
  readonly campaignId?: string;
  readonly seller?: string;
}

/**
 * The rule that holds among some: that of the campaign before that of the client before that of the seller before that of
 * all, and of equal ones the one that began last. A rule for something else does not hold.
 */
export function ruleFor(rules: readonly BillingRule[], place: RulePlace): BillingRule | undefined {
  return rules
    .filter((rule) => isAt(rule, place))
    .toSorted((left, right) => {
      const byWeight = weightOf(right) - weightOf(left);
      if (byWeight !== 0) return byWeight;
      const [one, other] = [`${right.startsOn} ${right.id}`, `${left.startsOn} ${left.id}`];
      return one < other ? -1 : 1;
    })[0];
}

function isAt(rule: BillingRule, { clientId, campaignId, seller }: RulePlace): boolean {
  return (
    (rule.clientId === undefined || rule.clientId === clientId) &&
    (rule.campaignId === undefined || rule.campaignId === campaignId) &&
    (rule.seller === undefined || rule.seller === seller)
  );
}

const weightOf = ({ campaignId, clientId, seller }: BillingRule): number =>
  (campaignId === undefined ? 0 : 4) + (clientId === undefined ? 0 : 2) + (seller === undefined ? 0 : 1);

/** The rules that hold on a day of a range, both days included. */
export const rulesWithin = (
  rules: readonly BillingRule[],
  { first, last }: { readonly first: string; readonly last: string },
): readonly BillingRule[] =>
  rules.filter(({ startsOn, endsOn }) => startsOn <= last && (endsOn === undefined || endsOn >= first));
