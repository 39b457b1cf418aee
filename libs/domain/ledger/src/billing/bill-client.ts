import { currencyExponent, divideHalfEven } from '@switchyard/money';
import { defined } from '@switchyard/values';
import { daysOfPeriod, shiftDay } from '../finance/period.js';
import { isMediaRule, ruleFor, rulesWithin, type BillingRule, type TaxRate } from './billing-rule.js';

/** What a campaign has at one seller in a month, in micros of a currency. */
export interface ClientFigure {
  /** UUID; absent for buys without a campaign. */
  readonly campaignId?: string;
  /** Slug. */
  readonly seller: string;
  readonly currency: string;
  readonly deliveredMicros: bigint;
  /** What sellers have billed for media. */
  readonly invoicedMicros: bigint;
  /** What a third party counted, where it did, and else what is delivered. */
  readonly thirdPartyMicros: bigint;
  readonly impressions: bigint;
}

/** A campaign of the client. */
export interface BilledCampaign {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  /** First and last day of the flight, `YYYY-MM-DD`. */
  readonly startsOn: string;
  readonly endsOn: string;
  /** Of the month. */
  readonly plannedMicros: bigint;
  readonly budgetMicros?: bigint;
}

/** A line that a person adds, for example of hours. */
export interface FreeLine {
  readonly description: string;
  readonly amountMicros: bigint;
  readonly currency: string;
}

export type ClientLineType = 'media' | 'markup' | 'fee';

/** A line of a document to a client, before tax. */
export interface ClientLine extends TaxRate {
  /** What it bills: the same in every run. */
  readonly key: string;
  readonly type: ClientLineType;
  readonly campaignId?: string;
  readonly seller?: string;
  readonly ruleId?: string;
  readonly description: string;
  readonly netMicros: bigint;
}

/** What a run has found and a person should know. */
export interface BillingCheck {
  readonly code: 'no_rule' | 'capped' | 'over_budget' | 'open_difference';
  readonly text: string;
  readonly amountMicros: bigint;
  readonly currency: string;
}

/** A document that a run proposes. Amounts of a credit note are negative. */
export interface ClientDraft {
  readonly kind: 'invoice' | 'credit_note';
  readonly currency: string;
  readonly lines: readonly ClientLine[];
  readonly netMicros: bigint;
  readonly taxMicros: bigint;
  readonly grossMicros: bigint;
}

/** What issued documents have billed under one key, and the tax of the newest one. */
export interface BilledSum {
  readonly amountMicros: bigint;
  readonly tax: TaxRate;
}

export interface BillingInput {
  readonly clientId: string;
  /** `YYYY-MM`. */
  readonly period: string;
  /** Whether the month is closed: plans give way to what was delivered. */
  readonly isClosed: boolean;
  readonly rules: readonly BillingRule[];
  readonly figures: readonly ClientFigure[];
  readonly campaigns: readonly BilledCampaign[];
  /** What issued documents have billed, by currency and key: `EUR media c s`. Of the month. */
  readonly billed: ReadonlyMap<string, BilledSum>;
  /** The same over all months. */
  readonly billedEver: ReadonlyMap<string, BilledSum>;
  readonly free: readonly FreeLine[];
  /** Of the client, where a rule says nothing. */
  readonly tax: TaxRate;
  /** Names of sellers by their slugs. */
  readonly sellerNames: ReadonlyMap<string, string>;
}

/** What documents have billed is found by this. */
export const billedKey = (currency: string, key: string): string => `${currency} ${key}`;

/**
 * Computes what a client owes for a month and was not billed yet: an invoice for what is more, a credit note for what is
 * less, for each currency. A second run with the same figures makes nothing.
 */
export function billClient(input: BillingInput): {
  readonly drafts: readonly ClientDraft[];
  readonly checks: readonly BillingCheck[];
} {
  const { from, to } = daysOfPeriod(input.period);
  const rules = rulesWithin(input.rules, { first: from, last: shiftDay(to, -1) });
  const work: Work = { input, rules, lines: new Map(), checks: [], seen: new Set() };
  const ofMedia = mediaOf(work);
  for (const media of ofMedia) addMedia(work, media);
  addImpressions(work);
  takeBack(work);
  addFixed(work, { first: from, last: shiftDay(to, -1) });
  for (const [at, { description, amountMicros, currency }] of input.free.entries())
    push(work, currency, {
      key: `free ${input.period} ${String(at)}`,
      ...{ type: 'fee', description, ...input.tax },
      netMicros: rounded(amountMicros, currency),
    });
  checkBudgets(work, ofMedia);
  const drafts = [...work.lines]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([currency, lines]) => [
      ...draftOf(
        'invoice',
        currency,
        lines.filter(({ netMicros }) => netMicros > 0n),
      ),
      ...draftOf(
        'credit_note',
        currency,
        lines.filter(({ netMicros }) => netMicros < 0n),
      ),
    ]);
  return { drafts, checks: work.checks };
}

