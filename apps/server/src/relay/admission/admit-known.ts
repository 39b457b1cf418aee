import {
  judgeDelegation,
  readSealedPost,
  type KnownAdmission,
  type SealedRequest,
  type SealedCall,
} from '@switchyard/relay';
import type { Leg, LegSecrets } from '@switchyard/buys';
import { admitToken, authorize } from '@switchyard/tenancy';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { principalCaller } from '../../platform/caller/principal-caller.js';
import { rateKeyOf } from '../../platform/caller/rate-limits.js';
import type { KnownCallIn, SealedCallIn } from '../relay.js';
import {
  actOf,
  httpFault,
  isSellerStopped,
  rateKindOf,
  signedAddress,
  type Admitted,
  type Refused,
} from './admit-sealed.js';
import type { ClaimedNonce } from './brand-signatures.js';
import type { KnownPath } from './known-paths.js';
import type { RelayDeps } from '../relay-deps.js';
import { coversBrands } from './covers-brands.js';
import { sealedDraft } from './sealed-draft.js';
import { exactIn, sealedHold } from './sealed-hold.js';
import { draftOf, withForwarding, withRequest, type Draft } from '../custody/sealed-record.js';
import { sealedSubject } from './sealed-subject.js';
import { forAddress } from '../../keys/index.js';
import { standingAddress } from '../standing-callback.js';

/** `undefined`: nothing was written. A refusal is for a request whose row already exists. */
type AdmittedByMemory =
  | { readonly call: SealedCallIn; readonly admitted: Admitted }
  | { readonly call: SealedCallIn; readonly refused: Refused }
  | undefined;

/** A parsed sealed request, with the remembered path of its token and seller. */
interface KnownRequest {
  readonly call: SealedCallIn;
  readonly path: KnownPath;
  readonly request: SealedRequest;
  readonly bare: Draft;
}

type Judged = Omit<KnownAdmission, 'claim' | 'signerId' | 'use' | 'mark' | 'rows' | 'durable'>;

/**
 * Admits a request by the rows that were read for an earlier one, if the database confirms that they have not changed:
 * one round trip claims the nonce, audits the use of our credential and writes the record.
 *
 * It never refuses. If a check fails, or the remembered rows have changed, nothing is written and the caller takes the
 * slow path, which reads everything again and gives the reason.
 */
export async function admitKnown(
  deps: RelayDeps,
  known: KnownCallIn,
  path: KnownPath,
): Promise<AdmittedByMemory> {
  const principal = admitToken(path.match, deps.clock.now());
  if (!principal.ok) return undefined;
  const call: SealedCallIn = { ...known, caller: principalCaller(principal.value) };
  const { connection } = path;
  if (httpFault(call, connection) !== undefined || (await isSellerStopped(deps, call, connection)))
    return undefined;
  const signedUrl = await signedAddress(deps, call, connection);
  if (!signedUrl.ok) return undefined;

  let claim: ClaimedNonce | undefined;
  const verify = deps.verifierOf(call.caller.principalId, (claimed) => (claim = claimed));
  const target = { url: signedUrl.value, protocol: call.protocol, dialect: connection.dialect };
  const read = await readSealedPost(call, target, verify);
  if (!read.ok || claim === undefined || !mayCall(deps, call, read.value)) return undefined;
  const bare = withRequest(draftOf(deps, call), read.value, signedUrl.value);
  const admitted = await admitCharged(deps, { call, path, request: read.value, bare }, claim);
  if (admitted !== undefined) return admitted;
  // The slow path counts the same request again.
  deps.rates.giveBack(rateKeyOf(call.caller), rateKindOf(read.value));
  return undefined;
}

async function admitCharged(
  deps: RelayDeps,
  known: KnownRequest,
  { signerId, ...nonce }: ClaimedNonce,
): Promise<AdmittedByMemory> {
  const { call, path, request, bare } = known;
  const judged = await judgeKnown(deps, known);
  if (judged === undefined) return undefined;
  const { spec } = request.call;
  const leased = await deps.leaseKnown(path, { recordId: bare.id, purpose: spec.name }, (use) =>
    deps.log.admitKnown(path.scope, {
      ...judged,
      rows: rowsOf(path),
      mark: path.mark,
      signerId,
      claim: nonce,
      durable: spec.kind === 'mutation',
      ...(use === undefined ? {} : { use }),
    }),
  );
  if (leased === 'not_as_known') {
    if (call.tokenHash !== undefined) deps.paths.forget(call.tokenHash, call.seller);
    return undefined;
  }
  if (leased === 'unavailable') {
    const record = { ...bare, delegationId: judged.record.delegationId };
    return { call, refused: { code: 'RELAY_CREDENTIAL_UNAVAILABLE', record } };
  }
  return { call, admitted: admittedOf(path, request, judged, leased) };
}

