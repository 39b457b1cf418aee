import {
  judgeDelegation,
  readSealedPost,
  type Hold,
  type RelayFaultCode,
  type SealedCall,
  type SealedRequest,
  type RelayLog,
  type SealedRefusal,
} from '@switchyard/relay';
import { authorize, type TenantScope } from '@switchyard/tenancy';
import { rememberedSince, type Leg, type LegSecrets, type Offer } from '@switchyard/buys';
import { createMediaBuy, prefixId, updateMediaBuy } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import { rateKeyOf } from '../../platform/caller/rate-limits.js';
import type { SealedCallIn } from '../relay.js';
import { laneTarget } from '../lane-target.js';
import type { RelayDeps } from '../relay-deps.js';
import { coversBrands } from './covers-brands.js';
import { sealedDraft } from './sealed-draft.js';
import { exactIn, productsUnder, sealedHold } from './sealed-hold.js';
import { sealedSubject } from './sealed-subject.js';
import { draftOf, withForwarding, withRefusal, withRequest, type Draft } from '../custody/sealed-record.js';
import { standingAddress } from '../standing-callback.js';

/** A request that may be forwarded. Its row already exists. */
export interface Admitted {
  readonly connection: Connection;
  readonly request: SealedRequest;
  readonly secrets: LegSecrets;
  readonly record: Draft;
  /** The change that the request makes; absent for a read, and for a retry, whose first copy has its own. */
  readonly leg?: Leg;
}

/** A refusal with its record. */
export interface Refused {
  readonly code: string;
  readonly field?: string;
  readonly record: Draft;
}

/**
 * Runs every check that can refuse a sealed request, cheapest first, and so that a stranger learns the least: the
 * seller, the signature as the seller will verify it, the permissions of the token, and the delegation last, because
 * its budget is checked and held in the same step.
 */
export async function admitSealed(deps: RelayDeps, call: SealedCallIn): Promise<Result<Admitted, Refused>> {
  const scope = { organizationId: call.caller.organizationId };
  const bare = draftOf(deps, call);
  const connection = await deps.connections.bySlug(scope, call.seller);
  const closed = httpFault(call, connection);
  if (connection === undefined || closed !== undefined) {
    return err({ code: closed ?? 'RELAY_SELLER_NOT_FOUND', record: bare });
  }
  if (await isSellerStopped(deps, call, connection))
    return err({ code: 'RELAY_SELLER_STOPPED', record: bare });
  const signedUrl = await signedAddress(deps, call, connection);
  if (!signedUrl.ok) return err({ code: signedUrl.error, record: bare });
  const target = { url: signedUrl.value, protocol: call.protocol, dialect: connection.dialect };
  const read = await readSealedPost(call, target, deps.verifierOf(call.caller.principalId));
  if (!read.ok) {
    const record = withRefusal(bare, signedUrl.value, read.error);
    const isDuplicate = await isUnknownDuplicate(deps.log, scope, record, read.error);
    const { field } = read.error;
    const code = isDuplicate ? 'RELAY_OUTCOME_UNKNOWN' : read.error.code;
    return err({ code, record, ...(field === undefined ? {} : { field }) });
  }
  const record = withRequest(bare, read.value, signedUrl.value);
  const forbidden = callerFault(deps, call, read.value);
  if (forbidden !== undefined) return err({ code: forbidden, record });
  return admitDelegated(deps, call, { connection, request: read.value, record });
}

/**
 * The quotes of the products that a change names. A product of a buy that was never quoted here is asked for now: without
 * its currency the amount of the buy is unknown.
 */
async function pricesFor(
  deps: Pick<RelayDeps, 'quotes' | 'askPrices'>,
  { caller }: SealedCallIn,
  connection: Connection,
  { spec, args }: SealedCall,
): Promise<ReadonlyMap<string, Offer>> {
  const scope = { organizationId: caller.organizationId };
  const known = await deps.quotes.of(scope, connection.slug, args);
  if (spec.name !== createMediaBuy.name && spec.name !== updateMediaBuy.name) return known;
  const named = productsUnder(args).map((id) => prefixId(connection.slug, id));
  const missing = named.filter((id) => !known.has(id));
  if (missing.length === 0) return known;
  const asked = await deps.askPrices(scope, caller.principalId, connection, missing);
  return new Map([...known, ...asked]);
}

