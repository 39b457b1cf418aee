import { randomUUID } from 'node:crypto';
import { generateSigningKey, publicJwk, type SigningKey } from '@switchyard/signing';
import { delegations, signerDirectory, type Store } from '@switchyard/store';
import { createConnection, createOrganization, createPrincipal, createToken } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';

/** A principal with a credential at the relay and its own keys. */
export interface Party {
  readonly name: string;
  readonly principalId: string;
  readonly token: string;
  readonly key: SigningKey;
}

export interface Seller {
  readonly slug: string;
  readonly protocol: 'mcp' | 'a2a';
  /** The URL that is signed. */
  readonly url: string;
}

export interface HostileWorld {
  readonly organizationId: string;
  readonly parties: Readonly<Record<PartyName, Party>>;
  readonly sellers: Readonly<Record<SellerName, Seller>>;
  /** A key that the brand's site lists as revoked, and one that may sign webhooks only. */
  readonly revokedKey: SigningKey;
  readonly webhookKey: SigningKey;
  /** Ends all delegations to the party at that time. */
  endAt(party: Party, until: number): Promise<void>;
}

/**
 * `brand`: may do everything. `reader`: its token may not change anything. `spender`: has a budget. The others are
 * named after what their delegation lacks.
 */
const partyNames = [
  'brand',
  'stranger',
  'reader',
  'undelegated',
  'revoked',
  'late-second',
  'late-milli',
  'limited',
  'spender',
] as const;
export type PartyName = (typeof partyNames)[number];
/** `asleep` is disabled and `theirs` belongs to another tenant. */
const sellerNames = ['alpha', 'beta', 'gamma', 'asleep', 'theirs'] as const;
export type SellerName = (typeof sellerNames)[number];

/** One micro less than the sum of two honest buys of 4,000 and 6,000. */
const ceilingMicros = 9_999_999_999n;

const rights = ['read', 'write'] as const;

/** Creates all parties. The store is open as the database's owner, because this setup is not what is tested. */
export async function makeHostileWorld(
  store: Store,
  organizationId: string,
  origin: string,
  revoke: (kid: string) => void,
): Promise<HostileWorld> {
  const other = await createOrganization(store);
  const sellers = {} as Record<SellerName, Seller>;
  for (const slug of sellerNames) {
    const protocol = slug === 'gamma' ? ('a2a' as const) : ('mcp' as const);
    const url = `${origin}/${slug}/${protocol}`;
    sellers[slug] = { slug, protocol, url };
    const connection = await createConnection(store, slug === 'theirs' ? other.id : organizationId, {
      slug,
      protocol,
      agentUrl: url,
      state: slug === 'asleep' ? 'disabled' : 'live',
    });
    await offer(store, connection.organizationId, connection.id, slug);
  }
  const [revokedKey, webhookKey] = [
    generateSigningKey('hostile-brand-revoked'),
    generateSigningKey('hostile-brand-hooks'),
  ];
  revoke(revokedKey.kid);
  const parties = {} as Record<PartyName, Party>;
  for (const name of partyNames) {
    const more =
      name === 'brand'
        ? [publicJwk(revokedKey, ['ads_use']), publicJwk(webhookKey, ['ads_use'], 'webhook-signing')]
        : [];
    parties[name] = await makeParty(store, organizationId, origin, name, more);
    await delegate(store, organizationId, parties[name], [...sellerNames]);
  }
  return {
    organizationId,
    parties,
    sellers,
    revokedKey,
    webhookKey,
    endAt: async ({ principalId }, until) => {
      await store.pool.query('update delegation set expires_at = $2 where principal_id = $1', [
        principalId,
        new Date(until),
      ]);
    },
  };
}

async function makeParty(
  store: Store,
  organizationId: string,
  origin: string,
  name: PartyName,
  moreKeys: readonly JsonObject[],
): Promise<Party> {
  const principal = await createPrincipal(store, organizationId, {
    name: `hostile ${name}`,
    kind: 'brand',
    permissions:
      name === 'reader'
        ? { products: ['read'] }
        : { products: ['read'], media_buys: rights, creatives: rights },
  });
  const key = generateSigningKey(`hostile-${name}`);
  await signerDirectory(store).add(
    { organizationId },
    {
      id: randomUUID(),
      principalId: principal.id,
      agentUrl: `${origin}/agents/${name}`,
      keys: { kind: 'document', jwks: { keys: [publicJwk(key, ['ads_use']), ...moreKeys] } },
      dialect: 'ads',
      allowsRsaPss: false,
      createdAt: Date.now(),
    },
  );
  return { name, principalId: principal.id, token: await createToken(store, principal), key };
}

async function delegate(
  store: Store,
  organizationId: string,
  { name, principalId }: Party,
  slugs: readonly string[],
): Promise<void> {
  if (name === 'undelegated') return;
  const repository = delegations(store);
  for (const seller of slugs) {
    const id = randomUUID();
    await repository.grant(
      { organizationId },
      {
        id,
        organizationId,
        principalId,
        seller,
        tasks: name === 'limited' ? ['list_creative_formats'] : ['get_products', 'create_media_buy'],
        grantedAt: Date.now() - 3_600_000,
        until: Date.now() + 3_600_000,
        ...(name === 'spender' ? { budget: { ceiling: ceilingMicros, currency: 'USD' } } : {}),
        grantedBy: { principalId },
      },
    );
    if (name === 'revoked')
      await repository.revoke({ organizationId }, id, { by: principalId, at: Date.now() });
  }
}

/** The seller's last quotes: one product in dollars and one in euros. */
async function offer(
  store: Store,
  organizationId: string,
  connectionId: string,
  seller: string,
): Promise<void> {
  for (const currency of ['USD', 'EUR']) {
    const pricingOption = { pricingOptionId: 'cpm', model: 'cpm', currency, auction: false };
    await store.pool.query(
      `insert into offered_product (connection_id, product_id, organization_id, seller, offer, offered_at)
       values ($1, $2, $3, $4, $5, now())`,
      [
        connectionId,
        currency,
        organizationId,
        seller,
        {
          seller,
          productId: currency,
          name: currency,
          pricingOptions: [pricingOption],
          reportingFrequencies: [],
          offeredAt: Date.now(),
        },
      ],
    );
  }
}
