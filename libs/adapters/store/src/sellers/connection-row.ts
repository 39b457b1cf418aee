import type { AccountRef, Capabilities, Dialect, Form } from '@switchyard/protocol';
import type { Connection, ConnectionHealth, ConnectionState, SellerKind } from '@switchyard/sellers';
import { capabilitiesFreshMs, type BreakerPhase, type HealthChange } from '@switchyard/sellers';
import { Prisma } from '../generated/client.js';
import type { connectionModel, connection_healthModel } from '../generated/models.js';
import { present } from '../core/present.js';

export type ConnectionRow = connectionModel;

export function connectionOf(row: ConnectionRow): Connection {
  return {
    id: row.id,
    organizationId: row.organization_id,
    slug: row.slug,
    name: row.name,
    agentUrl: row.agent_url,
    protocol: row.protocol as Connection['protocol'],
    dialect: row.dialect as Dialect,
    configuredForm: row.configured_form as Connection['configuredForm'],
    form: row.form as Form,
    kinds: row.kinds as SellerKind[],
    state: row.state as ConnectionState,
    ...(row.wants_relay_signature ? { wantsRelaySignature: true as const } : {}),
    legacyWebhooks: (row.legacy_webhooks ?? false) as Connection['legacyWebhooks'],
    isSandbox: row.is_sandbox,
    ...present({
      stateReason: row.state_reason,
      drainingSince: row.draining_since?.getTime(),
      account: row.account as AccountRef | null,
      capabilities: row.capabilities as Capabilities | null,
      capabilitiesAt: row.capabilities_at?.getTime(),
      tools: row.tools as Connection['tools'] | null,
      pinnedJwksUri: row.pinned_jwks_uri,
      pinnedBrandJsonUrl: row.pinned_brand_json_url,
      foundJwksUri: row.found_jwks_uri,
      credentialId: row.credential_id,
      keyCredentialId: row.key_credential_id,
      webhookCredentialId: row.webhook_credential_id,
      reportRegistration: row.report_registration as Connection['reportRegistration'] | null,
    }),
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

export function healthOf(row: connection_healthModel): ConnectionHealth {
  return {
    connectionId: row.connection_id,
    breaker: row.breaker as BreakerPhase,
    failures: row.failures,
    updatedAt: row.updated_at.getTime(),
    ...present({
      lastOkAt: row.last_ok_at?.getTime(),
      lastFailureAt: row.last_failure_at?.getTime(),
      lastFailureCode: row.last_failure_code,
    }),
  };
}

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
