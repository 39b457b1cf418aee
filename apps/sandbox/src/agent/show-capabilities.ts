import type { Agent } from './agent.js';
import type { JsonObject } from '../json.js';

/** An agent's capabilities. The `service` form names no release and no idempotency: it has few members. */
export function showCapabilities(agent: Agent): JsonObject {
  const { personality, names, origin } = agent;
  const sales = personality.kind === 'sales';
  const hasShrunk = shrinks(agent);
  const shared: JsonObject = {
    supported_protocols: protocolsOf(personality.kind),
    request_signing: { supported: false },
    webhook_signing: {
      supported: !hasShrunk,
      profile: names.webhookTag,
      algorithms: ['ed25519'],
      legacy_hmac_fallback: personality.form === '3.0',
    },
    identity: {
      brand_json_url: `${origin}/.well-known/brand.json`,
      per_principal_key_isolation: false,
      key_origins: { request_signing: origin, webhook_signing: origin },
    },
    last_updated: '2026-01-01T00:00:00Z',
    ...(sales ? { media_buy: mediaBuyBlock(agent) } : {}),
    ...(personality.kind === 'signals' ? { signals: { discovery_modes: ['brief'] } } : {}),
  };
  if (personality.form === 'service') return shared;
  return {
    ...shared,
    account: {
      require_operator_auth: personality.accounts.length > 0,
      supported_billing: hasShrunk ? ['agent'] : ['operator', 'agent'],
      required_for_products: false,
      account_financials: false,
      sandbox: personality.accounts.length === 0,
    },
    specialisms: specialismsOf(agent),
    [names.capabilitiesMember]: {
      major_versions: [3],
      ...(personality.form === '3.1' ? { supported_versions: ['3.1'] } : {}),
      idempotency: personality.idempotent
        ? { supported: true, replay_ttl_seconds: 86_400 }
        : { supported: false },
    },
  };
}

function protocolsOf(kind: Agent['personality']['kind']): string[] {
  if (kind === 'sales') return ['media_buy'];
  return kind === 'rights' ? [] : [kind];
}

/** How long after its first reading a drifting agent shrinks, in milliseconds before scaling. */
const driftsAfterMs = 60_000;
const firstRead = new WeakMap<Agent, number>();

function shrinks(agent: Agent): boolean {
  if (!agent.personality.drifts) return false;
  const first = firstRead.get(agent);
  if (first === undefined) firstRead.set(agent, agent.now());
  return first !== undefined && agent.now() >= first + driftsAfterMs * agent.scale;
}

function specialismsOf({ personality, products }: Agent): JsonObject[string] {
  if (personality.kind === 'signals') return ['signal-marketplace'];
  if (personality.kind !== 'sales') return [];
  const sold = new Set(products.map(({ guaranteed }) => guaranteed));
  return [
    ...(sold.has(true) ? ['sales-guaranteed'] : []),
    ...(sold.has(false) ? ['sales-non-guaranteed'] : []),
  ];
}

function mediaBuyBlock({ personality, products }: Agent): JsonObject {
  const sells = personality.proposes === 'draft' || personality.proposes === 'committed';
  return {
    supported_pricing_models: ['cpm'],
    buying_modes: ['brief', 'wholesale', ...(sells ? ['refine'] : [])],
    supports_proposals: sells,
    reporting_delivery_methods: ['webhook'],
    creative_approval_mode: personality.approval === 'at-once' ? 'auto_approve' : 'require_human',
    features: { inline_creative_management: true },
    portfolio: {
      publisher_domains: [...new Set(products.map((product) => product.publisherDomain))],
      primary_channels: [...personality.channels],
      primary_countries: ['US', 'GB', 'DE'],
      description: `${personality.name}: ${personality.character}.`,
    },
  };
}