async function admitDelegated(
  deps: RelayDeps,
  call: SealedCallIn,
  {
    connection,
    request,
    record,
  }: { readonly connection: Connection; readonly request: SealedRequest; readonly record: Draft },
): Promise<Result<Admitted, Refused>> {
  const scope = { organizationId: call.caller.organizationId };
  const { call: sealed, verdict } = request;
  const subject = await sealedSubject(deps, {
    scope,
    principalId: call.caller.principalId,
    connection,
    call: sealed,
  });
  if (!subject.ok) return err({ code: subject.error, record });
  const exact = exactIn(sealed, verdict.json?.exact ?? new Map<string, string>());
  const offers =
    sealed.spec.kind === 'mutation'
      ? await pricesFor(deps, call, connection, sealed)
      : new Map<string, never>();
  const hold = sealedHold(offers, { connection, call: sealed, exact, subject: subject.value });
  const leased = await deps.lease(scope, [connection], {
    operationId: record.id,
    purpose: sealed.spec.name,
  });
  const secrets = leased.ok ? (leased.value.get(connection.id) ?? {}) : undefined;
  // If our credential cannot be opened, a request is refused, never sent without it.
  if (secrets === undefined || (connection.credentialId !== undefined && secrets.credential === undefined)) {
    return err({ code: 'RELAY_CREDENTIAL_UNAVAILABLE', record });
  }
  const full = withForwarding(deps, record, request, {
    credential: secrets.credential,
    to: record.arrived.signedUrl ?? '',
  });
  const draft =
    sealed.spec.kind === 'mutation'
      ? await sealedDraft(deps, call, {
          connection,
          sealed,
          exact,
          offers,
          subject: subject.value,
          domain: await deps.domainOf(scope),
          callback: secrets.keySecret && standingAddress(secrets.keySecret, call.caller.principalId),
          hold: hold.ok ? hold.value : undefined,
        })
      : undefined;
  if (draft !== undefined && !(await coversBrands(deps, call, sealed, draft)))
    return err({ code: 'RELAY_BRAND_NOT_COVERED', record });
  const repeatsSince = rememberedSince(sealed.args, connection, full.arrived.at);
  const admitted = await deps.log.admit(
    scope,
    {
      record: full,
      nonce: verdict.nonce,
      durable: sealed.spec.kind === 'mutation',
      ...(hold.ok && hold.value !== undefined ? { hold: hold.value } : {}),
      ...(draft === undefined ? {} : { draft }),
      ...(repeatsSince === undefined ? {} : { repeatsSince }),
    },
    (held) => {
      const judged = judgeDelegation(held, actOf(call, sealed.spec.name, full, hold));
      if (!judged.ok || hold.ok || judged.value.budget === undefined) return judged;
      return hold;
    },
  );
  if (!admitted.ok) return err({ code: admitted.error, record });
  const { delegation, operation } = admitted.value;
  const leg = operation?.id === draft?.operation.id ? draft?.legs[0] : undefined;
  return ok({
    connection,
    request,
    secrets,
    record: {
      ...full,
      delegationId: delegation.id,
      ...(operation === undefined ? {} : { operationId: operation.id }),
    },
    ...(leg === undefined ? {} : { leg }),
  });
}

export function httpFault(
  call: SealedCallIn,
  connection: Connection | undefined,
): RelayFaultCode | undefined {
  if (connection === undefined) return 'RELAY_SELLER_NOT_FOUND';
  if (connection.protocol !== call.protocol) return 'RELAY_DOOR_MISMATCH';
  if (connection.state !== 'live') return 'RELAY_SELLER_NOT_LIVE';
  // The seller reads only one label (docs/protocol/relay.md#admission), so ours cannot be beside the brand's.
  if (connection.wantsRelaySignature === true) return 'RELAY_SELLER_WANTS_OUR_SIGNATURE';
  return undefined;
}

/** Whether an emergency stop applies to the seller, or to the principal that calls it. */
export async function isSellerStopped(
  { isStopped }: Pick<RelayDeps, 'isStopped'>,
  { caller: { organizationId, principalId } }: SealedCallIn,
  { id }: Connection,
): Promise<boolean> {
  return (
    (await isStopped(organizationId, 'seller', id)) ||
    (await isStopped(organizationId, 'principal', principalId))
  );
}

/**
 * A delegation adds no permission to those of the token beside the signature. The HTTP layer has counted the request as
 * a read, because its contents were unknown; a change is counted as one instead.
 */
function callerFault(
  { rates }: Pick<RelayDeps, 'rates'>,
  { caller }: SealedCallIn,
  request: SealedRequest,
): RelayFaultCode | undefined {
  if (!authorize(caller, { ...request.call.spec, access: 'credentials' }).ok)
    return 'RELAY_TASK_NOT_PERMITTED';
  const kind = rateKindOf(request);
  if (kind === 'read') return undefined;
  const who = rateKeyOf(caller);
  // A refused change still counts as a read.
  if (rates.take(who, kind) !== undefined) return 'RELAY_RATE_LIMITED';
  rates.giveBack(who, 'read');
  return undefined;
}

/** The rate limit that a sealed request counts for. */
export function rateKindOf({ call: { spec } }: Pick<SealedRequest, 'call'>): 'read' | 'write' {
  return spec.kind === 'mutation' ? 'write' : 'read';
}

/** MCP is signed for the agent's address; A2A for the interface that the agent's card names. */
export async function signedAddress(
  deps: RelayDeps,
  call: SealedCallIn,
  connection: Connection,
): Promise<Result<string, RelayFaultCode>> {
  if (connection.protocol === 'mcp') return ok(connection.agentUrl);
  const lane = await deps.lanes.lane(laneTarget(call.caller, connection, {}), call.signal);
  return lane.ok ? ok(lane.value.url) : err('RELAY_SELLER_UNREACHABLE');
}

export function actOf(
  call: SealedCallIn,
  task: string,
  record: Draft,
  hold: Result<Hold | undefined, RelayFaultCode>,
) {
  return {
    seller: call.seller,
    task,
    at: record.arrived.at,
    ...(hold.ok && hold.value !== undefined ? { spend: hold.value } : {}),
  };
}

/**
 * Whether a request repeats one with an unknown outcome, which is refused: sending it again could act twice
 * (docs/protocol/relay.md#retries).
 */
async function isUnknownDuplicate(
  log: Pick<RelayLog, 'findDuplicate'>,
  scope: TenantScope,
  { principalId, arrived }: Draft,
  refusal: SealedRefusal,
): Promise<boolean> {
  if (refusal.code !== 'request_signature_replayed' || arrived.keyid === undefined) return false;
  const nonce = /;nonce="([^"\\]{1,512})"/.exec(arrived.signatureInput ?? '')?.[1];
  if (nonce === undefined) return false;
  const counterpart = await log.findDuplicate(scope, principalId, arrived.keyid, nonce);
  if (counterpart?.bodyHash !== arrived.bodyHash) return false;
  return counterpart.outcome === undefined || counterpart.outcome === 'unknown';
}