interface Work {
  readonly input: BillingInput;
  readonly rules: readonly BillingRule[];
  readonly lines: Map<string, ClientLine[]>;
  readonly checks: BillingCheck[];
  /** Currency and key of what was looked at. */
  readonly seen: Set<string>;
}

/** The media of a month that one rule bills: of a campaign at a seller, or of its plan. */
interface Media {
  readonly rule: BillingRule;
  readonly campaignId?: string;
  readonly seller?: string;
  readonly currency: string;
  readonly targetMicros: bigint;
}

function mediaOf({ input, rules, checks, seen }: Work): readonly Media[] {
  const ofMedia = rules.filter(isMediaRule);
  const found = new Map<string, Media>();
  const add = (media: Media): void => {
    const key = JSON.stringify([media.campaignId, media.seller, media.currency]);
    const known = found.get(key)?.targetMicros ?? 0n;
    found.set(key, { ...media, targetMicros: known + media.targetMicros });
  };
  for (const figure of input.figures) {
    const { campaignId, seller, currency } = figure;
    const place = { clientId: input.clientId, seller, ...defined({ campaignId }) };
    const rule = ruleFor(ofMedia, place);
    if (rule === undefined) {
      for (const type of ['media', 'markup'])
        seen.add(billedKey(currency, `${type} ${campaignId ?? ''} ${seller}`));
      if (figure.deliveredMicros !== 0n)
        checks.push({
          code: 'no_rule',
          text: `No rule bills the media of ${nameOf(input, place)}.`,
          ...{ amountMicros: figure.deliveredMicros, currency },
        });
      continue;
    }
    const isPlan = rule.basis === 'planned';
    if (isPlan && !input.isClosed) continue;
    add({
      ...{ rule, currency, targetMicros: basisOf(rule, figure) },
      ...defined({ campaignId, seller: isPlan ? undefined : seller }),
    });
  }
  const sorted = (): readonly Media[] =>
    [...found.values()].toSorted((one, other) => (nameOf(input, one) < nameOf(input, other) ? -1 : 1));
  if (input.isClosed) return sorted();
  for (const { id, currency, plannedMicros } of input.campaigns) {
    const rule = ruleFor(ofMedia, { clientId: input.clientId, campaignId: id });
    if (rule?.basis === 'planned' && plannedMicros !== 0n)
      add({ rule, currency, campaignId: id, targetMicros: plannedMicros });
  }
  return sorted();
}

function basisOf({ basis }: BillingRule, figure: ClientFigure): bigint {
  if (basis === 'invoiced') return figure.invoicedMicros;
  return basis === 'third_party' ? figure.thirdPartyMicros : figure.deliveredMicros;
}

function addMedia(work: Work, { rule, campaignId, seller, currency, targetMicros }: Media): void {
  const { input } = work;
  const place = `${campaignId ?? ''} ${seller ?? ''}`;
  const about = defined({ campaignId, seller });
  const name = nameOf(input, about);
  const wanted = rounded(targetMicros, currency);
  const billable = capped(work, { rule, campaignId, currency, place, wanted, name });
  const tax = rule.tax ?? input.tax;
  const add = (type: 'media' | 'markup', description: string, amount: bigint): void => {
    const key = `${type} ${place}`;
    pushRest(work, currency, {
      key,
      type,
      ...about,
      ruleId: rule.id,
      description,
      netMicros: amount,
      ...tax,
    });
  };
  add('media', `Media, ${name}`, billable);
  const percent = BigInt(rule.percentHundredths ?? 0);
  const markup =
    rule.kind === 'cost_plus'
      ? divideHalfEven(billable * percent, 10_000n)
      : divideHalfEven(billable * percent, 10_000n - percent);
  const word = rule.kind === 'cost_plus' ? 'Markup' : 'Commission';
  add('markup', `${word} ${percentOf(Number(percent))} %, ${name}`, rounded(markup, currency));
}

/** The part of an amount of media that the cap of its rule leaves, over all months and sellers of the campaign. */
function capped(
  { input, checks, lines }: Work,
  {
    rule: { capMicros },
    campaignId,
    currency,
    place,
    wanted,
    name,
  }: Pick<Media, 'rule' | 'currency'> & {
    readonly campaignId: string | undefined;
    readonly place: string;
    readonly wanted: bigint;
    readonly name: string;
  },
): bigint {
  if (capMicros === undefined) return wanted;
  const key = billedKey(currency, `media ${place}`);
  const ofMonth = input.billed.get(key)?.amountMicros ?? 0n;
  const ofRun = (lines.get(currency) ?? [])
    .filter((line) => line.type === 'media' && line.campaignId === campaignId)
    .reduce((sum, { netMicros }) => sum + netMicros, 0n);
  const left = capMicros - billedOf(input, campaignId, currency) - ofRun + ofMonth;
  const billable = wanted > left ? (left > 0n ? left : 0n) : wanted;
  if (billable < wanted)
    checks.push({
      code: 'capped',
      text: `Media of ${name} above the cap of its rule is not billed.`,
      ...{ amountMicros: wanted - billable, currency },
    });
  return billable;
}

