import {
  completeBody,
  type AttemptResult,
  type BuyerRegistration,
  type CallbackSecrets,
  type ClaimedEvent,
} from '@switchyard/events';
import type { SignerFor } from '@switchyard/buys';
import { dialects } from '@switchyard/protocol';
import type { Egress } from '@switchyard/sellers';
import { signLegacyWebhook } from '@switchyard/signing';
import type { IsStopped, TenantScope } from '@switchyard/tenancy';
import { Secret, type Clock } from '@switchyard/values';

export interface SendDeps {
  readonly egress: Pick<Egress, 'request'>;
  readonly signerFor: SignerFor;
  /** The sealed secrets of an address; undefined if they cannot be opened now. */
  readonly openCallback: (
    scope: TenantScope,
    registration: BuyerRegistration,
  ) => Promise<CallbackSecrets | undefined>;
  readonly isStopped: IsStopped;
  readonly clock: Clock;
}

/** The receiver's timeout, in milliseconds, and how much of its answer is read, in bytes. */
const timeoutMs = 10_000;
const answerCap = 1024 * 1024;

const contentType = 'application/json';

/**
 * Makes one attempt: the stored bytes, a new proof, one POST. The egress checks the address again and follows no
 * redirect. An event without a proof is not sent.
 */
export async function sendEvent(
  deps: SendDeps,
  scope: TenantScope,
  event: ClaimedEvent,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const { registration } = event;
  const secrets = await deps.openCallback(scope, registration);
  if (secrets === undefined) return { kind: 'unsigned' };
  const isNative = registration.envelope !== 'mcp';
  const body = isNative ? event.body : completeBody(event.body, secrets.token);
  const plain: Record<string, string> = {
    'Content-Type': contentType,
    ...(isNative && secrets.token !== undefined ? { 'X-A2A-Notification-Token': secrets.token } : {}),
  };
  const proof = await proofOf(deps, scope, event, { secrets, headers: plain, body });
  if (proof === 'stopped') return { kind: 'stopped' };
  if (proof === undefined) return { kind: 'unsigned' };
  if (await deps.isStopped(scope.organizationId, 'all', '')) return { kind: 'stopped' };
  const sent = await deps.egress.request({
    method: 'POST',
    url: registration.url,
    headers: { ...plain, ...proof },
    body,
    maxBytes: answerCap,
    timeoutMs,
    signal,
  });
  const payloadBytes = body.length;
  if (!sent.ok) return { kind: 'failure', code: sent.error.code, payloadBytes };
  const { status, headers } = sent.value;
  const wwwAuthenticate = textOf(headers['www-authenticate']);
  const retryAfter = textOf(headers['retry-after']);
  return {
    kind: 'answer',
    status,
    payloadBytes,
    ...(wwwAuthenticate === undefined ? {} : { wwwAuthenticate }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

interface UnprovedPost {
  readonly secrets: CallbackSecrets;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The headers that prove the sender, in the mode of the registration only. */
async function proofOf(
  deps: SendDeps,
  scope: TenantScope,
  event: ClaimedEvent,
  { secrets, headers, body }: UnprovedPost,
): Promise<Readonly<Record<string, string>> | 'stopped' | undefined> {
  const { mode, url, profile, principalId } = event.registration;
  const names = dialects[profile.dialect];
  if (mode === 'signed') {
    const use = { operationId: event.operationId, purpose: 'webhook' };
    const signed = await deps
      .signerFor(scope, principalId, use)
      .sign({ method: 'POST', url, headers, body }, { tag: names.webhookTag, coversDigest: true });
    if (signed.ok) return { ...signed.value };
    return signed.error.code === 'key_stopped' ? 'stopped' : undefined;
  }
  const { credentials } = secrets;
  if (credentials === undefined) return undefined;
  if (mode === 'bearer') return { Authorization: `Bearer ${credentials}` };
  const signed = signLegacyWebhook({
    body,
    secret: new Secret(Buffer.from(credentials, 'utf8')),
    names: { signature: names.legacySignatureHeader, timestamp: names.legacyTimestampHeader },
    timestamp: Math.floor(deps.clock.now() / 1000),
  });
  return signed.ok ? signed.value : undefined;
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ');
}
