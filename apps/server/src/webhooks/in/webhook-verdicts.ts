import type { AcceptedWebhook, WebhookRefusal } from '@switchyard/events';
import type { Connection } from '@switchyard/sellers';
import { peekSignature, webhookModeMismatch } from '@switchyard/signing';
import type { WebhookPost } from './webhook-post.js';
import type { RefusalLog, KeyAlarms } from '../../keys/index.js';

/** Gets every verdict on a webhook, after it is final. */
export interface WebhookVerdicts {
  record(connection: Connection, post: WebhookPost, verdict: AcceptedWebhook | WebhookRefusal): void;
}

/**
 * Counts the keys that sellers sign with, stores why a signature was refused, step by step, and raises an alarm if the
 * proof is not of the agreed mode (docs/protocol/signing.md#modes-of-webhooks).
 */
export function watchWebhooks(alarms: KeyAlarms, refusals: RefusalLog): WebhookVerdicts {
  return {
    record: (connection, post, verdict) => {
      const { organizationId, agentUrl } = connection;
      if (verdict.ok) {
        const { keyid, sender } = verdict.event;
        if (keyid !== undefined)
          alarms.sighted(organizationId, { surface: 'webhook', agentUrl: sender, keyid });
        return;
      }
      if (verdict.steps.length === 0 && verdict.wwwAuthenticate === undefined) return;
      const keyid = peekSignature(post.headers)?.keyid;
      if (verdict.code === 'webhook_signature_rate_abuse' && keyid !== undefined) {
        alarms.rateAbused(organizationId, keyid, agentUrl);
      }
      if (verdict.code === webhookModeMismatch) alarms.modeMismatched(connection);
      refusals.note({
        organizationId,
        isStranger: verdict.evidence === undefined,
        code: verdict.code,
        method: post.method,
        url: `https://receiver${post.rawUrl}`,
        steps: verdict.steps,
        agentUrl,
        ...(keyid === undefined ? {} : { keyid }),
      });
    },
  };
}