/** What was billed for media of a campaign, over all months and sellers. */
function billedOf({ billedEver }: BillingInput, campaignId: string | undefined, currency: string): bigint {
  const start = billedKey(currency, `media ${campaignId ?? ''} `);
  return [...billedEver].reduce(
    (sum, [key, { amountMicros }]) => (key.startsWith(start) ? sum + amountMicros : sum),
    0n,
  );
}

function addImpressions(work: Work): void {
  const { input, rules } = work;
  const ofImpressions = rules.filter(({ kind }) => kind === 'cpm');
  for (const { campaignId, seller, impressions } of input.figures) {
    const about = { seller, ...defined({ campaignId }) };
    const rule = ruleFor(ofImpressions, { clientId: input.clientId, ...about });
    const { amountMicros, currency } = rule ?? {};
    if (rule === undefined || amountMicros === undefined || currency === undefined) continue;
    const key = `cpm ${campaignId ?? ''} ${seller}`;
    pushRest(work, currency, {
      ...{ key, type: 'fee', ...about, ruleId: rule.id },
      description: `${impressions.toString()} impressions, ${nameOf(input, about)}`,
      netMicros: rounded(divideHalfEven(amountMicros * impressions, 1_000n), currency),
      ...(rule.tax ?? input.tax),
    });
  }
}

/** What was billed for media that the client does not have any more: its buy was moved, or nothing of a plan was delivered. */
function takeBack(work: Work): void {
  const { input, seen } = work;
  for (const [billed, { tax }] of input.billed) {
    const [currency = '', type = '', campaignId = '', seller = ''] = billed.split(' ');
    if (seen.has(billed) || (type !== 'media' && type !== 'markup' && type !== 'cpm')) continue;
    const about = defined({ campaignId: campaignId || undefined, seller: seller || undefined });
    const word = { media: 'Media', markup: 'Markup', cpm: 'Impressions' }[type];
    pushRest(work, currency, {
      key: billed.slice(currency.length + 1),
      type: type === 'cpm' ? 'fee' : type,
      ...about,
      description: `${word}, ${nameOf(input, about)}`,
      netMicros: 0n,
      ...tax,
    });
  }
}

/** Fees of the month, and of campaigns that have begun and were not billed theirs. */
function addFixed(work: Work, days: { readonly first: string; readonly last: string }): void {
  const { input, rules } = work;
  const isAtAll = ({ clientId, seller }: BillingRule): boolean =>
    (clientId === undefined || clientId === input.clientId) && seller === undefined;
  const inFlight = input.campaigns.filter(
    ({ startsOn, endsOn }) => startsOn <= days.last && endsOn >= days.first,
  );
  for (const rule of rules.filter(isAtAll)) {
    const { id, kind, campaignId, amountMicros, currency } = rule;
    if (amountMicros === undefined || currency === undefined) continue;
    const add = (key: string, description: string, of: { readonly campaignId?: string }): void => {
      const billed = kind === 'fixed_month' ? input.billed : input.billedEver;
      const netMicros = rounded(amountMicros, currency);
      const tax = rule.tax ?? input.tax;
      pushRest(
        work,
        currency,
        { key, type: 'fee', ...of, ruleId: id, description, netMicros, ...tax },
        billed,
      );
    };
    if (kind === 'fixed_month') {
      const campaign = inFlight.find((one) => one.id === campaignId);
      if (campaignId === undefined) add(`month ${id}`, `Fee for ${input.period}`, {});
      else if (campaign !== undefined)
        add(`month ${id}`, `Fee for ${input.period}, ${campaign.name}`, { campaignId });
    }
    if (kind !== 'fixed_campaign') continue;
    for (const campaign of inFlight)
      if (campaignId === undefined || campaignId === campaign.id)
        add(`campaign ${campaign.id}`, `Fee, ${campaign.name}`, { campaignId: campaign.id });
  }
}

function checkBudgets({ input, checks }: Work, media: readonly Media[]): void {
  for (const { id, name, currency, budgetMicros } of input.campaigns) {
    if (budgetMicros === undefined) continue;
    const own = media.filter((one) => one.campaignId === id && one.currency === currency);
    const ofMonth = own.reduce((sum, { targetMicros }) => sum + targetMicros, 0n);
    const before =
      billedOf(input, id, currency) -
      own.reduce((sum, { seller }) => {
        const key = billedKey(currency, `media ${id} ${seller ?? ''}`);
        return sum + (input.billed.get(key)?.amountMicros ?? 0n);
      }, 0n);
    const above = before + ofMonth - budgetMicros;
    if (own.length > 0 && above > 0n)
      checks.push({
        code: 'over_budget',
        text: `${name} is billed above its budget.`,
        ...{ amountMicros: above, currency },
      });
  }
}

