import type { ControlAct, ControlRequest, ControlRequests, SpendingLimit } from '@switchyard/buys';
import { isUuid, type Instant } from '@switchyard/values';
import { comparedBy } from '../core/list-statement.js';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import { withinReach } from '../core/within-reach.js';
import { campaignOfStored, type StoredCampaign } from './campaign-acts.js';

/** An open request, locked. */
interface OpenControl {
  readonly request: ControlRequest;
  readonly act: unknown;
  readonly basedOn: string;
}

type Stored = Row & {
  readonly state: string;
  readonly principal_id: string;
  readonly principal_name: string | null;
  readonly act: unknown;
  readonly based_on: unknown;
};

export async function listControls(
  client: TenantClient,
  {
    principalId,
    seen,
    after: [requestedAt, id] = [],
    limit,
    sort = 'newest',
    at,
    ...filter
  }: Parameters<ControlRequests['list']>[1],
): Promise<readonly ControlRequest[]> {
  const values: unknown[] = [
    client.organizationId,
    new Date(at),
    limit,
    requestedAt === undefined ? null : new Date(requestedAt),
    id ?? null,
    filter.since === undefined ? null : new Date(filter.since),
    filter.until === undefined ? null : new Date(filter.until),
    filter.state ?? null,
    filter.clientId ?? null,
    filter.brandDomain ?? null,
    filter.campaignId ?? null,
    principalId,
  ];
  const lanes = seen.map(({ kinds, reach }) => {
    values.push(kinds);
    const of = `r.kind = any($${values.length}::text[])`;
    const within = withinReach('r', reach, values.length + 1);
    values.push(...within.values);
    return `(${of} and ${within.text})`;
  });
  const { rows } = await client.query<Stored>(
    `${requests('$2')} where r.organization_id = $1 and (${['r.principal_id = $12', ...lanes].join(' or ')})
       and ($8::text is null or ${stateAt('$2')} = $8)
       and ($4::timestamptz is null or r.requested_at ${comparedBy(sort)} $4
         or (r.requested_at = $4 and r.id ${sort === 'oldest' ? '<' : '>'} $5::uuid))
       and ($6::timestamptz is null or r.requested_at >= $6) and ($7::timestamptz is null or r.requested_at < $7)
       and ($9::uuid is null or r.client_id = $9) and ($10::text is null or r.brand_domain = $10)
       and ($11::uuid is null or r.campaign_id = $11)
     order by r.requested_at ${sort === 'oldest' ? 'asc, r.id desc' : 'desc, r.id'} limit $3`,
    values,
  );
  return rows.map(requestOf);
}

export async function requestById(
  client: TenantClient,
  id: string,
  at: Instant,
): Promise<ControlRequest | undefined> {
  if (!isUuid(id)) return undefined;
  const text = `${requests('$3')} where r.organization_id = $1 and r.id = $2`;
  const { rows } = await client.query<Stored>(text, [client.organizationId, id, new Date(at)]);
  return rows.map(requestOf)[0];
}

/** Locks a request that can still be decided. */
export async function openControl(
  client: TenantClient,
  id: string,
  at: Instant,
): Promise<OpenControl | undefined> {
  const { rows } = await client.query<Stored>(
    `${requests('$3')} where r.organization_id = $1 and r.id = $2 and r.state = 'open' and r.expires_at > $3
     for update of r`,
    [client.organizationId, id, new Date(at)],
  );
  const [row] = rows;
  return row && { request: requestOf(row), act: row.act, basedOn: String(row.based_on) };
}

/** JSON has no numbers of this size. */
interface StoredLimitAct {
  readonly kind: 'set_limit';
  readonly limit: Omit<SpendingLimit, 'amount'> & { readonly amount: string };
}

interface StoredCampaignAct {
  readonly kind: 'set_campaign';
  readonly campaign: StoredCampaign;
}

/** The act of a stored request: this version and the older ones write only acts of `ControlAct`. */
export function actOf({ act }: Pick<OpenControl, 'act'>): ControlAct {
  const stored = act as
    | Exclude<ControlAct, { readonly kind: 'set_limit' | 'set_campaign' }>
    | StoredLimitAct
    | StoredCampaignAct;
  if (stored.kind === 'set_campaign') return { ...stored, campaign: campaignOfStored(stored.campaign) };
  if (stored.kind !== 'set_limit') return stored;
  return { ...stored, limit: { ...stored.limit, amount: BigInt(stored.limit.amount) } };
}

const stateAt = (now: string): string =>
  `case when r.state = 'open' and r.expires_at <= ${now}::timestamptz then 'expired' else r.state end`;

const requests = (now: string): string => `
  select r.id, r.kind, r.subject, r.act, r.based_on, r.reason, r.before, r.after, r.amount_micros, r.currency,
    r.principal_id, p.name as principal_name, r.client_id, c.name as client_name, r.brand_domain, r.campaign_id,
    k.name as campaign_name, ${stateAt(now)} as state, r.requested_at, r.expires_at, r.decided_at, r.decided_by,
    d.name as decided_by_name, r.decision_reason, r.holders_of_both
  from control_request r
  left join principal p on p.id = r.principal_id
  left join principal d on d.id = r.decided_by
  left join client c on c.id = r.client_id
  left join campaign k on k.id = r.campaign_id`;

const readRequest = rowReader<Omit<ControlRequest, 'requestedBy' | 'requestedByName' | 'amount'>>()(`
  id, kind, subject, reason, before, after, currency, client_id, client_name, brand_domain, campaign_id, campaign_name,
  state, requested_at, expires_at, decided_at, decided_by, decided_by_name, decision_reason, holders_of_both`);

function requestOf(row: Stored): ControlRequest {
  const amount = row['amount_micros'];
  return {
    ...readRequest(row),
    requestedBy: row.principal_id,
    ...(row.principal_name !== null && { requestedByName: row.principal_name }),
    ...(typeof amount === 'string' && { amount: BigInt(amount) }),
  };
}
