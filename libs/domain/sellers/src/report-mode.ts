import { wantsReportSecret } from '@switchyard/protocol';
import type { Connection, ReportRegistration } from './connection.js';

/** How a seller is requested to authenticate its delivery reports; `none`: no reports are requested, only polling. */
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
 * Returns the mode set by an admin, or else the one stored after a refusal. Otherwise signatures are requested if the
 * seller declares that it signs webhooks, or if its release needs no shared secret.
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
 * Returns the mode to request after a refusal of this one: the other mode, then none. `undefined` if an admin has set
 * the mode.
 */
export function reportModeAfter(connection: Known, refused: ReportMode): ReportRegistration | undefined {
  if (connection.legacyWebhooks !== false) return undefined;
  const now = reportModeOf(connection);
  // Another request has stored the refusal meanwhile.
  if (now !== refused) return now === 'bearer' ? undefined : now;
  if (connection.reportRegistration !== undefined || connection.keyCredentialId === undefined) return 'none';
  return refused === 'signed' ? 'hmac-sha256' : 'signed';
}
