import { randomBytes } from 'node:crypto';
import { ledgerExport, type LedgerStore } from '@switchyard/ledger';
import { checkpointView, entryView } from './ledger-views.js';
import type { LedgerVerifier } from './verify-ledger.js';
import { reportModeOf, type Connection, type ConnectionDirectory } from '@switchyard/sellers';
import type { InboxWork } from '@switchyard/store';
import {
  authorize,
  firstBeyond,
  newToken,
  ownerFilter,
  tokenLifetimeMs,
  type PrincipalDirectory,
  type TenantScope,
} from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, type Clock, type Instant, type Result } from '@switchyard/values';
import { destinationOf, type CredentialMetadata, type Vault } from '@switchyard/vault';
import { settleParkedLeg, type OperationStore } from '@switchyard/buys';
import type {
  AdminFailure,
  AdminService,
  CredentialView,
  SellerDraft,
  SellerView,
} from '../application/admin.js';
import type { PrincipalCaller } from '../application/task-call.js';
import { detailOf, summaryOf } from './buy-views.js';
import { lookAtSeller } from './look-at-seller.js';
import { onboardSeller, type OnboardingParts } from './onboard-seller.js';

export interface AdminParts extends Omit<OnboardingParts, 'vault'> {
  readonly connections: ConnectionDirectory;
  readonly vault: Vault;
  readonly ledger: Pick<LedgerStore, 'spendBySeller' | 'deliveredBy' | 'entriesOf' | 'stream'>;
  readonly verifier: LedgerVerifier;
  readonly operations: OperationStore;
  readonly inbox: Pick<InboxWork, 'count'>;
  readonly principals: PrincipalDirectory;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly currentKeyId: () => string;
  readonly version: string;
  readonly startedAt: Instant;
  /** The organization and principal that the holder of the data folder acts as. */
  readonly local: { readonly scope: TenantScope; readonly principalName: string };
  /** Addresses of the sandbox that this instance started: sellers there are marked as practice. */
  readonly isSandboxUrl: (agentUrl: string) => boolean;
  /** Resolves once the sellers of this start are live. */
  readonly sellersReady: () => Promise<void>;
}

/** A leg that is not there, or that waits for nobody, in the words of the administration. */
const settleFailures: Readonly<Record<string, AdminFailure['code']>> = {
  REFERENCE_NOT_FOUND: 'NOT_FOUND',
  INVALID_STATE: 'CONFLICT',
  CONFLICT: 'CONFLICT',
};

/** How many changes of a buy are shown. */
const changesShown = 200;
/** How many buys a list shows. */
const buysShown = 200;

/**
 * What an operator does. Every method acts inside the caller's own organization, and there on what is visible to the
 * caller. What needs a permission on sellers, the ledger or principals is an operator's, and not filtered by owner.
 */
