import { createHash, createHmac } from 'node:crypto';
import { callbackNotBound, type RegistrationDraft } from '@switchyard/buys';
import type { Finding } from '@switchyard/protocol';
import type { SealedCall } from '@switchyard/relay';
import type { Connection } from '@switchyard/sellers';
import { isJsonObject, type JsonObject, type Secret } from '@switchyard/values';

/**
 * The address that a seller may call for all sealed requests of one principal. It is derived from the connection's own
 * secret, so that the brand can get it before anything is stored.
 */
export function standingAddress(keySecret: Secret, principalId: string): string {
  const derived = keySecret.use((bytes) =>
    createHmac('sha256', bytes).update(`relay-callback|${principalId}`, 'utf8').digest('base64url'),
  );
  return `whs_${derived}`;
}

/** Each operation under a standing address has its own registration, found by the id that the sender echoes. */
export function bindingOf(standing: string, operationId: string): string {
  return `${standing}.${createHash('sha256').update(operationId, 'utf8').digest('base64url')}`;
}

/**
 * A reporting webhook has no operation id: its registration is found by the leg of its buy
 * (docs/protocol/webhooks-in.md#correlation).
 */
function reportBindingOf(standing: string, legId: string): string {
  return `${standing}.r.${legId}`;
}

/** A2A's own channel names only a task, unknown before the answer: its registration is found by the leg of the task. */
function nativeBindingOf(standing: string, legId: string): string {
  return `${standing}.a.${legId}`;
}

interface Bound {
  readonly registrations: (legId: string) => readonly RegistrationDraft[];
  readonly findings: readonly Finding[];
}

/**
 * The callbacks of a sealed request that are addressed to us. Only the signed profile: in an older mode the secret
 * would be the brand's, and we could verify nothing with it.
 */
export function boundCallbacks(call: SealedCall, connection: Connection, standingUrl: string): Bound {
  const standing = standingUrl.slice(standingUrl.lastIndexOf('/') + 1);
  const push = objectAt(call.args, 'push_notification_config');
  const ours = push?.['url'] === standingUrl ? push : undefined;
  const operationId = ours?.['operation_id'];
  const native = call.push?.['url'] === standingUrl ? nativeOf(call.push, connection) : undefined;
  const reporting = objectAt(call.args, 'reporting_webhook') ?? {};
  const isReport = reporting['url'] === standingUrl;
  const findings = [
    ...(ours !== undefined && (typeof operationId !== 'string' || ours['authentication'] !== undefined)
      ? [unbound('push_notification_config needs an operation_id and no authentication of its own')]
      : []),
    ...(native?.kind === 'unbound' ? [unbound(native.why)] : []),
    ...(isReport && reporting['authentication'] !== undefined
      ? [
          unbound(
            'reporting_webhook has an authentication of its own, and only what the seller signs is taken',
          ),
        ]
      : []),
  ];
  const common = { connectionId: connection.id, mode: 'signed' as const };
  const isTask =
    typeof operationId === 'string' && operationId !== '' && ours?.['authentication'] === undefined;
  return {
    findings,
    registrations: (legId) => [
      ...(isTask
        ? [
            {
              ...common,
              legId,
              id: bindingOf(standing, operationId),
              kind: 'task' as const,
              sellerOperationId: operationId,
            },
          ]
        : []),
      ...(native?.kind === 'bound'
        ? [
            {
              connectionId: connection.id,
              legId,
              id: nativeBindingOf(standing, legId),
              kind: 'a2a' as const,
              sellerOperationId: nativeBindingOf(standing, legId),
              ...native.proof,
            },
          ]
        : []),
      ...(isReport
        ? [
            {
              ...common,
              legId,
              id: reportBindingOf(standing, legId),
              kind: 'report' as const,
              sellerOperationId: isTask ? operationId : legId,
            },
          ]
        : []),
    ],
  };
}

type Native =
  | { readonly kind: 'bound'; readonly proof: Pick<RegistrationDraft, 'mode' | 'tokenHash'> }
  | { readonly kind: 'unbound'; readonly why: string };

/**
 * How a post of A2A's own channel is verified: by the seller's signature if the seller declares that it signs, else by
 * the token that the brand chose. Only its digest is stored, and such a post only makes us poll.
 */
function nativeOf(push: JsonObject, { capabilities }: Connection): Native {
  const { token, authentication } = push;
  if (authentication !== undefined && authentication !== null)
    return { kind: 'unbound', why: 'a native push configuration has an authentication of its own' };
  const hasToken = typeof token === 'string' && token !== '';
  const tokenHash = hasToken ? { tokenHash: createHash('sha256').update(token, 'utf8').digest('hex') } : {};
  if (capabilities?.webhookSigning === true)
    return { kind: 'bound', proof: { mode: 'signed', ...tokenHash } };
  if (hasToken) return { kind: 'bound', proof: { mode: 'token', ...tokenHash } };
  return {
    kind: 'unbound',
    why: 'this seller does not sign, so the native push configuration needs a token',
  };
}

function unbound(why: string): Finding {
  return {
    code: callbackNotBound,
    message: `The seller will call our address and nothing will follow from it: ${why}.`,
  };
}

function objectAt(object: JsonObject, name: string): JsonObject | undefined {
  const value = object[name];
  return isJsonObject(value) ? value : undefined;
}
