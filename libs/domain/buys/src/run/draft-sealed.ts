import {
  createMediaBuy,
  prefixId,
  readWireProfile,
  syncCreatives,
  updateMediaBuy,
  type CreateMediaBuyRequest,
  type ExactNumbers,
  type Finding,
  type PackageRequest,
  profileOf,
} from '@switchyard/protocol';
import { parseDecimal, type Micros } from '@switchyard/money';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, canonicalJson, type Instant, type JsonObject } from '@switchyard/values';
import { draftMediaBuy, draftPackage, draftSellerBuy } from '../plan/draft-rows.js';
import { creativeHash, inlineCreatives } from '../model/creatives-of-leg.js';
import { draftTerms } from '../terms/stored-terms.js';
import { belongingIn } from '../campaigns/place-draft.js';
import type { Offer } from '../model/offer.js';
import type { BuyPackage, Leg, MediaBuyRecord, Operation, SellerBuy } from '../model/operation.js';
import type { OperationDraft } from '../model/operation-store.js';
import type { RegistrationDraft } from '../model/registration-draft.js';
import type { IdSource } from '../model/ports.js';
import { quotedZone, withQuoted } from '../terms/quoted-terms.js';
import { requestHash } from '../model/keys.js';
import { stripCallbackSecrets } from '../model/webhook-secret.js';

/** A mutation that another party signed, and that is relayed unchanged. */
interface SealedMutation {
  readonly scope: TenantScope;
  readonly principalId: string;
  readonly connection: Connection;
  /** Canonical name of the task. */
  readonly task: string;
  readonly args: JsonObject;
  readonly exact: ExactNumbers;
  /** The last quotes of the seller, by prefixed product id. */
  readonly offers: ReadonlyMap<string, Offer>;
  /** For an update: the buy that it changes, if it is this principal's. */
  readonly changes?: { readonly record: MediaBuyRecord; readonly sellerBuy: SellerBuy };
  /** The buyer, where the request names none. */
  readonly buyer: { readonly brandDomain: string; readonly operator: string };
  /** The registrations of our addresses in the request, if any. */
  readonly registrations: (legId: string) => readonly RegistrationDraft[];
  readonly findings: readonly Finding[];
  /** The amount it commits, counted against the spending limits; absent where it is zero or unknown. */
  readonly commits?: { readonly amount: Micros; readonly currency: string };
  readonly at: Instant;
  /** When the outcome may be read, if no answer came. */
  readonly dueAt: Instant;
}

/**
 * Records what a sealed request will change, before it is relayed: one operation with one leg that counts as
 * sent. The leg is marked as sealed, because its bytes are not ours: they are never sent again, and its
 * outcome is only found by reading.
 *
 * A request that cannot be read as its task is still an operation: the seller decides what to do with it.
 */
export function draftSealed(ids: IdSource, mutation: SealedMutation): OperationDraft {
  const operation = operationOf(ids, mutation);
  const leg = legOf(ids, mutation, operation);
  const registrations = mutation.registrations(leg.id);
  const { commits } = mutation;
  const bare = {
    operation,
    legs: [leg],
    registrations,
    sellerBuys: [],
    packages: [],
    ...(commits === undefined
      ? {}
      : { spend: { parts: [{ legId: leg.id, seller: leg.seller, ...commits }], quotes: [] } }),
  };
  if (mutation.task === createMediaBuy.name) return { ...bare, ...boughtBy(ids, mutation, operation, leg) };
  if (mutation.task === syncCreatives.name) return { ...bare, ...syncedBy(mutation, leg) };
  const { changes } = mutation;
  if (mutation.task !== updateMediaBuy.name || changes === undefined) return bare;
  return {
    ...bare,
    operation: { ...operation, mediaBuyId: changes.record.buy.id, ...belongingIn(changes.record.buy) },
    legs: [{ ...leg, sellerBuyId: changes.sellerBuy.id }],
    ...changedBy(ids, mutation, changes, leg),
  };
}

