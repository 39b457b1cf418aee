import {
  taskError,
  type CampaignName,
  type CampaignNames,
  type Finding,
  type TaskError,
} from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';
import type {
  BrandNamed,
  BuyAssignment,
  KnownCampaign,
  KnownClient,
  KnownOfBrand,
} from '../model/campaign.js';

/** The client and campaign of a new buy, and how they were found. */
export interface CampaignFound {
  readonly client?: KnownClient;
  readonly campaignId?: string;
  readonly source: BuyAssignment['source'];
  /** The member of the request, or the rule, that decided. */
  readonly reason?: string;
  readonly findings: readonly Finding[];
}

/**
 * Finds the client and campaign that a buy of `brand` belongs to (docs/protocol/media-buys.md#whose-a-buy-is).
 *
 * The explicit member must name an open campaign of the brand, or the request is refused. Then the protocol's own
 * members are tried, then the rules. A campaign is never guessed: without one the buy waits to be assigned.
 */
export function findCampaign(
  brand: BrandNamed,
  names: CampaignNames,
  known: KnownOfBrand,
): Result<CampaignFound, TaskError> {
  const client = clientIn(brand, known);
  const placed = (
    campaign: KnownCampaign,
    source: BuyAssignment['source'],
    reason: string,
    findings: readonly Finding[] = [],
  ): CampaignFound => {
    const owner = known.clients.find(({ id }) => id === campaign.clientId) ?? client;
    return { campaignId: campaign.id, source, reason, findings, ...(owner && { client: owner }) };
  };

  const { explicit } = names;
  if (explicit !== undefined) {
    const named = namedBy(explicit, brand, known);
    return named.kind === 'one'
      ? ok(placed(named.campaign, 'request', explicit.field))
      : err(refusal(explicit, named));
  }
  // A brand that is not stored has no campaigns. Its members are for its sellers, so no finding is added.
  const isManaged = known.brands.length > 0;
  const findings: Finding[] = [];
  for (const name of names.loose) {
    const named = namedBy(name, brand, known);
    if (named.kind === 'one') return ok(placed(named.campaign, 'request', name.field, findings));
    if (isManaged && name.names !== 'own') findings.push(findingOf(name, named));
  }
  // Brands of one domain may be of several clients: a rule of one client matches no buy of another.
  const rule = known.rules.find(
    ({ campaign }) =>
      isOpen(campaign) &&
      isOfBrand(campaign, brand) &&
      campaign.clientId === (client?.id ?? campaign.clientId),
  );
  if (rule !== undefined) return ok(placed(rule.campaign, 'rule', rule.id, findings));
  return ok({ source: 'none', findings, ...(client && { client }) });
}

/** The client of the brand by domain and id; else by domain, where all its brands belong to one client. */
export function clientIn(
  { brandId }: BrandNamed,
  { brands, clients }: KnownOfBrand,
): KnownClient | undefined {
  const exact = brands.find((row) => row.brandId === brandId);
  const owners = new Set(brands.map((row) => row.clientId));
  const id = exact?.clientId ?? (owners.size === 1 ? [...owners][0] : undefined);
  return clients.find((client) => client.id === id);
}

type Named =
  | { readonly kind: 'one'; readonly campaign: KnownCampaign }
  | { readonly kind: 'none' | 'closed' | 'several' };

function namedBy({ value, names }: CampaignName, brand: BrandNamed, { campaigns }: KnownOfBrand): Named {
  const ways: readonly ((campaign: KnownCampaign) => boolean)[] = {
    any: [
      (campaign: KnownCampaign) => campaign.id === value.toLowerCase(),
      (campaign: KnownCampaign) => campaign.reference === value,
      (campaign: KnownCampaign) => campaign.poNumber === value,
    ],
    po_number: [(campaign: KnownCampaign) => campaign.poNumber === value],
    estimate: [(campaign: KnownCampaign) => campaign.estimate === value],
    own: [(campaign: KnownCampaign) => campaign.reference === value],
  }[names];
  const ofBrand = campaigns.filter((campaign) => isOfBrand(campaign, brand));
  for (const way of ways) {
    const matching = ofBrand.filter(way);
    const open = matching.filter(isOpen);
    const [campaign] = open;
    if (campaign !== undefined) return open.length === 1 ? { kind: 'one', campaign } : { kind: 'several' };
    if (matching.length > 0) return { kind: 'closed' };
  }
  return { kind: 'none' };
}

/** Whether buys of a brand may belong to a campaign. */
export function isOfBrand(
  campaign: Pick<KnownCampaign, 'brandDomain' | 'brandId'>,
  brand: BrandNamed,
): boolean {
  if (campaign.brandDomain !== brand.domain) return false;
  return campaign.brandId === '' || brand.brandId === '' || campaign.brandId === brand.brandId;
}

function isOpen({ status }: KnownCampaign): boolean {
  return status !== 'closed';
}

/**
 * One text for a missing campaign and for one of another brand, so that it does not reveal which brands have
 * campaigns.
 */
const texts = {
  none: 'The brand has no campaign with this id, reference or number.',
  closed: 'The campaign is closed.',
  several: 'Several open campaigns of this brand have this reference or number.',
} as const;

function refusal({ field }: CampaignName, { kind }: Exclude<Named, { kind: 'one' }>): TaskError {
  const suggestion =
    kind === 'none'
      ? 'Name an open campaign of the brand by its id, its reference or its PO number, or leave the member out.'
      : kind === 'closed'
        ? 'Name an open campaign, or have whoever runs this agent open it again.'
        : 'Name the campaign by its id.';
  const code = kind === 'none' ? 'REFERENCE_NOT_FOUND' : 'INVALID_STATE';
  return taskError(code, texts[kind], { field, suggestion });
}

function findingOf({ field }: CampaignName, { kind }: Exclude<Named, { kind: 'one' }>): Finding {
  return { code: 'CAMPAIGN_NOT_FOUND', message: `${texts[kind]} It was not used.`, field };
}
