import { randomBytes, randomUUID } from 'node:crypto';
import { dialects } from '@switchyard/protocol';
import { signRequest, type SigningKey } from '@switchyard/signing';
import type { Json } from '../harness/buy-request.js';

/** Posts a webhook as a seller does, signed with the given key, and returns the HTTP status. */
export async function postUpdate(
  url: string,
  key: SigningKey,
  payload: Json,
  more: Readonly<Record<string, string>> = {},
): Promise<number> {
  return (await postForAnswer(url, key, payload, more)).status;
}

/** The same, with the text of the answer. */
export async function postForAnswer(
  url: string,
  key: SigningKey,
  payload: Json,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const body = Buffer.from(JSON.stringify(payload));
  const headers = { 'Content-Type': 'application/json' };
  const created = Math.floor(Date.now() / 1000);
  const signature = signRequest({
    method: 'POST',
    url,
    headers,
    body,
    keyid: key.kid,
    alg: key.alg,
    privateKey: key.privateKey,
    tag: dialects.adcp.webhookTag,
    created,
    expires: created + 250,
    nonce: randomBytes(16).toString('base64url'),
  });
  const sent = await fetch(url, { method: 'POST', headers: { ...headers, ...signature, ...more }, body });
  return { status: sent.status, text: await sent.text() };
}

/** Returns an event of a task, with a new key by default. */
export function taskUpdate(operationId: string, more: Json): Json {
  return {
    idempotency_key: `news-${randomUUID()}`,
    operation_id: operationId,
    task_type: 'create_media_buy',
    protocol: 'media-buy',
    timestamp: new Date().toISOString(),
    ...more,
  };
}

interface ReportFigures {
  readonly mediaBuyId: string;
  readonly day: string;
  readonly spend: number;
  readonly sequence: number;
}

/** Returns a delivery report of one day. It contains no operation id: sender and buy identify the operation. */
export function reportUpdate({ mediaBuyId, day, spend, sequence }: ReportFigures, more: Json = {}): Json {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString();
  const metrics = { impressions: Math.round(spend * 100), spend };
  return {
    idempotency_key: `report-${randomUUID()}`,
    task_id: `delivery_${mediaBuyId}`,
    task_type: 'media_buy_delivery',
    protocol: 'media-buy',
    status: 'completed',
    timestamp: new Date().toISOString(),
    result: {
      notification_type: 'scheduled',
      sequence_number: sequence,
      next_expected_at: next,
      reporting_period: { start: `${day}T00:00:00Z`, end: next },
      currency: 'USD',
      media_buy_deliveries: [
        {
          media_buy_id: mediaBuyId,
          status: 'active',
          totals: metrics,
          by_package: [
            { package_id: `${mediaBuyId}-p1`, ...metrics, pricing_model: 'cpm', rate: 10, currency: 'USD' },
          ],
        },
      ],
    },
    ...more,
  };
}