function admittedOf(
  { connection }: KnownPath,
  request: SealedRequest,
  { record, draft }: Judged,
  secrets: LegSecrets,
): Admitted {
  const leg: Leg | undefined = draft?.legs[0];
  const own = draft === undefined ? record : { ...record, operationId: draft.operation.id };
  return { connection, request, secrets, record: own, ...(leg === undefined ? {} : { leg }) };
}

/** Checks the permissions of the token beside the signature, and its rate limit. */
function mayCall(
  { rates }: Pick<RelayDeps, 'rates'>,
  { caller }: SealedCallIn,
  request: SealedRequest,
): boolean {
  if (!authorize(caller, { ...request.call.spec, access: 'credentials' }).ok) return false;
  return rates.take(rateKeyOf(caller), rateKindOf(request)) === undefined;
}

/** The delegation for the request, checked by its dates and tasks; its ceiling is checked when its budget is held. */
async function judgeKnown(
  deps: RelayDeps,
  { call, path, request, bare }: KnownRequest,
): Promise<Judged | undefined> {
  const { scope, connection } = path;
  const { call: sealed, verdict } = request;
  const isChange = sealed.spec.kind === 'mutation';
  const subject = await sealedSubject(deps, {
    scope,
    principalId: call.caller.principalId,
    connection,
    call: sealed,
  });
  if (!subject.ok) return undefined;
  const exact = exactIn(sealed, verdict.json?.exact ?? new Map<string, string>());
  const offers = isChange
    ? await deps.quotes.of(scope, connection.slug, sealed.args)
    : new Map<string, never>();
  const hold = sealedHold(offers, { connection, call: sealed, exact, subject: subject.value });
  const standings = path.delegations.map((delegation) => ({ delegation, committed: 0n }));
  const delegation = judgeDelegation(standings, actOf(call, sealed.spec.name, bare, hold));
  if (!delegation.ok || (!hold.ok && delegation.value.budget !== undefined)) return undefined;

  const full = withForwarding(deps, bare, request, {
    credential: credentialOf(path),
    to: bare.arrived.signedUrl ?? '',
  });
  const record = { ...full, delegationId: delegation.value.id };
  const amount = hold.ok && delegation.value.budget !== undefined ? hold.value?.amount : undefined;
  const held = amount === undefined ? {} : { hold: amount };
  if (!isChange) return { record, ...held };
  const callback = await standingCallback(deps, { path, sealed, caller: call.caller, recordId: bare.id });
  if (callback === 'unavailable') return undefined;
  const draft = await sealedDraft(deps, call, {
    connection,
    sealed,
    exact,
    offers,
    subject: subject.value,
    domain: path.domain,
    callback: callback.address,
    hold: hold.ok ? hold.value : undefined,
  });
  if (!(await coversBrands(deps, call, sealed, draft))) return undefined;
  return { record: { ...record, operationId: draft.operation.id }, draft, ...held };
}

function credentialOf({ sealed }: KnownPath) {
  return sealed === undefined ? undefined : { id: sealed.credentialId, version: sealed.version };
}

function rowsOf({ match, connection }: KnownPath): KnownAdmission['rows'] {
  return {
    tokenId: match.token.id,
    principalId: match.principal.id,
    connectionId: connection.id,
    seller: connection.slug,
  };
}

interface CallbackRequest extends Pick<SealedCallIn, 'caller'> {
  readonly path: KnownPath;
  readonly sealed: SealedCall;
  /** Id of the custody record that the lease of the secret is for. */
  readonly recordId: string;
}

/**
 * The standing address of a known path, if the request asks its seller to call one of our addresses. It is made with a
 * secret of the connection, which is leased once; the address is remembered with the path. `unavailable` if the vault
 * does not give the secret.
 */
export async function standingCallback(
  deps: Pick<RelayDeps, 'callbackBase' | 'lease'>,
  { path, sealed, caller, recordId }: CallbackRequest,
): Promise<{ readonly address?: string } | 'unavailable'> {
  const { connection, scope } = path;
  if (
    connection.keyCredentialId === undefined ||
    !namesLocalAddress(sealed, `${deps.callbackBase()}/webhooks/`)
  ) {
    return {};
  }
  if (path.callback !== undefined) return { address: path.callback };
  const leased = await deps.lease(scope, [connection], { operationId: recordId, purpose: forAddress });
  const secret = leased.ok ? leased.value.get(connection.id)?.keySecret : undefined;
  if (secret === undefined) return 'unavailable';
  path.callback = standingAddress(secret, caller.principalId);
  return { address: path.callback };
}

function namesLocalAddress({ args, push }: SealedCall, base: string): boolean {
  // A change of a media buy may have the buy's addresses in its updates.
  const { updates } = args;
  const blocks = [args, ...(isJsonObject(updates) ? [updates] : [])];
  const callbacks = [
    ...blocks.flatMap((block) => [block['push_notification_config'], block['reporting_webhook']]),
    push,
  ];
  return callbacks
    .filter(isJsonObject)
    .some(({ url }: JsonObject) => typeof url === 'string' && url.startsWith(base));
}
