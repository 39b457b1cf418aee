import { parseDecimal } from '@switchyard/money';
import {
  defined,
  isJsonObject,
  plainDecimal,
  type Instant,
  type JsonObject,
  type JsonValue,
} from '@switchyard/values';
import { createMediaBuy, hasFeature, shapeArgs, taskNameAt } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';

/** One part of a proposal: the share of a product, and its own flight if it has one. */
export interface Allocation {
  /** The seller's own id. */
  readonly productId: string;
  /** The recommended option; absent where the seller recommends none. */
  readonly pricingOptionId?: string;
  /** Percentage as decimal text. */
  readonly percentage: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly daypartTargets?: readonly JsonValue[];
}

/**
 * A plan that one seller proposed to this organization. Its purchase is checked against it
 * (docs/protocol/products.md#proposals).
 */
export interface Proposal {
  readonly seller: string;
  /** The seller's own id. */
  readonly proposalId: string;
  readonly name: string;
  /** True for a draft, whose prices are indicative until the seller finalizes it. Without a status it can be bought. */
  readonly isDraft: boolean;
  /** Empty where they cannot be read: such a proposal is shown, but cannot be bought. */
  readonly allocations: readonly Allocation[];
  readonly insertionOrder?: { readonly ioId: string; readonly requiresSignature: boolean };
  /** Decimal text in major units. */
  readonly guidance?: { readonly min?: string; readonly max?: string; readonly currency?: string };
  /** Absent where the seller named no time. */
  readonly expiresAt?: Instant;
  readonly proposedAt: Instant;
}

export interface ProposalQuote {
  readonly connectionId: string;
  readonly proposal: Proposal;
}

/** The stored form of a seller's proposal; undefined without an id, because it could not be bought by it. */
export function proposalOf(seller: string, value: JsonObject, proposedAt: Instant): Proposal | undefined {
  const proposalId = textOf(value['proposal_id']);
  if (proposalId === undefined) return undefined;
  const expiresAt = Date.parse(textOf(value['expires_at']) ?? '');
  const insertionOrder = insertionOrderOf(value['insertion_order']);
  const guidance = guidanceOf(value['total_budget_guidance']);
  return {
    seller,
    proposalId,
    name: textOf(value['name']) ?? proposalId,
    isDraft: value['proposal_status'] === 'draft',
    allocations: allocationsOf(value['allocations']),
    ...defined({ insertionOrder, guidance }),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
    proposedAt,
  };
}

function allocationsOf(value: JsonValue | undefined): readonly Allocation[] {
  if (!Array.isArray(value)) return [];
  const read = value.map((entry) => (isJsonObject(entry) ? allocationOf(entry) : undefined));
  const known = read.filter((allocation) => allocation !== undefined);
  return known.length === read.length ? known : [];
}

function allocationOf(value: JsonObject): Allocation | undefined {
  const productId = textOf(value['product_id']);
  const percentage = percentageOf(value['allocation_percentage']);
  if (productId === undefined || percentage === undefined) return undefined;
  const pricingOptionId = textOf(value['pricing_option_id']);
  const [startTime, endTime] = [textOf(value['start_time']), textOf(value['end_time'])];
  const dayparts = value['daypart_targets'];
  return {
    productId,
    percentage,
    ...defined({ pricingOptionId, startTime, endTime }),
    ...(Array.isArray(dayparts) ? { daypartTargets: dayparts } : {}),
  };
}

/** A percentage from 0 to 100, with at most six decimals. */
function percentageOf(value: JsonValue | undefined): string | undefined {
  const text = typeof value === 'number' ? plainDecimal(String(value)) : undefined;
  const read = text === undefined ? undefined : parseDecimal(text);
  return read?.ok === true && read.value >= 0n && read.value <= 100_000_000n ? text : undefined;
}

function insertionOrderOf(value: JsonValue | undefined): Proposal['insertionOrder'] {
  const order = isJsonObject(value) ? value : {};
  const ioId = textOf(order['io_id']);
  return ioId === undefined ? undefined : { ioId, requiresSignature: order['requires_signature'] === true };
}

function guidanceOf(value: JsonValue | undefined): Proposal['guidance'] {
  if (!isJsonObject(value)) return undefined;
  const [min, max] = [amountOf(value['min']), amountOf(value['max'])];
  const currency = textOf(value['currency']);
  if (min === undefined && max === undefined) return undefined;
  return defined({ min, max, currency });
}

function amountOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'number' ? plainDecimal(String(value)) : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Whether a seller can be sent its proposal by id: its release has proposals, its tool lists the arguments, and its
 * capabilities do not exclude them. Without a declaration the answer is yes, because it made the proposal.
 */
export function takesProposals({ form, dialect, capabilities, tools }: Connection): boolean {
  if (!hasFeature(form, 'proposals')) return false;
  const buying = capabilities?.original['media_buy'];
  if (isJsonObject(buying) && buying['supports_proposals'] === false) return false;
  const declared = tools?.[taskNameAt(createMediaBuy, dialect, tools)];
  return shapeArgs({ proposal_id: '', total_budget: {} }, declared).dropped.length === 0;
}

/** The proposals of one seller's answer as they are stored; of two with one id the last one. */
export function proposalQuotes(
  {
    connectionId,
    seller,
    proposals,
  }: { readonly connectionId: string; readonly seller: string; readonly proposals: readonly JsonObject[] },
  at: Instant,
): readonly ProposalQuote[] {
  const read = proposals.flatMap((value) => proposalOf(seller, value, at) ?? []);
  const newest = new Map(read.map((proposal) => [proposal.proposalId, proposal]));
  return [...newest.values()].map((proposal) => ({ connectionId, proposal }));
}
