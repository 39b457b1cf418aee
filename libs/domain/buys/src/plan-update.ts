import { checkBudget } from '@switchyard/money';
import {
  actionsOf,
  isBuyOver,
  prefixId,
  splitId,
  taskError,
  type Finding,
  type PackageUpdate,
  type TaskError,
  type UpdateMediaBuyRequest,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import { budgetFault } from './check-money.js';
import { checkPackage } from './check-package.js';
import type { BuyPackage, MediaBuyRecord, SellerBuy } from './operation.js';
import type { MarketKnowledge, PlannedPackage } from './plan-buy.js';
import { spreadOverPackages } from './spread-over-packages.js';
import { statusFault, timeFaults } from './update-faults.js';

/** What one seller is asked to change of its part. The request names the seller's own ids. */
export interface PlannedChange {
  readonly connection: Connection;
  readonly sellerBuy: SellerBuy;
  readonly request: UpdateMediaBuyRequest;
  readonly added: readonly PlannedPackage[];
}

export interface UpdatePlan {
  /** Empty where nothing is to be asked of any seller: a paused buy that is paused again, or a new webhook address. */
  readonly changes: readonly PlannedChange[];
  readonly findings: readonly Finding[];
}

type NamedUpdate = { readonly item: BuyPackage; readonly update: PackageUpdate };

/**
 * Routes a change to the sellers that it concerns, and checks every part of it before the first of them hears of any.
 *
 * What is said of the whole buy goes to every part that is not over, what is said of a package to its seller alone. All
 * faults are returned, not only the first.
 */
export function planUpdate(
  request: UpdateMediaBuyRequest,
  record: MediaBuyRecord,
  market: MarketKnowledge,
  now: Instant,
): Result<UpdatePlan, readonly TaskError[]> {
  const stateFault = statusFault(request, record.buy);
  if (stateFault !== undefined) return err([stateFault]);
  const findings: Finding[] = [];
  const spread = spreadOverPackages(request, record);
  if (!spread.ok) return spread;
  const wish = request.canceled === true ? onlyCanceled(spread.value, findings) : spread.value;
  const errors: TaskError[] = [...timeFaults(wish, record.buy, now)];
  const named = wish.packages.map((update, at) => namePackage(update, at, record));
  const added = wish.newPackages.map((wanted, at) => checkNew(wanted, at, record, market));
  for (const one of [...named, ...added]) if (!one.ok) errors.push(...one.error);
  const updates = named.flatMap((one) => (one.ok ? [one.value] : []));
  const fresh = added.flatMap((one) => (one.ok ? [one.value] : []));
  findings.push(...fresh.flatMap((one) => one.findings));

  const changes: PlannedChange[] = [];
  for (const sellerBuy of record.sellerBuys) {
    const own = updates.filter(({ item }) => item.seller === sellerBuy.seller);
    const ownNew = fresh.filter(({ planned }) => planned.offer.seller === sellerBuy.seller);
    const whole = wholeBuyPart(wish, sellerBuy);
    if (own.length === 0 && ownNew.length === 0 && whole === undefined) continue;
    const connection = market.connections.get(sellerBuy.seller);
    const faults = [...partFaults(sellerBuy, connection), ...actionFaults(whole ?? {}, sellerBuy)];
    errors.push(...faults);
    if (connection === undefined || faults.length > 0) continue;
    changes.push({
      connection,
      sellerBuy,
      added: ownNew.map(({ planned }) => planned),
      request: partOf(
        wish,
        whole ?? {},
        sellerBuy,
        own,
        ownNew.map(({ planned }) => planned),
      ),
    });
  }
  return errors.length > 0 ? err(errors) : ok({ changes, findings });
}

/** A cancellation wins over everything else in the request (tasks 3.6); what it overrides is said. */
function onlyCanceled(request: UpdateMediaBuyRequest, findings: Finding[]): UpdateMediaBuyRequest {
  const { paused, startTime, endTime, ...kept } = request;
  const overridden = { paused, startTime, endTime };
  const isMore = Object.values(overridden).some((one) => one !== undefined);
  if (isMore || request.packages.length > 0 || request.newPackages.length > 0) {
    const message = 'The buy is canceled: everything else in the request was left out.';
    findings.push({ code: 'CANCEL_WINS', message, field: 'canceled' });
  }
  return { ...kept, packages: [], newPackages: [] };
}

type WholeBuy = Pick<
  UpdateMediaBuyRequest,
  'paused' | 'canceled' | 'cancellationReason' | 'startTime' | 'endTime' | 'invoiceRecipient'
>;

/** What the request says of the whole buy, as far as it changes this part. A part that is over, or paused already, is left alone. */
function wholeBuyPart(request: UpdateMediaBuyRequest, sellerBuy: SellerBuy): WholeBuy | undefined {
  if (isBuyOver(sellerBuy.status)) return undefined;
  const isHeld = sellerBuy.status === 'paused';
  const { paused, canceled, cancellationReason, startTime, endTime, invoiceRecipient } = request;
  const part: WholeBuy = {
    ...(paused === undefined || paused === isHeld ? {} : { paused }),
    ...(canceled === undefined
      ? {}
      : { canceled, ...(cancellationReason === undefined ? {} : { cancellationReason }) }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(endTime === undefined ? {} : { endTime }),
    ...(invoiceRecipient === undefined ? {} : { invoiceRecipient }),
  };
  return Object.keys(part).length === 0 ? undefined : part;
}

function partOf(
  request: UpdateMediaBuyRequest,
  whole: WholeBuy,
  sellerBuy: SellerBuy,
  updates: readonly NamedUpdate[],
  added: readonly PlannedPackage[],
): UpdateMediaBuyRequest {
  const { context, ext, idempotencyKey, original } = request;
  const revision = request.revision === undefined ? undefined : sellerBuy.revision;
  return {
    ...whole,
    ...(context === undefined ? {} : { context }),
    ...(ext === undefined ? {} : { ext }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(sellerBuy.sellerMediaBuyId === undefined ? {} : { mediaBuyId: sellerBuy.sellerMediaBuyId }),
    ...(revision === undefined ? {} : { revision }),
    packages: updates.map(({ item, update }) => {
      const { buyerRef: _named, ...kept } = update;
      return { ...kept, packageId: item.sellerPackageId ?? '' };
    }),
    newPackages: added.map((item) => item.request),
    original,
  };
}

function namePackage(
  update: PackageUpdate,
  at: number,
  record: MediaBuyRecord,
): Result<NamedUpdate, readonly TaskError[]> {
  const field = (name: string): string => `packages[${at}].${name}`;
  const item = record.packages.find((one) => isNamed(one, update));
  if (item?.sellerPackageId === undefined) {
    return err([
      taskError('PACKAGE_NOT_FOUND', 'The buy has no such package.', {
        field: field(update.packageId === undefined ? 'buyer_ref' : 'package_id'),
        suggestion:
          'Use the package_id as create_media_buy returned it, with the name of its seller in front.',
      }),
    ]);
  }
  const sellerBuy = record.sellerBuys.find((one) => one.seller === item.seller);
  if (item.canceledAt !== undefined || sellerBuy === undefined || isBuyOver(sellerBuy.status)) {
    const again = update.canceled === true && item.canceledAt !== undefined;
    const code = again ? 'NOT_CANCELLABLE' : 'INVALID_STATE';
    return err([taskError(code, 'The package is over.', { field: field('package_id') })]);
  }
  const errors = [
    ...(update.budget === undefined ? [] : budgetFault(update.budget, item.currency, field('budget'))),
    ...(update.bidPrice === undefined ? [] : budgetFault(update.bidPrice, item.currency, field('bid_price'))),
  ];
  return errors.length > 0 ? err(errors) : ok({ item, update });
}

function isNamed(item: BuyPackage, update: PackageUpdate): boolean {
  if (item.sellerPackageId === undefined) return false;
  if (update.packageId !== undefined) return prefixId(item.seller, item.sellerPackageId) === update.packageId;
  return item.buyerRef !== undefined && item.buyerRef === update.buyerRef;
}

function checkNew(
  wanted: UpdateMediaBuyRequest['newPackages'][number],
  at: number,
  record: MediaBuyRecord,
  market: MarketKnowledge,
): ReturnType<typeof checkPackage> {
  const checked = checkPackage(wanted, at, market);
  const field = (name: string): string => `new_packages[${at}].${name}`;
  if (!checked.ok) {
    const places = checked.error.map((one) =>
      one.field === undefined ? one : { ...one, field: one.field.replace(/^packages/, 'new_packages') },
    );
    return err(places);
  }
  const id = splitId(wanted.productId);
  const sellerBuy = record.sellerBuys.find((one) => id.ok && one.seller === id.value.slug);
  if (sellerBuy === undefined || isBuyOver(sellerBuy.status)) {
    return err([
      taskError(
        'UNSUPPORTED_FEATURE',
        'The buy has no part at this seller that could take another package.',
        {
          field: field('product_id'),
          suggestion: 'Make a buy of its own for this seller.',
        },
      ),
    ]);
  }
  const { currency } = checked.value.planned.price;
  if (currency === record.buy.currency) return checked;
  const message = `One buy has one currency: this one is in ${record.buy.currency}, and the package in ${currency}.`;
  return err([taskError('INVALID_REQUEST', message, { field: field('pricing_option_id') })]);
}

/** A part that the seller has not made yet, or that we cannot reach, takes no change. */
function partFaults(sellerBuy: SellerBuy, connection: Connection | undefined): readonly TaskError[] {
  const details = { seller: sellerBuy.seller };
  if (connection?.state !== 'live') {
    const message = `The seller ${sellerBuy.seller} is not live.`;
    return [taskError('INVALID_STATE', message, { field: 'media_buy_id', details })];
  }
  if (sellerBuy.sellerMediaBuyId !== undefined) return [];
  return [
    taskError('INVALID_STATE', `The seller ${sellerBuy.seller} has not made its part of the buy yet.`, {
      field: 'media_buy_id',
      suggestion: 'Wait until create_media_buy is completed, or name packages of other sellers.',
      details,
    }),
  ];
}

/** What the seller itself said may be done to its part in this state. */
function actionFaults(whole: WholeBuy, { seller, status, actions }: SellerBuy): readonly TaskError[] {
  if (actions === undefined) return [];
  const wanted = whole.canceled === true ? 'cancel' : pauseVerb(whole.paused);
  const allowed = actionsOf(status, actions).map(({ action }) => action);
  if (wanted === undefined || allowed.includes(wanted)) return [];
  return [
    taskError('ACTION_NOT_ALLOWED', `The seller ${seller} does not allow this now.`, {
      field: wanted === 'cancel' ? 'canceled' : 'paused',
      details: {
        seller,
        attempted_action: wanted,
        reason: 'not_supported_on_buy',
        currently_available_actions: allowed,
      },
    }),
  ];
}

function pauseVerb(paused: boolean | undefined): string | undefined {
  if (paused === undefined) return undefined;
  return paused ? 'pause' : 'resume';
}

/** A budget as micros of its currency; it has been checked. */
export function budgetMicros(text: string, currency: string): bigint {
  const micros = checkBudget(text, currency);
  if (!micros.ok) throw new Error('A budget that was not checked.');
  return micros.value;
}
