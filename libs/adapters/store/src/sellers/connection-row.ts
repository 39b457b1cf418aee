import {
  capabilitiesFreshMs,
  nextLookAt,
  type Connection,
  type ConnectionHealth,
  type HealthChange,
} from '@switchyard/sellers';
import { Prisma } from '../generated/client.js';
import type { connectionModel } from '../generated/models.js';
import { rowReader } from '../core/row-mapper.js';

export type ConnectionRow = connectionModel;

const readConnection = rowReader<
  Omit<Connection, 'wantsRelaySignature' | 'wantsAccount' | 'legacyWebhooks' | 'hasAccounts'>
>()(`
  id, organization_id, slug, name, agent_url, protocol, dialect, configured_form, form, kinds, state, is_sandbox,
  state_reason, draining_since, account, capabilities, capabilities_at, tools, pinned_jwks_uri, pinned_brand_json_url,
  found_jwks_uri, credential_id, key_credential_id, webhook_credential_id, report_registration`);

export function connectionOf(row: ConnectionRow): Connection {
  return {
    ...readConnection(row),
    ...(row.wants_relay_signature ? { wantsRelaySignature: true as const } : {}),
    ...(row.wants_account ? { wantsAccount: true as const } : {}),
    ...(row.has_accounts ? { hasAccounts: true as const } : {}),
    legacyWebhooks: (row.legacy_webhooks ?? false) as Connection['legacyWebhooks'],
  };
}

export function connectionRow(connection: Connection, at: Date): Prisma.connectionCreateInput {
  return {
    id: connection.id,
    organization_id: connection.organizationId,
    slug: connection.slug,
    name: connection.name,
    agent_url: connection.agentUrl,
    protocol: connection.protocol,
    dialect: connection.dialect,
    configured_form: connection.configuredForm,
    form: connection.form,
    kinds: [...connection.kinds],
    state: connection.state,
    state_reason: connection.stateReason ?? null,
    account: jsonColumn(connection.account),
    capabilities: jsonColumn(connection.capabilities),
    capabilities_at: connection.capabilitiesAt === undefined ? null : new Date(connection.capabilitiesAt),
    capabilities_due_at:
      connection.capabilitiesAt === undefined
        ? null
        : new Date(connection.capabilitiesAt + capabilitiesFreshMs),
    look_due_at: new Date(nextLookAt(connection.id, at.getTime())),
    tools: jsonColumn(connection.tools),
    pinned_jwks_uri: connection.pinnedJwksUri ?? null,
    pinned_brand_json_url: connection.pinnedBrandJsonUrl ?? null,
    found_jwks_uri: connection.foundJwksUri ?? null,
    credential_id: connection.credentialId ?? null,
    key_credential_id: connection.keyCredentialId ?? null,
    wants_relay_signature: connection.wantsRelaySignature === true,
    legacy_webhooks: connection.legacyWebhooks === false ? null : connection.legacyWebhooks,
    webhook_credential_id: connection.webhookCredentialId ?? null,
    report_registration: connection.reportRegistration ?? null,
    is_sandbox: connection.isSandbox,
    created_at: at,
    updated_at: at,
  };
}

export const healthOf = rowReader<ConnectionHealth>()(
  'connection_id, breaker, failures, updated_at, last_ok_at, last_failure_at, last_failure_code',
);

/** Values of the only upsert of a health change. */
export function healthValues(change: HealthChange): readonly unknown[] {
  const at = new Date(change.at);
  return [
    change.connectionId,
    change.organizationId,
    change.breaker,
    change.failures,
    change.ok ? at : null,
    change.ok ? null : at,
    change.ok ? null : (change.code ?? null),
    at,
  ];
}

/** Absent becomes SQL's NULL, never JSON null. */
export function jsonColumn(value: unknown): Prisma.InputJsonValue | typeof Prisma.DbNull {
  return value === undefined ? Prisma.DbNull : (value as Prisma.InputJsonValue);
}
