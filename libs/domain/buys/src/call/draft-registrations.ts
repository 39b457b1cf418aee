import { findTask, type PushConfig } from '@switchyard/protocol';
import { reportModeOf, traitsOf, type Connection, type SellerCall } from '@switchyard/sellers';
import { type Secret, defined, type JsonObject } from '@switchyard/values';
import { nativeChannel, webhookSecretPlace, withWebhookSecrets } from '../model/webhook-secret.js';
import type { RegistrationDraft } from '../model/registration-draft.js';
import type { IdSource } from '../model/ports.js';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';
import { withoutWebhook } from './reencode.js';
import type { LegRun } from './leg-run.js';

interface LegAddresses {
  readonly task: RegistrationDraft;
  /** Absent where the seller takes no registration of reports. */
  readonly report?: RegistrationDraft;
  readonly all: readonly RegistrationDraft[];
}

/**
 * Creates the callback addresses of one leg. The mode of each is stored before the seller gets it.
 *
 * The address of the task is signed, unless an admin marked the connection for HMAC-SHA256. Reports use the
 * mode that the seller accepts (`reportModeOf`). A Bearer credential authenticates no body, so it is not used
 * for mutations. An A2A seller that is not marked also gets a native address: signed where it declares
 * signing, else by token, which only triggers a poll.
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
  const task: RegistrationDraft = {
    id: ids.token('whr'),
    legId,
    connectionId: connection.id,
    kind: 'task',
    sellerOperationId,
    ...taskModeOf(connection),
  };
  const report = draftReport(ids, connection, leg);
  const all = [task, ...(report === undefined ? [] : [report]), ...nativeAddress(connection, leg)];
  return { task, all, ...(report === undefined ? {} : { report }) };
}

/** Creates the address of a leg's reports, in the mode that its seller takes; undefined where it takes none. */
export function draftReport(
  ids: Pick<IdSource, 'token'>,
  connection: Connection,
  { legId, sellerOperationId }: Pick<RegistrationDraft, 'legId' | 'sellerOperationId'>,
): RegistrationDraft | undefined {
  const mode = reportModeOf(connection);
  if (mode === 'none') return undefined;
  const { keyCredentialId, webhookCredentialId, legacyWebhooks } = connection;
  const isMarked = legacyWebhooks !== false && webhookCredentialId !== undefined;
  const credentialId = isMarked ? webhookCredentialId : keyCredentialId;
  return {
    id: ids.token('whr'),
    legId,
    connectionId: connection.id,
    kind: 'report',
    sellerOperationId,
    mode,
    ...(mode === 'signed' || credentialId === undefined ? {} : { credentialId }),
  };
}

/**
 * Whether the seller gets a native address. Evaluated at every send, because the mark may have been set
 * since. A task that is always answered at once sends no webhook, and a seller may refuse a registration for
 * it (docs/protocol/webhooks-in.md#registration).
 */
function hasNativeChannel({ protocol, legacyWebhooks }: Connection, task: string): boolean {
  return traitsOf(protocol).hasNativeTasks && legacyWebhooks === false && findTask(task)?.mayBeAsync === true;
}

/** The block that requests an older mode, with a placeholder for the secret. */
export function authenticationOf(
  { id, mode, credentialId }: RegistrationDraft,
  { webhookCredentialId }: Pick<Connection, 'webhookCredentialId'>,
): Pick<PushConfig, 'authentication'> {
  if (credentialId === undefined) return {};
  const scheme = mode === 'bearer' ? 'Bearer' : 'HMAC-SHA256';
  const place =
    credentialId === webhookCredentialId ? { credentialId } : { credentialId, registrationId: id };
  return { authentication: { schemes: [scheme], credentials: webhookSecretPlace(place) } };
}

function taskModeOf({
  legacyWebhooks,
  webhookCredentialId,
}: Connection): Pick<RegistrationDraft, 'mode' | 'credentialId'> {
  if (legacyWebhooks !== 'hmac-sha256' || webhookCredentialId === undefined) return { mode: 'signed' };
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
