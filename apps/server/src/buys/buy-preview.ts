import { breachForBuyer, breachText, limitName, type BuyPreview, type LimitStanding } from '@switchyard/buys';
import { microsToDecimal } from '@switchyard/money';
import type { Finding, TaskError } from '@switchyard/protocol';
import type { Names } from '@switchyard/store';
import { isInReach, reachOf, type Reach } from '@switchyard/tenancy';
import { z } from 'zod';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { whoseMembers, whoseOf } from '../business/index.js';
import type { Immutable } from '../platform/routes/route.js';

const finding = z.strictObject({
  code: z.string(),
  message: z.string(),
  field: z.string().exactOptional().describe('The member of the request.'),
});
const problem = z.strictObject({ ...finding.shape, suggestion: z.string().exactOptional() });

/** The expected cost and result of a buy. Amounts are decimal text. */
export const buyPreview = z.strictObject({
  outcome: z
    .enum(['sent', 'approval', 'refused'])
    .describe(
      '`sent`: the sellers would be asked to make it. `approval`: it would wait for a person. `refused`: create_media_buy would refuse it.',
    ),
  currency: z.string().nullable().describe('Null where the plan has faults, as are the totals.'),
  total: z.string().nullable(),
  ...whoseMembers,
  approval_reason: z
    .string()
    .nullable()
    .describe('Why a person would have to approve it; null where nobody would.'),
  sellers: z.array(
    z.strictObject({
      seller: z.string(),
      total: z.string().nullable(),
      ok: z
        .boolean()
        .describe('False where something speaks against the part of this seller, or it lacks a creative.'),
      problems: z.array(problem),
      findings: z
        .array(finding)
        .describe(
          'What the protocol version of the seller does not have, and other findings about its part.',
        ),
    }),
  ),
  problems: z.array(problem).describe('The faults of the request as a whole.'),
  findings: z.array(finding),
  limits: z
    .array(
      z.strictObject({
        for: z
          .string()
          .describe(
            'As in GET /v1/limits, `campaign-budget:ID` or `campaign-flight:ID`; the kind alone where the caller may ' +
              'not see the limit.',
          ),
        currency: z.string(),
        per: z.enum(['month']).nullable(),
        above: z.enum(['warn', 'ask', 'refuse']),
        exceeded: z.boolean().describe('Whether the buy would exceed it.'),
        limit: z
          .string()
          .nullable()
          .describe('Null where the caller may not see it, as are the other amounts.'),
        left: z.string().nullable().describe('Before the buy; may be below zero.'),
        requested: z.string().nullable().describe('By the buy, in the currency of the limit.'),
        left_after: z
          .string()
          .nullable()
          .describe('Of the budget of a campaign, below zero where it is passed.'),
      }),
    )
    .describe('The limits that apply.'),
});
type BuyPreviewView = Immutable<z.output<typeof buyPreview>>;

export function previewView(preview: BuyPreview, names: Names, caller: PrincipalCaller): BuyPreviewView {
  const { belonging = {}, sellers } = preview;
  const { ledger = [] } = caller.permissions;
  const reach = ledger.includes('read') ? reachOf(caller, 'ledger', 'read') : undefined;
  return {
    outcome: preview.outcome,
    currency: preview.currency ?? null,
    total: amount(preview.totalMicros),
    ...whoseOf(belonging, names),
    approval_reason: reasonFor(preview, reach),
    sellers: sellers.map(({ seller, totalMicros, problems, missing, findings }) => ({
      seller,
      total: amount(totalMicros),
      ok: problems.length === 0 && missing.length === 0,
      problems: problems.map(problemView),
      findings: [...missing, ...findings].map(findingView),
    })),
    problems: preview.problems.map(problemView),
    findings: preview.findings.map(findingView),
    limits: preview.limits.map((standing) => limitView(standing, belonging, reach)),
  };
}

/** Why a person would be asked: with the amounts of what the caller may see. */
function reasonFor({ outcome, limits, belonging = {} }: BuyPreview, reach: Reach | undefined): string | null {
  if (outcome !== 'approval') return null;
  return limits
    .filter(({ isExceeded, limit }) => isExceeded && limit.above === 'ask')
    .map((breach) =>
      isShown(breach.limit.kind, belonging, reach) ? breachText([breach]) : breachForBuyer([breach]),
    )
    .join(' ');
}

const amount = (micros: bigint | undefined): string | null =>
  micros === undefined ? null : microsToDecimal(micros);

const findingView = ({ code, message, field }: Finding) => ({ code, message, ...(field && { field }) });
const problemView = ({ suggestion, ...rest }: TaskError) => ({
  ...findingView(rest),
  ...(suggestion && { suggestion }),
});

/** Amounts need permission to list the limit; those of the caller's own limits and of limits per buy need none. */
function limitView(
  { limit, left, requested, isExceeded }: LimitStanding,
  belonging: NonNullable<BuyPreview['belonging']>,
  reach: Reach | undefined,
): BuyPreviewView['limits'][number] {
  const { kind, currency, per = null, above } = limit;
  const hasAmounts = kind !== 'new_brand' && kind !== 'campaign_flight';
  const isNamed = kind === 'new_brand' || isShown(kind, belonging, reach);
  const common = { for: isNamed ? limitName(limit) : kind, currency, per, above, exceeded: isExceeded };
  if (!isNamed || !hasAmounts)
    return { ...common, limit: null, left: null, requested: null, left_after: null };
  const after = left - requested;
  return {
    ...common,
    limit: microsToDecimal(limit.amount),
    left: microsToDecimal(left),
    requested: microsToDecimal(requested),
    left_after: microsToDecimal(after > 0n || kind === 'campaign_budget' ? after : 0n),
  };
}

function isShown(
  kind: LimitStanding['limit']['kind'],
  { clientId, brandDomain, campaignId }: NonNullable<BuyPreview['belonging']>,
  reach: Reach | undefined,
): boolean {
  if (kind === 'principal' || kind === 'each_buy') return true;
  if (reach === undefined) return false;
  const client = clientId === undefined ? {} : { clientId };
  const brand = brandDomain === undefined ? client : { ...client, brandDomain };
  if (kind === 'client') return isInReach(reach, client);
  if (kind === 'brand') return isInReach(reach, brand);
  if (kind === 'campaign' || kind === 'campaign_budget' || kind === 'campaign_flight')
    return isInReach(reach, campaignId === undefined ? brand : { ...brand, campaignId });
  return reach.kind === 'everything';
}
