import { findTask, type PushConfig } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { Secret } from '@switchyard/values';
import { nativeChannel } from './native-channel.js';
import type { RegistrationDraft } from './operation-store.js';
import type { IdSource } from './ports.js';
import { webhookSecretPlace } from './webhook-secret.js';

export interface LegAddresses {
  readonly task: RegistrationDraft;
  readonly report: RegistrationDraft;
  readonly all: readonly RegistrationDraft[];
}

/**
 * The addresses of one leg, each with the mode it is given out in, which is written down before the seller hears of it.
 *
 * Signed, unless an admin marked the connection: then HMAC-SHA256 everywhere, or Bearer for reports alone, because a
 * Bearer credential vouches for no body and so for no mutation (ruling 27). An A2A seller that is not marked gets a
 * native address beside them: signed where it says that it signs, else by token, which only makes us ask.
 */
export function draftRegistrations(
  ids: Pick<IdSource, 'token'>,
  connection: Connection,
  leg: {
    readonly legId: string;
    readonly task: string;
    readonly sellerOperationId: string;
    readonly keySecret: Secret;
  },
): LegAddresses {
  const { legId, sellerOperationId } = leg;
  const address = (kind: 'task' | 'report'): RegistrationDraft => ({
    id: ids.token('whr'),
    legId,
    connectionId: connection.id,
    kind,
    sellerOperationId,
    ...modeOf(connection, kind),
  });
  const [task, report] = [address('task'), address('report')];
  return { task, report, all: [task, report, ...nativeAddress(connection, leg)] };
}

/**
 * Whether the leg's seller is told of a native address. Asked at every send: the mark may have been set meanwhile. A
 * task that is always answered at once owes no webhook, and a seller may refuse one that asks for it (ruling 20).
 */
export function hasNativeChannel({ protocol, legacyWebhooks }: Connection, task: string): boolean {
  return protocol === 'a2a' && legacyWebhooks === false && findTask(task)?.mayBeAsync === true;
}

/** The block that asks a seller for an older mode, with the place of the secret in place of the secret. */
export function authenticationOf({
  mode,
  credentialId,
}: RegistrationDraft): Pick<PushConfig, 'authentication'> {
  if (credentialId === undefined) return {};
  const scheme = mode === 'bearer' ? 'Bearer' : 'HMAC-SHA256';
  return { authentication: { schemes: [scheme], credentials: webhookSecretPlace(credentialId) } };
}

function modeOf(
  { legacyWebhooks, webhookCredentialId }: Connection,
  kind: 'task' | 'report',
): Pick<RegistrationDraft, 'mode' | 'credentialId'> {
  if (legacyWebhooks === false || webhookCredentialId === undefined) return { mode: 'signed' };
  if (legacyWebhooks === 'bearer' && kind === 'task') return { mode: 'signed' };
  return { mode: legacyWebhooks, credentialId: webhookCredentialId };
}

function nativeAddress(
  connection: Connection,
  { legId, task, keySecret }: { readonly legId: string; readonly task: string; readonly keySecret: Secret },
): readonly RegistrationDraft[] {
  if (!hasNativeChannel(connection, task)) return [];
  const { id, tokenHash } = nativeChannel(keySecret, legId);
  const mode = connection.capabilities?.webhookSigning === true ? 'signed' : 'token';
  return [{ id, legId, connectionId: connection.id, kind: 'a2a', mode, sellerOperationId: id, tokenHash }];
}
