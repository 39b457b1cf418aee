import type { SealedCall } from '@switchyard/relay';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { SealedCallIn } from '../tasks/ports/relay.js';
import { forAddress } from '../composition/sellers/lease-secrets.js';
import type { KnownPath } from './known-paths.js';
import type { RelayDeps } from './relay-deps.js';
import { standingAddress } from './standing-callback.js';

/**
 * The standing address of a known path, if the request asks its seller to call one of our addresses. It is made with a
 * secret of the connection, which is leased once; the address is remembered with the path. `unavailable` if the vault
 * does not give the secret.
 */
export async function callbackOf(
  deps: Pick<RelayDeps, 'callbackBase' | 'lease'>,
  { caller }: Pick<SealedCallIn, 'caller'>,
  path: KnownPath,
  sealed: SealedCall,
  recordId: string,
): Promise<{ readonly address?: string } | 'unavailable'> {
  const { connection, scope } = path;
  if (connection.keyCredentialId === undefined || !namesOurs(sealed, `${deps.callbackBase()}/webhooks/`)) {
    return {};
  }
  if (path.callback !== undefined) return { address: path.callback };
  const leased = await deps.lease(scope, [connection], { operationId: recordId, purpose: forAddress });
  const secret = leased.ok ? leased.value.get(connection.id)?.keySecret : undefined;
  if (secret === undefined) return 'unavailable';
  path.callback = standingAddress(secret, caller.principalId);
  return { address: path.callback };
}

function namesOurs({ args, push }: SealedCall, ours: string): boolean {
  // A change of a media buy may have the buy's addresses in its updates.
  const { updates } = args;
  const blocks = [args, ...(isJsonObject(updates) ? [updates] : [])];
  const callbacks = [
    ...blocks.flatMap((block) => [block['push_notification_config'], block['reporting_webhook']]),
    push,
  ];
  return callbacks
    .filter(isJsonObject)
    .some(({ url }: JsonObject) => typeof url === 'string' && url.startsWith(ours));
}
