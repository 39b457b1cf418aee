import { dialects, type WireProfile } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, parseStrictJson, type JsonObject } from '@switchyard/values';
import type { SendDeps } from './send-event.js';

/** The receiver's timeout, in milliseconds, and how much of its answer is read, in bytes. */
const timeoutMs = 5_000;
const answerCap = 4_096;

/**
 * Sends one signed question to an address and reads the answer: an object of JSON with a status of success. Everything else is
 * no answer. The egress checks the address and follows no redirect.
 */
export async function askReceiver(
  { egress, signerFor, isStopped }: Pick<SendDeps, 'egress' | 'signerFor' | 'isStopped'>,
  scope: TenantScope,
  { principalId, operationId }: { readonly principalId: string; readonly operationId: string },
  { url, body, profile }: { readonly url: string; readonly body: JsonObject; readonly profile: WireProfile },
): Promise<JsonObject | undefined> {
  if (await isStopped(scope.organizationId, 'all', '')) return undefined;
  const bytes = Buffer.from(JSON.stringify(body), 'utf8');
  const headers = { 'Content-Type': 'application/json' };
  const signed = await signerFor(scope, principalId, { operationId, purpose: 'webhook' }).sign(
    { method: 'POST', url, headers, body: bytes },
    { tag: dialects[profile.dialect].webhookTag, coversDigest: true },
  );
  if (!signed.ok) return undefined;
  const sent = await egress.request({
    method: 'POST',
    url,
    headers: { ...headers, ...signed.value },
    body: bytes,
    maxBytes: answerCap,
    timeoutMs,
  });
  if (!sent.ok || sent.value.status < 200 || sent.value.status > 299) return undefined;
  const read = parseStrictJson(sent.value.body);
  return read.ok && isJsonObject(read.value.value) ? read.value.value : undefined;
}