function operationOf(ids: IdSource, mutation: SealedMutation): Operation {
  const { args, connection, task, at } = mutation;
  const key = textAt(args, 'idempotency_key');
  const buyerRef = textAt(args, 'buyer_ref');
  const isMaking = task === createMediaBuy.name;
  // Keys are scoped by seller: a brand may use one key at two sellers, and here as well.
  const own = key ?? (isMaking && buyerRef !== undefined ? `ref:${task}:${buyerRef}` : undefined);
  return {
    id: ids.uuid(),
    organizationId: mutation.scope.organizationId,
    principalId: mutation.principalId,
    task,
    taskId: ids.token('task'),
    requestHash: requestHash(args),
    profile: profileOf(connection),
    request: stripCallbackSecrets(args),
    status: 'submitted',
    createdAt: at,
    updatedAt: at,
    ...(own === undefined ? {} : { idempotencyKey: `sealed:${connection.id}:${own}` }),
    ...(buyerRef === undefined ? {} : { buyerRef }),
    ...(isJsonObject(args['context']) ? { context: args['context'] } : {}),
  };
}

function legOf(ids: IdSource, mutation: SealedMutation, operation: Operation): Leg {
  const { connection, at, dueAt } = mutation;
  return {
    id: ids.uuid(),
    organizationId: operation.organizationId,
    operationId: operation.id,
    connectionId: connection.id,
    seller: connection.slug,
    task: operation.task,
    profile: operation.profile,
    outbound: canonicalJson(operation.request),
    status: 'sent',
    attempts: 1,
    sealed: true,
    sentAt: at,
    nextPollAt: dueAt,
    errors: [],
    findings: mutation.findings,
    createdAt: at,
  };
}

type Bought = Pick<OperationDraft, 'buy' | 'sellerBuys' | 'packages' | 'creatives' | 'legs'>;

function boughtBy(ids: IdSource, mutation: SealedMutation, operation: Operation, leg: Leg): Partial<Bought> {
  const request = readCreate(mutation);
  if (request === undefined) return {};
  // The packages of a proposal are created by the seller, and known only from its answer.
  const lines = request.proposal === undefined ? request.packages : [];
  const priced = lines.map((line) => ({ request: line, currency: currencyOf(mutation, line) }));
  const quoted = priced.find((item) => item.currency !== undefined)?.currency;
  const currency = request.proposal?.totalBudget.currency ?? quoted ?? 'USD';
  const { account, brand } = request;
  const pair = account !== undefined && 'operator' in account ? account : undefined;
  const buy = draftMediaBuy(ids, operation, {
    request,
    brandDomain: brand.domain ?? pair?.brand.domain ?? mutation.buyer.brandDomain,
    brandId: brand.brandId ?? pair?.brand.brandId,
    operator: pair?.operator ?? mutation.buyer.operator,
    currency,
  });
  const packages = priced.map(({ request: wanted, currency: own }, position) =>
    packageOf(ids, mutation, leg, {
      request: wanted,
      currency: own ?? currency,
      position,
      mediaBuyId: buy.id,
    }),
  );
  const creatives = inlineCreatives(request.packages, operation.profile, [leg]);
  const assumed = priced.some((item) => item.currency === undefined) ? [currencyAssumed(currency)] : [];
  return {
    buy,
    packages,
    sellerBuys: [draftSellerBuy(ids, buy, leg)],
    legs: [{ ...leg, findings: [...leg.findings, ...assumed] }],
    ...(creatives === undefined ? {} : { creatives }),
  };
}

function readCreate({ args, exact }: SealedMutation): CreateMediaBuyRequest | undefined {
  const profile = readWireProfile({ taskName: createMediaBuy.name, args });
  const read = profile.ok ? createMediaBuy.readRequest(args, profile.value.profile, exact) : undefined;
  return read?.ok === true ? read.value : undefined;
}

