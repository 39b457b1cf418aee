import { isSlug, sellerFormOf } from '@switchyard/protocol';
import {
  type Connection,
  type ConnectionDirectory,
  type Egress,
  type SellerTransport,
} from '@switchyard/sellers';
import { judgeLegacySecret } from '@switchyard/signing';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, Secret, type Clock, type Result } from '@switchyard/values';
import { destinationOf, type Vault } from '@switchyard/vault';
import type { LeaseSecrets } from '@switchyard/buys';
import type { AdminFailure, SellerDraft } from '../../platform/failure.js';
import type { PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import type { EndSignIn } from '../oauth/end-sign-in.js';
import type { DomainGate } from './domain-gate.js';
import { inspectSeller } from './inspect-seller.js';
import { trustFault } from './seller-trust.js';
import { webhookObjection } from './webhook-objection.js';

export interface OnboardingDeps {
  readonly connections: ConnectionDirectory;
  readonly vault: Pick<Vault, 'put' | 'rotate' | 'revoke' | 'list' | 'setEnd'>;
  readonly lease: LeaseSecrets;
  readonly transport: SellerTransport;
  readonly egress: Pick<Egress, 'checkUrl'>;
  readonly mayGoLive: DomainGate;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly randomBytes: (size: number) => Buffer;
  /** Ends a sign-in by OAuth that a pasted token replaces; absent in suites without them. */
  readonly endSignIn?: EndSignIn;
}

/**
 * Onboards a seller from an address to live: seals its token for that address first, makes a key secret for it, and
 * reads its capabilities. A seller that cannot be reached is stored as failed, with the reason, and may be added again.
 * One that moves to another origin needs a new token and starts again.
 */
export async function onboardSeller(
  deps: OnboardingDeps,
  caller: Pick<PrincipalCaller, 'kind' | 'organizationId' | 'permissions'>,
  draft: SellerDraft,
  isSandbox: boolean,
): Promise<Result<Connection, AdminFailure>> {
  const scope: TenantScope = { organizationId: caller.organizationId };
  const prepared = await prepareSeller(deps, caller, draft, { isSandbox, state: 'onboarding' });
  if (!prepared.ok) return prepared;
  const { id } = prepared.value;
  await probe(deps, scope, id);
  const connection = await deps.connections.byId(scope, id);
  return connection === undefined ? err(removedMeanwhile) : ok(connection);
}

const removedMeanwhile: AdminFailure = { code: 'NOT_FOUND', message: 'The seller was removed meanwhile.' };

/** Everything of onboarding before the seller is called: checks who may add what, stores it, and seals its secrets. */
export async function prepareSeller(
  deps: OnboardingDeps,
  caller: Pick<PrincipalCaller, 'kind' | 'organizationId' | 'permissions'>,
  draft: SellerDraft,
  { isSandbox, state }: { readonly isSandbox: boolean; readonly state: 'draft' | 'onboarding' },
): Promise<Result<Connection, AdminFailure>> {
  const scope: TenantScope = { organizationId: caller.organizationId };
  const refused = await refuse(deps, draft);
  if (refused !== undefined) return err(refused);
  const known = await deps.connections.bySlug(scope, draft.slug);
  const forbidden =
    (known?.state === 'draft' ? undefined : trustFault(caller, known, draft)) ??
    takenForEver(draft, known) ??
    movedWithoutToken(draft, known);
  if (forbidden !== undefined) return err(forbidden);
  // A live seller stays live: it was proved when it went live.
  const isLive = known?.state === 'live' && known.agentUrl === draft.agentUrl;
  const unproved = isLive ? undefined : await deps.mayGoLive(scope, draft.agentUrl);
  if (unproved !== undefined) return err(unproved);
  const id = known?.id ?? (await insert(deps, scope, draft, { isSandbox, state }));
  if (id === undefined)
    return err({
      code: 'CONFLICT',
      message: 'This slug is being added by somebody else.',
      field: 'slug',
      recovery: 'transient',
    });
  const sealed = await seal(deps, scope, { connectionId: id, draft, known });
  if (!sealed.ok) return sealed;
  const at = deps.clock.now();
  // Until the agent at the new address is known, only onboarding calls it.
  if (known !== undefined && (isMoved(draft, known) || known.agentUrl !== draft.agentUrl))
    await deps.connections.updateState(scope, known, { state }, at);
  await deps.connections.update(
    scope,
    id,
    { ...patchOf(draft, sealed.value), ...freshStart(draft, known) },
    at,
  );
  if (!(await endReplaced(deps, scope, known, sealed.value))) return err(stillLive);
  await deps.transport.forget(id);
  const connection = await deps.connections.byId(scope, id);
  return connection === undefined ? err(removedMeanwhile) : ok(connection);
}

async function refuse(deps: OnboardingDeps, draft: SellerDraft): Promise<AdminFailure | undefined> {
  if (!isSlug(draft.slug)) {
    return {
      code: 'INVALID_REQUEST',
      message: 'A slug is 1 to 63 characters of a to z, 0 to 9 and hyphen, and does not begin with a hyphen.',
      field: 'slug',
    };
  }
  // `/v1/sellers/drafts` is the list of drafts.
  if (draft.slug === 'drafts')
    return { code: 'INVALID_REQUEST', message: 'The slug drafts names the list of drafts.', field: 'slug' };
  const addresses = [
    ['agent_url', draft.agentUrl],
    ['jwks_uri', draft.jwksUri],
    ['brand_json_url', draft.brandJsonUrl],
  ] as const;
  for (const [field, url] of addresses) {
    const judged = url === undefined ? undefined : await deps.egress.checkUrl(url);
    if (judged?.ok === false) return { code: 'INVALID_REQUEST', message: judged.error.message, field };
  }
  return undefined;
}

/** A secret is valid for the address that issued it: it is not moved, and a new one is required. */
function movedWithoutToken(draft: SellerDraft, known: Connection | undefined): AdminFailure | undefined {
  if (known?.credentialId === undefined || draft.token !== undefined || !isMoved(draft, known))
    return undefined;
  return {
    code: 'CREDENTIAL_REQUIRED',
    message:
      `The seller ${draft.slug} is known at ${destinationOf(known.agentUrl)}, and its token is for that address ` +
      'alone: send a token for the new one.',
    field: 'token',
  };
}

/**
 * The slug of a removed seller belongs to that agent for ever: ids that buyers hold, reports and entries begin with it.
 * Under another agent they would name what was never bought there.
 */
function takenForEver(draft: SellerDraft, known: Connection | undefined): AdminFailure | undefined {
  if (known?.state !== 'removed' || known.agentUrl === draft.agentUrl) return undefined;
  return {
    code: 'CONFLICT',
    message: `The slug ${draft.slug} belongs to a seller that was removed: history names it.`,
    field: 'slug',
    suggestion: 'Choose another slug, or add the removed seller again at its own address.',
  };
}

function isMoved(draft: SellerDraft, known: Connection): boolean {
  return destinationOf(known.agentUrl) !== destinationOf(draft.agentUrl);
}

async function insert(
  deps: OnboardingDeps,
  scope: TenantScope,
  draft: SellerDraft,
  { isSandbox, state }: { readonly isSandbox: boolean; readonly state: 'draft' | 'onboarding' },
): Promise<string | undefined> {
  const id = deps.newId();
  const configuredForm = draft.form ?? 'auto';
  const connection: Connection = {
    id,
    organizationId: scope.organizationId,
    slug: draft.slug,
    name: draft.slug,
    agentUrl: draft.agentUrl,
    protocol: draft.protocol,
    dialect: draft.dialect,
    configuredForm,
    // Until its capabilities are read.
    form: sellerFormOf({}, configuredForm, draft.dialect),
    kinds: [],
    state,
    legacyWebhooks: false,
    isSandbox,
  };
  return (await deps.connections.insert(scope, connection, deps.clock.now())) ? id : undefined;
}

interface SealedIds {
  readonly credentialId?: string;
  readonly keyCredentialId: string;
  readonly webhookCredentialId: string | undefined;
}

/** A seller's draft, and what is stored of it already. */
interface SellerToSeal {
  readonly connectionId: string;
  readonly draft: SellerDraft;
  readonly known: Connection | undefined;
}

/** Seals the token, as a first version or as the next one, and makes the key secret once. */
async function seal(
  deps: OnboardingDeps,
  scope: TenantScope,
  { connectionId, draft, known }: SellerToSeal,
): Promise<Result<SealedIds, AdminFailure>> {
  const unavailable = err<AdminFailure>({
    code: 'UNAVAILABLE',
    message: 'The vault cannot seal anything now.',
  });
  const of = { connectionId, seller: draft.slug };
  const destination = destinationOf(draft.agentUrl);
  const isAnotherPlace = known !== undefined && isMoved(draft, known);
  let keyCredentialId = known?.keyCredentialId;
  if (keyCredentialId === undefined) {
    const secret = new Secret(deps.randomBytes(32));
    const put = await deps.vault.put(scope, { kind: 'idempotency', secret, ...of });
    secret.wipe();
    if (!put.ok) return unavailable;
    keyCredentialId = put.value.credentialId;
  }
  const webhook = await webhookSecret(deps, scope, { connectionId, draft, known });
  if (!webhook.ok) return unavailable;
  const made = { keyCredentialId, webhookCredentialId: webhook.value };
  if (draft.token === undefined) {
    return ok({
      ...made,
      ...(known?.credentialId === undefined ? {} : { credentialId: known.credentialId }),
    });
  }
  const { token, tokenEndsAt } = draft;
  const put = (kind: 'bearer' | 'basic' | 'client_cert') =>
    deps.vault.put(scope, { kind, secret: token, destination, ...of });
  // A credential keeps its kind and its destination for life: another kind or destination makes a new one.
  const listed = known?.credentialId === undefined ? undefined : await deps.vault.list(scope);
  const was =
    listed?.ok === true && listed.value.find(({ credentialId }) => credentialId === known?.credentialId);
  // A token that its authorization server renews has no pasted version.
  const isRenewed = was && was.kind === 'oauth_access';
  if (isRenewed && known !== undefined) await deps.endSignIn?.(scope, known);
  const isNew =
    known?.credentialId === undefined || draft.tokenScheme !== undefined || isAnotherPlace || isRenewed;
  let sealed = isNew
    ? await put(draft.tokenScheme === 'certificate' ? 'client_cert' : (draft.tokenScheme ?? 'bearer'))
    : await deps.vault.rotate(scope, known.credentialId, token, { destinationIfUnbound: destination });
  // A revoked credential has no next version: a new one of its kind replaces it.
  if (!isNew && !sealed.ok && sealed.error.code === 'not_found')
    sealed = await put(was && was.kind === 'basic' ? 'basic' : 'bearer');
  if (!sealed.ok) return unavailable;
  const { credentialId } = sealed.value;
  if (tokenEndsAt !== undefined) await deps.vault.setEnd(scope, credentialId, tokenEndsAt);
  return ok({ ...made, credentialId });
}

/**
 * Ends a credential that one of another kind replaced, once nothing names it any more. Calls in progress keep their
 * leases until they end. False if the vault could not end it.
 */
async function endReplaced(
  deps: OnboardingDeps,
  scope: TenantScope,
  known: Connection | undefined,
  { credentialId }: SealedIds,
): Promise<boolean> {
  if (known?.credentialId === undefined || known.credentialId === credentialId) return true;
  return (await deps.vault.revoke(scope, known.credentialId)).ok;
}

const stillLive: AdminFailure = {
  code: 'UNAVAILABLE',
  message:
    'The new token is in use, and the one before could not be revoked: the vault cannot be written to now.',
};

/**
 * The secret of a seller that cannot sign its webhooks. It is made here, so that it is long and random enough, and kept
 * while the mark and the seller's address stay. If the mark is removed and set again, a new secret is made.
 */
async function webhookSecret(
  deps: OnboardingDeps,
  scope: TenantScope,
  { connectionId, draft, known }: SellerToSeal,
): Promise<Result<string | undefined, unknown>> {
  const { slug: seller, legacyWebhooks } = draft;
  if (legacyWebhooks === undefined) return ok(undefined);
  if (known?.webhookCredentialId !== undefined && !isMoved(draft, known))
    return ok(known.webhookCredentialId);
  let text: string;
  do text = deps.randomBytes(32).toString('base64url');
  while (!judgeLegacySecret(text, legacyWebhooks).ok);
  const secret = new Secret(Buffer.from(text, 'utf8'));
  const put = await deps.vault.put(scope, {
    kind: 'webhook',
    secret,
    connectionId,
    seller,
    destination: destinationOf(draft.agentUrl),
  });
  secret.wipe();
  return put.ok ? ok(put.value.credentialId) : put;
}

/** Keys that were found for another address, or by another brand.json, are not valid for this one. */
function freshStart(
  draft: SellerDraft,
  known: Connection | undefined,
): { readonly foundJwksUri?: undefined } {
  const isSame = known?.agentUrl === draft.agentUrl && known.pinnedBrandJsonUrl === draft.brandJsonUrl;
  return isSame ? {} : { foundJwksUri: undefined };
}

function patchOf(draft: SellerDraft, sealed: SealedIds): Parameters<ConnectionDirectory['update']>[2] {
  return {
    agentUrl: draft.agentUrl,
    protocol: draft.protocol,
    dialect: draft.dialect,
    configuredForm: draft.form ?? 'auto',
    account: draft.account,
    pinnedJwksUri: draft.jwksUri,
    pinnedBrandJsonUrl: draft.brandJsonUrl,
    legacyWebhooks: draft.legacyWebhooks ?? false,
    reportRegistration: undefined,
    wantsAccount: false,
    wantsRelaySignature: draft.wantsRelaySignature ?? false,
    ...sealed,
  };
}

/** Reads the seller's capabilities, and stores them, or the reason why it is not live. */
export async function probe(
  deps: Pick<OnboardingDeps, 'connections' | 'lease' | 'transport' | 'clock'>,
  scope: TenantScope,
  connectionId: string,
): Promise<void> {
  const connection = await deps.connections.byId(scope, connectionId);
  if (connection === undefined) return;
  const found = await inspectSeller(deps, scope, connection);
  const at = deps.clock.now();
  if (!found.ok) {
    const { message: reason } = found.error;
    await deps.connections.updateState(scope, connection, { state: 'failed', reason }, at);
    return;
  }
  await deps.connections.saveCapabilities(scope, connection, found.value, at);
  const reason = webhookObjection(found.value.capabilities, connection.legacyWebhooks);
  const state = reason === undefined ? 'live' : 'failed';
  await deps.connections.updateState(scope, connection, { state, reason }, at);
}
