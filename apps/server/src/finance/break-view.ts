import { breakKinds } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import type { StoredBreak } from '@switchyard/store';
import { defined, isoOf } from '@switchyard/values';
import { z } from 'zod';
import { instant, period } from '../platform/routes/fields.js';

export const breakState = z.enum(['open', 'disputed', 'resolved', 'gone']);
export const breakResolution = z.enum(['credit', 'dispute', 'accept', 'write-off', 'corrected', 'expected']);

/** A difference in an answer. */
export const foundBreak = z.strictObject({
  break_id: z.string(),
  period,
  kind: z.enum(breakKinds),
  seller: z.string(),
  client: z.string().nullable(),
  brand: z.string().exactOptional(),
  campaign: z.string().nullable(),
  account: z
    .string()
    .exactOptional()
    .describe('Our account at the seller: its id, else the brand and the operator.'),
  buy: z.string().nullable(),
  package: z.string().nullable(),
  ordered: z.string().nullable(),
  reported: z.string().nullable().describe('What the seller pushed.'),
  polled: z.string().nullable().describe('What it answered when it was queried.'),
  invoiced: z.string().nullable(),
  third_party: z.string().exactOptional().describe('What a third party counted, for example an ad server.'),
  third_party_source: z.string().exactOptional().describe('Whose figures these are.'),
  currency: z.string(),
  difference: z.string().describe('Invoiced less delivered; of an over-delivery delivered less ordered.'),
  cause: z.string(),
  evidence: z.array(z.string()).describe('Ids of invoices and report versions, 200 at most.'),
  age_days: z.int(),
  owner: z.string().nullable(),
  state: breakState,
  resolution: breakResolution.exactOptional(),
  reason: z.string().exactOptional(),
  resolved_by: z.string().exactOptional(),
  resolved_at: instant.exactOptional(),
  entry_id: z.string().exactOptional().describe('The entry of the ledger that resolved it.'),
  dispute_id: z.string().exactOptional().describe('The case in which it is disputed.'),
  tolerance: z
    .strictObject({
      absolute: z.string(),
      percent: z.string(),
      allowed: z.string().describe('What both come to for this amount.'),
      rule: z.string().describe('request, seller and client, client, seller, organization or default.'),
    })
    .exactOptional()
    .describe('What was tolerated when this was found.'),
});

const dayMs = 86_400_000;

/** The view of a break. A value that the comparison needs and does not have is null. */
export function breakView(storedBreak: StoredBreak, now: number): z.output<typeof foundBreak> {
  const amount = (micros: bigint | undefined): string | null =>
    micros === undefined ? null : microsToDecimal(micros);
  return {
    break_id: storedBreak.id,
    period: storedBreak.period,
    kind: storedBreak.kind,
    seller: storedBreak.seller,
    currency: storedBreak.currency,
    difference: microsToDecimal(storedBreak.differenceMicros),
    cause: storedBreak.cause,
    evidence: [...storedBreak.evidence],
    age_days: Math.floor((now - storedBreak.foundAt) / dayMs),
    state: storedBreak.state,
    ...placeOf(storedBreak),
    ordered: amount(storedBreak.orderedMicros),
    reported: amount(storedBreak.reportedMicros),
    polled: amount(storedBreak.polledMicros),
    invoiced: amount(storedBreak.invoicedMicros),
    ...(storedBreak.thirdPartyMicros !== undefined && {
      third_party: microsToDecimal(storedBreak.thirdPartyMicros),
    }),
    ...(storedBreak.thirdPartySource !== undefined && { third_party_source: storedBreak.thirdPartySource }),
    owner: storedBreak.owner ?? null,
    ...defined({
      resolution: storedBreak.resolution,
      reason: storedBreak.reason,
      resolved_by: storedBreak.resolvedBy,
    }),
    ...(storedBreak.resolvedAt !== undefined && { resolved_at: isoOf(storedBreak.resolvedAt) }),
    ...defined({
      entry_id: storedBreak.entryId,
      dispute_id: storedBreak.disputeId,
      tolerance: storedBreak.tolerance,
    }),
  };
}

function placeOf(storedBreak: StoredBreak) {
  return {
    client: storedBreak.client ?? null,
    ...(storedBreak.brandDomain !== undefined && { brand: storedBreak.brandDomain }),
    campaign: storedBreak.campaign ?? null,
    ...(storedBreak.account !== undefined && { account: storedBreak.account }),
    buy: storedBreak.mediaBuyId ?? null,
    package:
      storedBreak.packageRef === undefined || storedBreak.packageRef === '' ? null : storedBreak.packageRef,
  };
}