/** Adds what is left of a target: what is billed already comes off, and what is taken back has the tax that it was billed with. */
function pushRest(
  work: Work,
  currency: string,
  target: ClientLine,
  from: BillingInput['billed'] = work.input.billed,
): void {
  const key = billedKey(currency, target.key);
  work.seen.add(key);
  const billed = from.get(key);
  const netMicros = target.netMicros - (billed?.amountMicros ?? 0n);
  push(work, currency, { ...target, netMicros, ...(netMicros < 0n && billed?.tax) });
}

function push({ lines }: Work, currency: string, line: ClientLine): void {
  if (line.netMicros === 0n) return;
  const known = lines.get(currency);
  if (known === undefined) lines.set(currency, [line]);
  else known.push(line);
}

function draftOf(
  kind: ClientDraft['kind'],
  currency: string,
  lines: readonly ClientLine[],
): readonly ClientDraft[] {
  if (lines.length === 0) return [];
  return [{ kind, currency, lines, ...totalsOf(currency, lines) }];
}

/** Sums of lines: tax is computed of each rate's sum, and rounded half to even to the currency's minor unit. */
export function totalsOf(
  currency: string,
  lines: readonly Pick<ClientLine, 'netMicros' | 'taxHundredths' | 'taxCategory'>[],
): Pick<ClientDraft, 'netMicros' | 'taxMicros' | 'grossMicros'> {
  const netMicros = lines.reduce((sum, line) => sum + line.netMicros, 0n);
  const taxMicros = taxesOf(currency, lines).reduce((sum, tax) => sum + tax.taxMicros, 0n);
  return { netMicros, taxMicros, grossMicros: netMicros + taxMicros };
}

/** The tax of each rate, in the order of the lines. */
export function taxesOf(
  currency: string,
  lines: readonly Pick<ClientLine, 'netMicros' | 'taxHundredths' | 'taxCategory'>[],
): readonly (TaxRate & { readonly baseMicros: bigint; readonly taxMicros: bigint })[] {
  const bases = new Map<string, TaxRate & { baseMicros: bigint }>();
  for (const { taxCategory, taxHundredths, netMicros } of lines) {
    const key = `${taxCategory} ${String(taxHundredths)}`;
    const known = bases.get(key);
    if (known === undefined) bases.set(key, { taxCategory, taxHundredths, baseMicros: netMicros });
    else known.baseMicros += netMicros;
  }
  return [...bases.values()].map((rate) => ({
    ...rate,
    taxMicros: rounded(divideHalfEven(rate.baseMicros * BigInt(rate.taxHundredths), 10_000n), currency),
  }));
}

/** Lines as a client with closed books sees them: media and what is put on it stand together. */
export function shownLines(lines: readonly ClientLine[], detail: 'open' | 'closed'): readonly ClientLine[] {
  if (detail === 'open') return lines;
  const shown: ClientLine[] = [];
  for (const line of lines) {
    const at = shown.findIndex(
      (one) =>
        (one.type === 'media' || one.type === 'markup') &&
        line.type !== 'fee' &&
        isOneRate(one, line) &&
        `${one.campaignId ?? ''} ${one.seller ?? ''}` === `${line.campaignId ?? ''} ${line.seller ?? ''}`,
    );
    const known = shown[at];
    if (known === undefined) shown.push({ ...line });
    else
      shown[at] = {
        ...(known.type === 'media' ? known : line),
        type: 'media',
        netMicros: known.netMicros + line.netMicros,
      };
  }
  return shown;
}

const isOneRate = (one: TaxRate, other: TaxRate): boolean =>
  one.taxCategory === other.taxCategory && one.taxHundredths === other.taxHundredths;

/** Rounds half to even to the currency's minor unit. */
function rounded(micros: bigint, currency: string): bigint {
  const unit = 10n ** BigInt(6 - currencyExponent(currency));
  return divideHalfEven(micros, unit) * unit;
}

function nameOf(
  { campaigns, sellerNames }: BillingInput,
  { campaignId, seller }: { readonly campaignId?: string; readonly seller?: string },
): string {
  const campaign = campaigns.find(({ id }) => id === campaignId)?.name;
  const named = seller === undefined ? undefined : (sellerNames.get(seller) ?? seller);
  return [campaign ?? 'no campaign', named].filter((part) => part !== undefined).join(', ');
}

/** `12.5`, of 1250. */
const percentOf = (hundredths: number): string => String(hundredths / 100);
