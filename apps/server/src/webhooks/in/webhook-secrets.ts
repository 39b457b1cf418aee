import { registrationSecret, type WebhookRegistration } from '@switchyard/events';
import type { Connection } from '@switchyard/sellers';
import type { Clock, Instant, Secret } from '@switchyard/values';
import type { CredentialStore, Lease, Vault } from '@switchyard/vault';

/** The shared secret that a registration names; undefined if the vault does not open it now. */
export type WebhookSecrets = (
  registration: WebhookRegistration,
  connection: Connection,
) => Promise<Secret | undefined>;

/** How long an opened secret is reused, and when it is wiped, in milliseconds: a webhook that uses it has ended then. */
const retainedMs = 45_000;
const wipedMs = 60_000;
/** The most connections whose secret is kept. */
const mostEntries = 500;

interface Stored {
  readonly lease: Promise<Lease | undefined>;
  readonly until: Instant;
}

/**
 * Opens the secrets of older webhook modes, with one lease for all webhooks within 45 seconds. The vault writes an
 * audit row for each lease, also of cached secrets, so a lease per webhook would let every POST write one; now the row
 * says that this process received webhooks of the connection in that time. Each webhook checks, in every process, that
 * the secret is not revoked: a revoked one proves nothing from that moment on. The next webhook retries a failed lease.
 */
export function webhookSecrets(
  vault: Pick<Vault, 'lease'>,
  credentials: Pick<CredentialStore, 'current'>,
  clock: Clock,
): WebhookSecrets {
  const stored = new Map<string, Stored>();
  return async (registration, connection) => {
    const { credentialId, organizationId } = registration;
    if (credentialId === undefined) return undefined;
    const [standing] = await credentials.current({ organizationId }, [credentialId]);
    const name = `${organizationId} ${credentialId}`;
    if (standing === undefined) {
      stored.delete(name);
      return undefined;
    }
    const secretOf = (lease: Lease | undefined): Secret | undefined => {
      if (lease === undefined || !isDerived(registration, connection)) return lease?.secret;
      return registrationSecret(lease.secret, registration.id);
    };
    const now = clock.now();
    const known = stored.get(name);
    const lent = known !== undefined && now < known.until ? await known.lease : undefined;
    if (lent?.version === standing.version) return secretOf(lent);
    if (stored.size >= mostEntries) stored.clear();
    const lease = open(vault, registration, connection, credentialId);
    const fresh: Stored = { lease, until: now + retainedMs };
    stored.set(name, fresh);
    clock.after(wipedMs, () => {
      if (stored.get(name) === fresh) stored.delete(name);
      void lease.then((held) => held?.secret.wipe());
    });
    const opened = await lease;
    if (opened === undefined) stored.delete(name);
    return secretOf(opened);
  };
}

/** Whether its secret is derived from the connection's key secret, instead of made for the connection's webhooks. */
function isDerived({ credentialId }: WebhookRegistration, { keyCredentialId }: Connection): boolean {
  return credentialId === keyCredentialId;
}

async function open(
  vault: Pick<Vault, 'lease'>,
  registration: WebhookRegistration,
  connection: Connection,
  credentialId: string,
): Promise<Lease | undefined> {
  const { organizationId } = registration;
  const { id: connectionId, slug: seller } = connection;
  const kind = isDerived(registration, connection) ? 'idempotency' : 'webhook';
  const leased = await vault.lease(
    { organizationId },
    // It is only compared with the received value, never sent.
    [{ credentialId, kind, connectionId, seller, isSent: false }],
    { purpose: 'webhook_in', actor: 'intake' },
  );
  const outcome = leased.ok ? leased.value.get(credentialId) : undefined;
  return outcome?.ok === true ? outcome.value : undefined;
}
