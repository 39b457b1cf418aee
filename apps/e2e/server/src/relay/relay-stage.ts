import { generateSigningKey, publicJwk, type SigningKey } from '@switchyard/signing';
import type { Json } from '../harness/buy-request.js';
import { dataFolder, type DataFolder } from '../harness/data-folder.js';
import { ownerView, type OwnerView } from '../harness/database.js';
import { startInstance, type Instance } from '../harness/instance.js';
import { admin } from '../harness/own-everything.js';
import { jsonOf } from '../harness/run-switchyard.js';
import { openOrganization } from '../harness/shared-instance.js';
import { waitUntil } from '../harness/wait-until.js';
import { postSealed, seal, type Addresses, type RelayReply, type SealOptions } from './brand-agent.js';
import { sealedSeller, type SealedSeller } from './sealed-seller.js';
import type { SellerOptions } from './seller-options.js';

/** A brand with its own key, and its own token at the relay. */
export interface Brand {
  readonly id: string;
  readonly token: string;
  readonly key: SigningKey;
}

export interface RelayStage {
  readonly folder: DataFolder;
  readonly database: OwnerView;
  instance(): Instance;
  seller(slug: string): SealedSeller;
  /** Adds a seller. */
  onboard(slug: string, seller: SealedSeller, more?: Json): Promise<void>;
  cli<T>(...args: readonly string[]): Promise<T>;
  /** A brand that may use the relay for these sellers. */
  brand(name: string, sellers: readonly string[]): Promise<Brand>;
  address(slug: string, brand: Brand): Promise<Addresses>;
  /** Signs and posts one call. */
  relay(brand: Brand, slug: string, tool: string, args: Json, options?: SealOptions): Promise<RelayReply>;
  /** Returns the legs of a record's operation, with the channel of their last update. */
  legs(record: string): Promise<readonly LegRow[]>;
  /** Starts the server again on the same data, after it was stopped or killed. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface LegRow {
  readonly id: string;
  readonly operation_id: string;
  readonly task: string;
  readonly status: string;
  readonly observed_by: string | null;
  readonly sealed: boolean;
  readonly findings: readonly { readonly code: string }[] | null;
}

export const everyTask = [
  ...['get_products', 'create_media_buy', 'update_media_buy', 'sync_creatives', 'activate_signal'],
  ...['get_media_buys'],
].join(',');

/** The built server with the test's own sellers, in a new data folder. */
export function relayStage(
  options: Readonly<Record<string, SellerOptions>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<RelayStage> {
  return stageOn((data) => startInstance(data, ['--no-sandbox'], environment), options);
}

/** The same in an organization of the shared instance: it cannot be stopped. */
export function sharedRelayStage(options: Readonly<Record<string, SellerOptions>>): Promise<RelayStage> {
  return stageOn((data) => openOrganization(data, []), options);
}

async function stageOn(
  start: (data: string) => Promise<Instance>,
  options: Readonly<Record<string, SellerOptions>>,
): Promise<RelayStage> {
  const folder = dataFolder();
  const sellers = new Map<string, SealedSeller>();
  let instance = await start(folder.path);
  let database = await ownerView(folder.path);
  const cli = <T>(...args: readonly string[]): Promise<T> => jsonOf<T>([...args, '--data', folder.path]);
  const onboard = async (slug: string, seller: SealedSeller, more: Json = {}): Promise<void> => {
    sellers.set(slug, seller);
    const { agentUrl, token, origin, requested: own } = seller;
    const row = { slug, agent_url: agentUrl, token, protocol: own.protocol, dialect: 'adcp', ...more };
    const known = { ...row, jwks_uri: `${origin}/jwks.json` };
    const imported = await admin(instance, 'POST', '/v1/sellers/import', [known]);
    if (!JSON.stringify(imported).includes('"live"')) throw new Error(JSON.stringify(imported));
  };
  try {
    for (const [slug, wish] of Object.entries(options)) await onboard(slug, await sealedSeller(wish));
  } catch (error) {
    // The caller does not have this stage yet and cannot close it.
    await database.close();
    await instance.stop();
    await folder.remove();
    throw error;
  }
  const addresses = new Map<string, Promise<Addresses>>();
  const stage: RelayStage = {
    folder,
    get database() {
      return database;
    },
    instance: () => instance,
    seller: (slug) => {
      const found = sellers.get(slug);
      if (found === undefined) throw new Error(`There is no seller ${slug} here.`);
      return found;
    },
    onboard,
    cli,
    brand: async (name, slugs) => {
      const key = generateSigningKey(`${name}-2026`);
      const added = await admin(instance, 'POST', '/v1/principals', {
        name,
        kind: 'brand',
        jwks: { keys: [publicJwk(key, ['ads_use', 'adcp_use'])] },
        transitional: true,
      });
      const id = String(added['principal_id']);
      for (const slug of slugs)
        await admin(instance, 'POST', '/v1/delegations', {
          principal_id: id,
          seller: slug,
          tasks: everyTask.split(','),
          until: '2100-01-01',
          evidence: 'letter of 1 November',
        });
      return { id, token: String(added['token']), key };
    },
    address: (slug, { id }) => {
      const name = `${slug} ${id} ${instance.url}`;
      const path = `/v1/relay/${slug}/address?principal_id=${id}`;
      const known = addresses.get(name) ?? (admin(instance, 'GET', path) as Promise<Addresses & Json>);
      addresses.set(name, known);
      return known;
    },
    relay: async (brand, slug, tool, args, sealOptions) => {
      const to = await stage.address(slug, brand);
      const { streams = false } = stage.seller(slug).requested;
      return postSealed(to, brand.token, seal(brand.key, to, tool, args, { streams, ...sealOptions }));
    },
    legs: (record) =>
      database.rows<LegRow>(
        `select l.id, l.operation_id, l.task, l.status, l.observed_by, l.sealed, l.findings from relay_request r
         join leg l on l.operation_id = r.operation_id where r.id = $1 order by l.created_at`,
        [record],
      ),
    restart: async () => {
      await database.close().catch(() => undefined);
      instance = await start(folder.path);
      database = await ownerView(folder.path);
    },
    close: async () => {
      await database.close().catch(() => undefined);
      await instance.stop();
      await Promise.all([...sellers.values()].map((seller) => seller.close()));
      await folder.remove();
    },
  };
  return stage;
}

/** Waits until these records are in their chain. */
export async function untilSealed(stage: RelayStage, records: readonly string[]): Promise<void> {
  await waitUntil('the records are in the chain', async () => {
    const rows = await stage.database.rows<{ id: string }>(
      `select id from relay_request where id = any ($1::uuid[]) and state = 'sealed'`,
      [records],
    );
    return rows.length === records.length ? true : undefined;
  });
}
