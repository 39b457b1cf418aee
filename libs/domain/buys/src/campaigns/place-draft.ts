import {
  activateSignal,
  readCampaignNames,
  taskError,
  type Finding,
  type TaskError,
} from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { brandDomainOf, defined, err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { OperationDraft } from '../model/operation-store.js';
import type { BuysPorts } from '../model/ports.js';
import type { BrandNamed, BuyAssignment, KnownClient, Belonging } from '../model/campaign.js';
import { findCampaign, type CampaignFound } from './find-campaign.js';

type PlacingPorts = Pick<BuysPorts, 'campaigns' | 'ids'>;

interface DraftedRequest {
  readonly scope: TenantScope;
  /** The brand of its account, for a request that creates no buy. */
  readonly brand?: BrandNamed | undefined;
  /** True where the request is sent unchanged, whatever campaign it names: a wrong campaign is then a finding. */
  readonly isSealed?: boolean;
}

interface Placed<Draft> {
  readonly draft: Draft;
  readonly findings: readonly Finding[];
  /** Of a new buy: whether anybody has entered a brand of its domain. */
  readonly isEntered?: boolean;
}

/**
 * Adds the owner to a draft before it is stored: to a new buy its brand, client, campaign and the decision;
 * to a change those of its buy; to anything else the brand and its client.
 */
export async function placeDraft<Draft extends OperationDraft>(
  ports: PlacingPorts,
  request: DraftedRequest,
  draft: Draft,
): Promise<Result<Placed<Draft>, TaskError>> {
  const { buy, operation } = draft;
  if (buy === undefined && operation.brandDomain !== undefined) return ok({ draft, findings: [] });
  if (buy === undefined && operation.mediaBuyId !== undefined) {
    const belonging = await ports.campaigns?.ofBuy(request.scope, operation.mediaBuyId);
    return ok({ draft: { ...draft, operation: { ...operation, ...belonging } }, findings: [] });
  }
  const brand = buy === undefined ? request.brand : brandIn(buy.brand);
  if (brand === undefined || brand.domain === '') return ok({ draft, findings: [] });
  if (buy === undefined) {
    const client = await clientOfBrand(ports, request.scope, brand);
    // A signal is bought too; reports about what was bought are never refused for this.
    const denied = operation.task === activateSignal.name ? agentDenied(client, draft) : undefined;
    if (denied !== undefined) return err(denied);
    const owner = { brandDomain: brand.domain, ...(client === undefined ? {} : { clientId: client.id }) };
    return ok({ draft: { ...draft, operation: { ...operation, ...owner } }, findings: [] });
  }
  const found = await findFor(ports, request, brand, operation.request);
  if (!found.ok) return found;
  const refused = request.isSealed === true ? undefined : sellersRefused(found.value.client, draft);
  if (refused !== undefined) return err(refused);
  const { campaignId, client, findings, source, reason, isEntered } = found.value;
  const belonging: Belonging = {
    brandDomain: brand.domain,
    ...(client === undefined ? {} : { clientId: client.id }),
    ...(campaignId === undefined ? {} : { campaignId }),
  };
  const { brandDomain: _brand, ...decided } = belonging;
  const assignment: BuyAssignment = {
    id: ports.ids.uuid(),
    mediaBuyId: buy.id,
    ...decided,
    source,
    ...(reason === undefined ? {} : { reason }),
    principalId: operation.principalId,
    at: operation.createdAt,
  };
  const placed = {
    ...draft,
    operation: { ...operation, ...belonging },
    buy: { ...buy, ...belonging },
    // For a brand that is not stored, nothing was decided.
    ...(client === undefined ? {} : { assignment }),
  };
  return ok({ draft: placed, findings, ...defined({ isEntered }) });
}

/** The brand and its client, for operations that belong to no campaign. */
export async function belongingOf(
  ports: Pick<BuysPorts, 'campaigns'>,
  scope: TenantScope,
  brand: BrandNamed,
): Promise<Belonging> {
  const client = await clientOfBrand(ports, scope, brand);
  return { brandDomain: brand.domain, ...(client === undefined ? {} : { clientId: client.id }) };
}

/** The client of a brand; undefined for a brand without a client. */
export async function clientOfBrand(
  { campaigns }: Pick<BuysPorts, 'campaigns'>,
  scope: TenantScope,
  brand: BrandNamed,
): Promise<KnownClient | undefined> {
  const known = await campaigns?.known(scope, { brand, names: [] });
  const found = known && findCampaign(brand, { loose: [] }, { ...known, rules: [] });
  return found?.ok === true ? found.value.client : undefined;
}

/** Copies the brand, client and campaign of a buy to an operation that changes it. */
export function belongingIn({ brandDomain, clientId, campaignId }: Belonging): Belonging {
  return defined({ brandDomain, clientId, campaignId });
}

export function brandNamed(domain: string, brandId: string | undefined): BrandNamed {
  return { domain: brandDomainOf(domain), brandId: brandId ?? '' };
}

function brandIn(brand: JsonObject): BrandNamed | undefined {
  const { domain, brand_id: brandId } = brand;
  if (typeof domain !== 'string') return undefined;
  return brandNamed(domain, typeof brandId === 'string' ? brandId : undefined);
}

const nothing: CampaignFound = { source: 'none', findings: [] };

async function findFor(
  { campaigns }: PlacingPorts,
  { scope, isSealed }: DraftedRequest,
  brand: BrandNamed,
  args: JsonObject,
): Promise<Result<CampaignFound & { readonly isEntered?: boolean }, TaskError>> {
  if (campaigns === undefined) return ok(nothing);
  const { explicit, ...read } = readCampaignNames(args);
  const isLoose = explicit !== undefined && isSealed === true;
  const names = isLoose
    ? { ...read, loose: [explicit, ...read.loose] }
    : { ...read, ...(explicit && { explicit }) };
  const { reference } = names;
  const question = {
    brand,
    names: [...new Set([...(explicit ? [explicit] : []), ...read.loose].map(({ value }) => value))],
    ...(reference === undefined ? {} : { reference }),
  };
  const known = await campaigns.known(scope, question);
  const found = findCampaign(brand, names, known);
  return found.ok ? ok({ ...found.value, isEntered: known.brands.length > 0 }) : found;
}

/** A client may be restricted to some agents: it gets no signal of another one. */
function agentDenied(client: KnownClient | undefined, { legs }: OperationDraft): TaskError | undefined {
  const other = legs.find(({ seller }) => client?.sellers?.includes(seller) === false);
  if (other === undefined) return undefined;
  return taskError('AGENT_ACCESS_DENIED', `The client of this brand does not use ${other.seller}.`, {
    field: 'signal_agent_segment_id',
    suggestion: 'Use a signal of another agent, or have the client allow this one.',
    details: { reason: 'client_not_allowed', sellers: [other.seller] },
  });
}

/** A client may be restricted to some sellers: no package of its buys may go to another one. */
function sellersRefused(
  client: KnownClient | undefined,
  { sellerBuys }: OperationDraft,
): TaskError | undefined {
  const { sellers } = client ?? {};
  if (sellers === undefined) return undefined;
  const others = [...new Set(sellerBuys.map(({ seller }) => seller))].filter(
    (slug) => !sellers.includes(slug),
  );
  if (others.length === 0) return undefined;
  return taskError('AGENT_ACCESS_DENIED', `The client of this brand does not buy at ${others.join(', ')}.`, {
    field: 'packages',
    suggestion: 'Leave out the packages of these sellers, or have the client allow them.',
    details: { reason: 'client_not_allowed', sellers: others },
  });
}
