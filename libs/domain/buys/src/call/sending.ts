import type { SellerCall } from '@switchyard/sellers';
import { defined, type JsonObject } from '@switchyard/values';
import { hasNativeChannel } from './draft-registrations.js';
import { nativeChannel, withWebhookSecrets } from '../model/webhook-secret.js';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';
import { withoutWebhook } from './reencode.js';
import type { LegRun } from './leg-run.js';

/** What one send of a leg contains beside the task name. */
interface Sending {
  readonly args: JsonObject;
  readonly a2aPush?: NonNullable<SellerCall['a2aPush']>;
}

/**
 * The frozen arguments with their secrets, and the native channel if there is one. Undefined where a secret
 * is not available: a seller must never get the placeholder.
 */
export function sendingOf(
  leg: Pick<Leg, 'id' | 'task' | 'outbound' | 'findings'>,
  { connection, keySecret, webhookSecret }: LegRun,
  callbackBase: string,
): Sending | undefined {
  const stored = outboundOf(leg);
  const { keyCredentialId } = connection;
  const args = withWebhookSecrets(stored, defined({ keyCredentialId, keySecret, webhookSecret }));
  if (args === undefined) return undefined;
  const isBare = leg.findings.some(({ code }) => code === withoutWebhook);
  if (keySecret === undefined || isBare || !hasNativeChannel(connection, leg.task)) return { args };
  const { id, token } = nativeChannel(keySecret, leg.id);
  return { args, a2aPush: { url: `${callbackBase}/webhooks/${id}`, operationId: id, token } };
}
