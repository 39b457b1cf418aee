import type { WebhookRegistration, WebhookRegistrations } from '@switchyard/events';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import type { connectionModel } from '../generated/models.js';

type FoundRow = Row & Pick<connectionModel, 'agent_url'>;

/** Finds the registration of an address before its tenant is known. */
export function webhookRegistrations(store: Store): WebhookRegistrations {
  return {
    find: async (registrationId) => {
      // Anyone may request any address; PostgreSQL takes no U+0000 in a parameter.
      if (registrationId.includes('\0')) return undefined;
      const { rows } = await run<FoundRow>(store.pool, {
        name: 'webhook_registration_by_id',
        text: 'select * from webhook_registration_by_id($1)',
        values: [registrationId],
      });
      return rows.map(registrationOf)[0];
    },
  };
}

/** Finds the registration of a report at a standing address, before its tenant is known. */
export function relayReportRegistration(
  store: Store,
): (standing: string, sellerBuyId: string) => Promise<string | undefined> {
  return async (standing, sellerBuyId) => {
    const { rows } = await run<{ id: string | null }>(store.pool, {
      name: 'relay_report_registration',
      text: 'select relay_report_registration($1, $2) as id',
      values: [standing, sellerBuyId],
    });
    return rows[0]?.id ?? undefined;
  };
}

/** Finds the native channel of an A2A task at a standing address, before its tenant is known. */
export function relayNativeRegistration(
  store: Store,
): (standing: string, a2aTaskId: string) => Promise<string | undefined> {
  return async (standing, a2aTaskId) => {
    const { rows } = await run<{ id: string | null }>(store.pool, {
      name: 'relay_native_registration',
      text: 'select relay_native_registration($1, $2) as id',
      values: [standing, a2aTaskId],
    });
    return rows[0]?.id ?? undefined;
  };
}

const readRegistration = rowReader<Omit<WebhookRegistration, 'sellerAgentUrl'>>()(`
  id, organization_id, connection_id, leg_id, operation_id, kind, mode, seller_operation_id, dialect, credential_id,
  token_hash`);

function registrationOf(row: FoundRow): WebhookRegistration {
  return { ...readRegistration(row), sellerAgentUrl: row.agent_url };
}
