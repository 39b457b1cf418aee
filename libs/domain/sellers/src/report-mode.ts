import { wantsReportSecret } from '@switchyard/protocol';
import type { Connection, ReportRegistration } from './connection.js';

/** How a seller is asked to prove its delivery reports; `none`: it is not asked for any, and is polled alone. */
export type ReportMode = ReportRegistration | 'bearer';

type Known = Pick<
  Connection,
  | 'form'
  | 'capabilities'
  | 'legacyWebhooks'
  | 'webhookCredentialId'
  | 'keyCredentialId'
  | 'reportRegistration'
>;

/**
 * What an admin set comes first, then what a refusal taught. Otherwise a seller is asked for signatures where it says that
 * it signs its webhooks, or where its release can do without a shared secret.
 */
export function reportModeOf(connection: Known): ReportMode {
  const { legacyWebhooks, webhookCredentialId, keyCredentialId, reportRegistration } = connection;
  if (legacyWebhooks !== false && webhookCredentialId !== undefined) return legacyWebhooks;
  if (reportRegistration !== undefined) return reportRegistration;
  if (connection.capabilities?.webhookSigning === true || !wantsReportSecret(connection.form))
    return 'signed';
  return keyCredentialId === undefined ? 'signed' : 'hmac-sha256';
}

/**
 * What to ask a seller for after it refused a registration in this mode: the other mode, then none. Undefined where an
 * admin has set the mode.
 */
export function reportModeAfter(connection: Known, refused: ReportMode): ReportRegistration | undefined {
  if (connection.legacyWebhooks !== false) return undefined;
  const now = reportModeOf(connection);
  // Another request has learnt of it meanwhile.
  if (now !== refused) return now === 'bearer' ? undefined : now;
  if (connection.reportRegistration !== undefined || connection.keyCredentialId === undefined) return 'none';
  return refused === 'signed' ? 'hmac-sha256' : 'signed';
}