function syncedBy({ args, exact, connection }: SealedMutation, leg: Leg): Partial<OperationDraft> {
  const profile = readWireProfile({ taskName: syncCreatives.name, args });
  const read = profile.ok ? syncCreatives.readRequest(args, profile.value.profile, exact) : undefined;
  if (read?.ok !== true || read.value.dryRun) return {};
  const known = read.value.creatives.filter(({ creativeId }) => creativeId !== '');
  const byId = new Map(known.map((creative) => [creative.creativeId, creative]));
  return {
    creatives: {
      creatives: [...byId.values()].map((creative) => ({ creative, bodyHash: creativeHash(creative) })),
      placements: [...byId.keys()].map((creativeId) => ({
        creativeId,
        connectionId: connection.id,
        seller: connection.slug,
        legId: leg.id,
      })),
      archived: [],
    },
  };
}

/** Packages that an update adds, so that its answer can be matched, and the creatives that it contains. */
function changedBy(
  ids: IdSource,
  mutation: SealedMutation,
  { record }: NonNullable<SealedMutation['changes']>,
  leg: Leg,
): Pick<OperationDraft, 'packages' | 'creatives'> {
  const read = updateMediaBuy.readRequest(
    { idempotency_key: 'kept-for-reading-only', ...mutation.args },
    leg.profile,
    mutation.exact,
  );
  if (!read.ok) return { packages: [] };
  const brought = [...read.value.packages, ...read.value.newPackages];
  const creatives = inlineCreatives(brought, leg.profile, [leg]);
  const { buy } = record;
  const packages = read.value.newPackages.map((newPackage, position) => {
    const currency = currencyOf(mutation, newPackage) ?? buy.currency;
    return packageOf(ids, mutation, leg, { request: newPackage, currency, position, mediaBuyId: buy.id });
  });
  return { packages, ...(creatives === undefined ? {} : { creatives }) };
}

interface RequestedPackage {
  readonly request: PackageRequest;
  readonly currency: string;
  readonly position: number;
  readonly mediaBuyId: string;
}

/** A package as requested, with the terms of its seller's last quote if one is known. */
function packageOf(
  ids: IdSource,
  { offers, connection }: SealedMutation,
  leg: Leg,
  { request: wanted, currency, position, mediaBuyId }: RequestedPackage,
): BuyPackage {
  const bid = wanted.bidPrice === undefined ? undefined : parseDecimal(wanted.bidPrice);
  const drafted = draftPackage(
    { id: ids.uuid(), mediaBuyId, legId: leg.id, position, seller: leg.seller },
    {
      request: wanted,
      price: { currency },
      budgetMicros: microsOf(wanted.budget),
      ...(bid?.ok === true ? { bidMicros: bid.value } : {}),
    },
  );
  const terms = draftTerms(wanted, wanted.original.value);
  const offer = offers.get(prefixId(connection.slug, wanted.productId));
  return offer === undefined
    ? { ...drafted, terms }
    : { ...drafted, ...quotedZone(offer), terms: withQuoted(terms, offer) };
}

function currencyOf(
  { offers, connection }: SealedMutation,
  { productId, pricingOptionId }: { readonly productId: string; readonly pricingOptionId: string },
): string | undefined {
  const offer = offers.get(`${connection.slug}:${productId}`);
  return offer?.pricingOptions.find((option) => option.pricingOptionId === pricingOptionId)?.currency;
}

/** An invalid budget is recorded as zero; whether it may be spent was decided before. */
function microsOf(text: string): bigint {
  const read = parseDecimal(text);
  return read.ok && read.value > 0n ? read.value : 0n;
}

function currencyAssumed(currency: string): Finding {
  return {
    code: 'CURRENCY_ASSUMED',
    message: `The seller quoted us no price for a product of this buy: ${currency} is assumed.`,
  };
}

function textAt(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
