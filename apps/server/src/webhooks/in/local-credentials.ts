import { credentialForms, type Connection } from '@switchyard/sellers';
import type { LeaseSecrets, LegSecrets } from '@switchyard/buys';
import type { Clock, Instant } from '@switchyard/values';

/** Our own credential at a seller, in each spelling that the seller may echo; empty if there is none. */
export type LocalCredentials = (connection: Connection) => Promise<readonly string[]>;

/** As long as the vault's cache keeps an opened secret, in milliseconds. */
const retainedMs = 60_000;
/** The most connections whose credential is kept. */
const mostEntries = 500;

type Credential = LegSecrets['credential'];

interface Stored {
  readonly credentialId: string;
  readonly credential: Promise<Credential>;
  readonly until: Instant;
  usedAt: Instant;
}

/**
 * Opens our credentials at sellers, so that no seller can pass one to a buyer in a webhook: one lease, and so one audit
 * row, for all webhooks of a connection within a minute. A replaced credential is followed a minute later at most.
 * While the vault opens nothing, the last opened credential is used: a webhook does not wait for it. The credential is
 * wiped a minute after the last webhook.
 */
export function localCredentials(lease: LeaseSecrets, clock: Clock, newId: () => string): LocalCredentials {
  const stored = new Map<string, Stored>();
  return async (connection) => {
    const { id, credentialId } = connection;
    if (credentialId === undefined) return [];
    const now = clock.now();
    const known = stored.get(id);
    if (known !== undefined) known.usedAt = now;
    if (known?.credentialId === credentialId && now < known.until)
      return credentialForms(await known.credential);
    if (stored.size >= mostEntries) stored.clear();
    const before = known?.credentialId === credentialId ? known.credential : undefined;
    const credential = open(lease, connection, newId()).then((opened) => opened ?? before);
    const fresh: Stored = { credentialId, credential, until: now + retainedMs, usedAt: now };
    stored.set(id, fresh);
    clock.after(retainedMs, () => void endUnused(stored, id, fresh, clock));
    const opened = await credential;
    if (opened === undefined) stored.delete(id);
    return credentialForms(opened);
  };
}

async function open(lease: LeaseSecrets, connection: Connection, operationId: string): Promise<Credential> {
  const scope = { organizationId: connection.organizationId };
  const leased = await lease(scope, [connection], { operationId, purpose: 'webhook_in' });
  return leased.ok ? leased.value.get(connection.id)?.credential : undefined;
}

/** Wipes credentials that no webhook has needed for a minute, and replaced ones. */
async function endUnused(
  stored: Map<string, Stored>,
  id: string,
  entry: Stored,
  clock: Clock,
): Promise<void> {
  const rest = entry.usedAt + retainedMs - clock.now();
  const current = stored.get(id);
  if (current === entry && rest > 0) {
    clock.after(rest, () => void endUnused(stored, id, entry, clock));
    return;
  }
  if (current === entry) stored.delete(id);
  const credential = await entry.credential;
  if (current === entry || (await current?.credential) !== credential) credential?.secret.wipe();
}
