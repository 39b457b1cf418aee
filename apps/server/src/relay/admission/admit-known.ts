import { judgeDelegation, type KnownAdmission, type SealedCall } from '@switchyard/relay';
import type { Leg, LegSecrets } from '@switchyard/buys';
import { admitToken } from '@switchyard/tenancy';
import { err, isJsonObject, ok, type JsonObject } from '@switchyard/values';
import { principalCaller } from '../../platform/caller/principal-caller.js';
import { rateKeyOf } from '../../platform/caller/rate-limits.js';
import type { KnownCallIn, SealedCallIn } from '../relay.js';
import type { Admitted } from './admit-sealed.js';
import {
  actOf,
  checkArrived,
  checkContents,
  rateKindOf,
  type Arrived,
  type Refused,
} from './sealed-checks.js';
import type { ClaimedNonce } from './brand-signatures.js';
import type { KnownPath } from './known-paths.js';
import type { RelayDeps } from '../relay-deps.js';
import { forAddress } from '../../keys/index.js';
import { standingAddress } from '../standing-callback.js';

/** `undefined`: nothing was written. A refusal is for a request whose row already exists. */
type AdmittedByMemory =
  | { readonly call: SealedCallIn; readonly admitted: Admitted }
  | { readonly call: SealedCallIn; readonly refused: Refused }
  | undefined;

/** A checked request, with the remembered path of its token and seller. */
interface KnownRequest {
  readonly call: SealedCallIn;
  readonly path: KnownPath;
  readonly arrived: Arrived;
}

type Judged = Omit<KnownAdmission, 'claim' | 'signerId' | 'use' | 'mark' | 'rows' | 'durable'>;

/**
 * Admits a request by the rows that were read for an earlier one, if the database confirms that they have not changed:
 * one round trip claims the nonce, audits the use of our credential and writes the record. The checks are those of
 * `admitSealed`.
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
  let claim: ClaimedNonce | undefined;
  const verify = deps.verifierOf(call.caller.principalId, (claimed) => (claim = claimed));
  const arrived = await checkArrived(deps, call, path.connection, verify);
  if (!arrived.ok || claim === undefined) return undefined;
  const charged = [rateKeyOf(call.caller), rateKindOf(arrived.value.request)] as const;
  if (deps.rates.take(...charged) !== undefined) return undefined;
  const { organizationId } = call.caller;
  const isOver = deps.quotas?.take(organizationId, 'relays', 1) !== undefined;
  const admitted = isOver
    ? undefined
    : await admitCharged(deps, { call, path, arrived: arrived.value }, claim);
  if (admitted !== undefined) return admitted;
  // The slow path counts the same request again.
  deps.rates.giveBack(...charged);
  if (!isOver) deps.quotas?.take(organizationId, 'relays', -1);
  return undefined;
}

async function admitCharged(
  deps: RelayDeps,
  known: KnownRequest,
  { signerId, ...nonce }: ClaimedNonce,
): Promise<AdmittedByMemory> {
  const { call, path, arrived } = known;
  const judged = await judgeKnown(deps, known);
  if (judged === undefined) return undefined;
  const { spec } = arrived.request.call;
  const leased = await deps.leaseKnown(path, { recordId: arrived.record.id, purpose: spec.name }, (use) =>
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
    const record = { ...arrived.record, delegationId: judged.record.delegationId };
    return { call, refused: { code: 'RELAY_CREDENTIAL_UNAVAILABLE', record } };
  }
  return { call, admitted: admittedOf(arrived, judged, leased) };
}

function admittedOf(
  { connection, request }: Arrived,
  { record, draft }: Judged,
  secrets: LegSecrets,
): Admitted {
  const leg: Leg | undefined = draft?.legs[0];
  return { connection, request, secrets, record, ...(leg === undefined ? {} : { leg }) };
}

/** The delegation for the request, checked by its dates and tasks; its ceiling is checked when its budget is held. */
async function judgeKnown(
  deps: RelayDeps,
  { call, path, arrived }: KnownRequest,
): Promise<Judged | undefined> {
  const { scope, connection } = path;
  const { caller } = call;
  const checked = await checkContents(deps, call, arrived, {
    offers: ({ args }) => deps.quotes.of(scope, connection.slug, args),
    open: async (sealed) => {
      const isChange = sealed.spec.kind === 'mutation';
      const recordId = arrived.record.id;
      const callback = isChange ? await standingCallback(deps, { path, sealed, caller, recordId }) : {};
      if (callback === 'unavailable') return err('RELAY_CREDENTIAL_UNAVAILABLE');
      return ok({ credential: credentialOf(path), callback: callback.address });
    },
    domain: () => Promise.resolve(path.domain),
  });
  if (!checked.ok) return undefined;
  const { record, hold, draft } = checked.value;
  const standings = path.delegations.map((delegation) => ({ delegation, committed: 0n }));
  const act = actOf(call, arrived.request.call.spec.name, checked.value);
  const delegation = judgeDelegation(standings, act);
  if (!delegation.ok || (!hold.ok && delegation.value.budget !== undefined)) return undefined;
  const amount = hold.ok && delegation.value.budget !== undefined ? hold.value?.amount : undefined;
  return {
    record: {
      ...record,
      delegationId: delegation.value.id,
      ...(draft === undefined ? {} : { operationId: draft.operation.id }),
    },
    ...(draft === undefined ? {} : { draft }),
    ...(amount === undefined ? {} : { hold: amount }),
  };
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
