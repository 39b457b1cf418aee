import { createHash, randomUUID } from 'node:crypto';
import {
  connectionDirectory,
  organizations,
  principalDirectory,
  type NewOrganization,
  type Store,
} from '@switchyard/store';
import type { Connection } from '@switchyard/sellers';
import type { Organization, Permissions, Principal, TenantScope } from '@switchyard/tenancy';

const epoch = Date.UTC(2026, 0, 1);

/** Makes a tenant. Default: a unique slug. */
export function createOrganization(
  store: Store,
  wanted: Partial<NewOrganization> = {},
): Promise<Organization> {
  const slug = wanted.slug ?? `org-${randomUUID().slice(0, 8)}`;
  return organizations(store).ensure(
    {
      name: `Organization ${slug}`,
      domain: `${slug}.example`,
      isPublic: false,
      timeZone: 'UTC',
      currency: 'USD',
      reportingCurrency: 'USD',
      ...wanted,
      slug,
    },
    epoch,
  );
}

/** Makes a tenant and returns its scope. */
export async function createScope(store: Store): Promise<TenantScope> {
  return { organizationId: (await createOrganization(store)).id };
}

/** Makes a principal of a tenant. Default: a transitional buyer without permissions. */
export async function createPrincipal(
  store: Store,
  organizationId: string,
  wanted: Partial<Omit<Principal, 'organizationId'>> = {},
): Promise<Principal> {
  const id = wanted.id ?? randomUUID();
  const principal: Principal = {
    name: `buyer ${id.slice(0, 8)}`,
    kind: 'buyer',
    permissions: {},
    transitional: true,
    legacy: true,
    ...wanted,
    id,
    organizationId,
  };
  if (!(await principalDirectory(store).create({ organizationId }, principal, epoch)))
    throw new Error(`There is a principal named ${principal.name} already.`);
  return principal;
}

/** Makes a token of that principal, or with only these permissions, and returns its text. Valid until 2100. */
export async function createToken(
  store: Store,
  principal: Principal,
  permissions?: Permissions,
): Promise<string> {
  const text = `sy_${Buffer.from(randomUUID() + randomUUID())
    .subarray(0, 32)
    .toString('base64url')}`;
  await principalDirectory(store).issueToken(
    { organizationId: principal.organizationId },
    {
      id: randomUUID(),
      principalId: principal.id,
      scheme: 'bearer',
      ...(permissions === undefined ? {} : { permissions }),
      hash: createHash('sha256').update(text, 'utf8').digest(),
      label: 'test',
      createdAt: epoch,
      expiresAt: Date.UTC(2100, 0, 1),
    },
  );
  return text;
}

/** Makes a live connection of a tenant. Default: to a sales seller over MCP. */
export async function createConnection(
  store: Store,
  organizationId: string,
  wanted: Partial<Omit<Connection, 'organizationId'>> = {},
): Promise<Connection> {
  const slug = wanted.slug ?? `seller-${randomUUID().slice(0, 8)}`;
  const connection: Connection = {
    id: randomUUID(),
    name: slug,
    agentUrl: `https://${slug}.example/mcp`,
    protocol: 'mcp',
    dialect: 'ads',
    configuredForm: 'auto',
    form: 'service',
    kinds: ['sales'],
    state: 'live',
    legacyWebhooks: false,
    isSandbox: false,
    ...wanted,
    slug,
    organizationId,
  };
  if (!(await connectionDirectory(store).insert({ organizationId }, connection, epoch)))
    throw new Error(`There is a connection ${slug} already.`);
  return connection;
}