export function createAdminService(parts: AdminParts): AdminService {
  const scopeOf = (caller: { readonly organizationId: string }): TenantScope => ({
    organizationId: caller.organizationId,
  });
  return {
    listSellers: async (caller) => {
      const [all, health] = await Promise.all([
        parts.connections.list(scopeOf(caller)),
        parts.connections.health(scopeOf(caller)),
      ]);
      const breakers = new Map(health.map((row) => [row.connectionId, row.breaker]));
      return all.map((connection) => sellerView(connection, breakers.get(connection.id)));
    },
    addSeller: async (caller, draft) => {
      const known = await parts.connections.bySlug(scopeOf(caller), draft.slug);
      const onboarded = known?.state === 'live' ? webhookModeChange(caller, known, draft) : ok(draft);
      if (!onboarded.ok) return onboarded;
      const added = await onboardSeller(parts, caller, onboarded.value, parts.isSandboxUrl(draft.agentUrl));
      return added.ok ? ok(sellerView(added.value)) : added;
    },
    importSellers: async (caller, drafts) => {
      const slugs = drafts.map((draft) => draft.slug);
      const twice = slugs.find((slug, index) => slugs.indexOf(slug) !== index);
      if (twice !== undefined)
        return err({ code: 'INVALID_REQUEST', message: `The slug ${twice} stands there twice.` });
      const rows = await Promise.all(
        drafts.map(async (draft) => {
          const added = await onboardSeller(parts, caller, draft, parts.isSandboxUrl(draft.agentUrl));
          if (!added.ok) {
            const { code, message } = added.error;
            return { slug: draft.slug, state: 'failed' as const, code, reason: message };
          }
          const { state, stateReason } = added.value;
          if (state === 'live') return { slug: draft.slug, state };
          return { slug: draft.slug, state: 'failed' as const, reason: stateReason ?? 'It did not go live.' };
        }),
      );
      return ok(rows);
    },
    listBuys: async (caller) =>
      (await parts.operations.mediaBuys(scopeOf(caller), { limit: buysShown, ...ownerFilter(caller) })).map(
        summaryOf,
      ),
    showBuy: async (caller, mediaBuyId) => {
      const wanted = { ids: [mediaBuyId], limit: 1, ...ownerFilter(caller) };
      const [record] = await parts.operations.mediaBuys(scopeOf(caller), wanted);
      const state =
        record === undefined
          ? undefined
          : await parts.operations.state(scopeOf(caller), record.buy.operationId);
      if (record === undefined || state === undefined) {
        return err({ code: 'NOT_FOUND', message: 'No media buy of yours has this id.', field: 'id' });
      }
      const scope = scopeOf(caller);
      const [legs, changes, delivered] = await Promise.all([
        parts.operations.legsAbout(scope, mediaBuyId),
        parts.operations.changesOf(scope, mediaBuyId, changesShown),
        parts.ledger.deliveredBy(scope, mediaBuyId),
      ]);
      return ok(detailOf(record, state.operation, { legs, changes }, delivered, parts.clock.now()));
    },
    settleLeg: async (caller, verdict) => {
      if (!isUuid(verdict.legId))
        return err({ code: 'NOT_FOUND', message: 'No leg has this id.', field: 'leg' });
      const ports = { store: parts.operations, clock: parts.clock };
      const decided = { ...verdict, by: caller.name };
      const settled = await settleParkedLeg(ports, scopeOf(caller), decided, ownerFilter(caller));
      if (settled.ok) return ok({ leg_id: verdict.legId, task_status: settled.value.operation.status });
      const { code, message, field } = settled.error;
      return err({
        code: settleFailures[code] ?? 'INVALID_REQUEST',
        message,
        ...(field === undefined ? {} : { field }),
      });
    },
    ledgerSpend: async (caller) =>
      (await parts.ledger.spendBySeller(scopeOf(caller))).map(({ seller, currency, spend }) => ({
        seller,
        currency,
        spend,
      })),
    ledgerVerify: async (caller, options) => {
      const verdict = await parts.verifier.verify(scopeOf(caller), options);
      const { since } = verdict;
      const [problem] = verdict.problems;
      return {
        ok: verdict.ok,
        entries: Number(verdict.entries),
        head: verdict.entries === 0n ? null : verdict.head.hash,
        ...(since === undefined ? {} : { since: checkpointView(since) }),
        ...(problem === undefined
          ? {}
          : { reason: problem.message, problems: verdict.problems, problem_total: verdict.problemTotal }),
      };
    },
    ledgerEntries: async (caller, mediaBuyId) =>
      (await parts.ledger.entriesOf(scopeOf(caller), mediaBuyId)).map(entryView),
    ledgerExport: async (caller) => ledgerExport(await parts.ledger.stream(scopeOf(caller))),
    listCredentials: async (caller) => {
      const listed = await parts.vault.list(scopeOf(caller));
      return listed.ok ? listed.value.filter(isShown).map(credentialView) : [];
    },
    rotateCredential: async (caller, credentialId, secret) => {
      const listed = await parts.vault.list(scopeOf(caller));
      const known = listed.ok ? listed.value.find((one) => one.credentialId === credentialId) : undefined;
      if (known?.kind !== 'bearer' && known?.kind !== 'basic') {
        return err({ code: 'NOT_FOUND', message: 'No credential of yours has this id.', field: 'id' });
      }
      const connection =
        known.connectionId === undefined
          ? undefined
          : await parts.connections.byId(scopeOf(caller), known.connectionId);
      // Of an older record that was never bound; else the destination stays what it is.
      const destination = connection === undefined ? undefined : destinationOf(connection.agentUrl);
      const rotated = await parts.vault.rotate(scopeOf(caller), credentialId, secret, destination);
      if (!rotated.ok)
        return err({ code: 'UNAVAILABLE', message: 'The vault could not seal the new secret.' });
      if (known.connectionId !== undefined) await parts.transport.forget(known.connectionId);
      const after = await parts.vault.list(scopeOf(caller));
      const view = after.ok
        ? after.value.find(
            (one) => one.credentialId === credentialId && one.version === rotated.value.version,
          )
        : undefined;
      if (view === undefined)
        return err({ code: 'UNAVAILABLE', message: 'The credential was rotated and cannot be shown.' });
      if (connection === undefined) return ok(credentialView(view));
      // A secret that the seller refuses is found out now, and not by the next buy.
      const found = await lookAtSeller(parts, scopeOf(caller), connection);
      const check = found.ok ? { ok: true } : { ok: false, reason: found.error.message };
      return ok({ ...credentialView(view), seller_check: check });
    },
    rewrapCredentials: async (caller) => {
      const report = await parts.vault.rewrapAll(scopeOf(caller));
      if (!report.ok) return err({ code: 'UNAVAILABLE', message: 'The key service does not answer.' });
      return ok({ rewrapped: report.value.rewrapped, kms_key_id: parts.currentKeyId() });
    },
    mintToken: async (by, ask) => {
      await parts.sellersReady();
      const scope = by === 'local' ? parts.local.scope : scopeOf(by);
      const name = ask.principal ?? (by === 'local' ? parts.local.principalName : by.name);
      const principal = await parts.principals.findByName(scope, name);
      if (principal === undefined)
        return err({
          code: 'NOT_FOUND',
          message: `There is no principal called ${name}.`,
          field: 'principal',
        });
      const beyond = by === 'local' ? undefined : firstBeyond(by.permissions, principal.permissions);
      if (beyond !== undefined)
        return err({
          code: 'INVALID_REQUEST',
          message: `This would give ${beyond}, which you do not hold.`,
          field: 'principal',
        });
      const now = parts.clock.now();
      const expiresAt = now + (ask.ttlSeconds === undefined ? tokenLifetimeMs : ask.ttlSeconds * 1000);
      const token = newToken(randomBytes(32));
      await parts.principals.mintToken(scope, {
        id: parts.newId(),
        principalId: principal.id,
        scheme: 'bearer',
        hash: token.hash,
        label: by === 'local' ? 'switchyard token' : `minted by ${by.name}`,
        createdAt: now,
        expiresAt,
      });
      return ok({ token: token.text, principal: principal.name, expires_at: isoOf(expiresAt) });
    },
    instance: async (caller) => {
      const all = await parts.connections.list(scopeOf(caller));
      return {
        version: parts.version,
        started_at: isoOf(parts.startedAt),
        sellers: all.length,
        sellers_live: all.filter((connection) => connection.state === 'live').length,
      };
    },
    eventCounts: async (caller) => {
      const { received, applied, stale, quarantined } = await parts.inbox.count(
        scopeOf(caller),
        ownerFilter(caller),
      );
      return { received: received + applied + stale + quarantined, applied, quarantined };
    },
  };
}

/**
 * A live seller is added again for one thing alone: to set the mode of its webhooks. How a seller proves what it sends is
 * a matter of trust, so that needs the permission to approve. Everything else stays as it is.
 */
function webhookModeChange(
  caller: PrincipalCaller,
  known: Connection,
  draft: SellerDraft,
): Result<SellerDraft, AdminFailure> {
  const { legacyWebhooks, account, jwksUri, brandJsonUrl, form, wantsRelaySignature } = draft;
  const isSame =
    known.agentUrl === draft.agentUrl && known.protocol === draft.protocol && known.dialect === draft.dialect;
  const others = [account, jwksUri, brandJsonUrl, form, wantsRelaySignature];
  if (legacyWebhooks === undefined || !isSame || others.some((one) => one !== undefined)) {
    return err({
      code: 'CONFLICT',
      message: `There is a live seller called ${draft.slug}.`,
      field: 'slug',
      suggestion:
        'To change the mode of its webhooks, send its address, protocol and dialect as they are, and the mode. Import it to change anything else.',
    });
  }
  const allowed = authorize(caller, { access: 'credentials', area: 'sellers', permission: 'approve' });
  if (!allowed.ok) return err({ code: 'INSUFFICIENT_PERMISSIONS', message: allowed.error.message });
  return ok({
    ...draft,
    form: known.configuredForm,
    ...(known.account === undefined ? {} : { account: known.account }),
    ...(known.pinnedJwksUri === undefined ? {} : { jwksUri: known.pinnedJwksUri }),
    ...(known.pinnedBrandJsonUrl === undefined ? {} : { brandJsonUrl: known.pinnedBrandJsonUrl }),
    wantsRelaySignature: known.wantsRelaySignature === true,
  });
}

function sellerView(connection: Connection, breaker?: SellerView['breaker']): SellerView {
  return {
    slug: connection.slug,
    name: connection.name,
    agent_url: connection.agentUrl,
    protocol: connection.protocol,
    dialect: connection.dialect,
    form: connection.form,
    kinds: connection.kinds,
    state: connection.state,
    is_sandbox: connection.isSandbox,
    ...(connection.stateReason === undefined ? {} : { reason: connection.stateReason }),
    ...(breaker === undefined ? {} : { breaker }),
    ...(connection.credentialId === undefined ? {} : { credential_id: connection.credentialId }),
    ...(connection.wantsRelaySignature === true ? { relay_signature: true as const } : {}),
    ...(connection.legacyWebhooks === false ? {} : { legacy_webhooks: connection.legacyWebhooks }),
    ...(connection.kinds.includes('sales') ? { report_webhooks: reportModeOf(connection) } : {}),
  };
}

/** Evidence is no credential of anybody's to look after. */
function isShown({ kind, retiredAt }: CredentialMetadata): boolean {
  return retiredAt === undefined && kind !== 'evidence';
}

function credentialView(known: CredentialMetadata): CredentialView {
  return {
    credential_id: known.credentialId,
    version: known.version,
    kind: known.kind,
    scheme: known.scheme,
    kms_key_id: known.kmsKeyId,
    created_at: isoOf(known.createdAt),
    ...(known.seller === undefined ? {} : { seller: known.seller }),
    ...(known.destination === undefined ? {} : { destination: known.destination }),
    ...(known.rewrappedAt === undefined ? {} : { rewrapped_at: isoOf(known.rewrappedAt) }),
    ...(known.lastUsedAt === undefined ? {} : { last_used_at: isoOf(known.lastUsedAt) }),
  };
}
