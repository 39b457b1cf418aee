import { judgeDelegation, type RelayFaultCode, type RelayLog } from '@switchyard/relay';
import type { SealedCall, SealedRefusal, SealedRequest } from '@switchyard/relay';
import { replayableMs } from '@switchyard/signing';
import type { TenantScope } from '@switchyard/tenancy';
import { rememberedSince, type Leg, type LegSecrets, type Offer } from '@switchyard/buys';
import { createMediaBuy, prefixId, updateMediaBuy } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import { rateKeyOf } from '../../platform/caller/rate-limits.js';
import type { SealedCallIn } from '../relay.js';
import type { RelayDeps } from '../relay-deps.js';
import { actOf, checkArrived, checkContents, rateKindOf } from './sealed-checks.js';
import type { Arrived, Opened, Refused } from './sealed-checks.js';
import { productsUnder } from './sealed-hold.js';
import type { Draft } from '../custody/sealed-record.js';
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

/** Admits a request by rows that are read now, and says why it is refused. */
export async function admitSealed(deps: RelayDeps, call: SealedCallIn): Promise<Result<Admitted, Refused>> {
  const scope = { organizationId: call.caller.organizationId };
  const connection = await deps.connections.bySlug(scope, call.seller);
  const verify = deps.verifierOf(call.caller.principalId);
  const arrived = await checkArrived(deps, call, connection, verify);
  if (!arrived.ok) {
    const { record, refusal } = arrived.error;
    const isUnknown = refusal !== undefined && (await isUnknownDuplicate(deps.log, scope, record, refusal));
    return err(isUnknown ? { ...arrived.error, code: 'RELAY_OUTCOME_UNKNOWN' } : arrived.error);
  }
  const limited = chargeChange(deps, call, arrived.value.request);
  if (limited !== undefined) return err({ code: limited, record: arrived.value.record });
  return admitDelegated(deps, call, arrived.value);
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
  arrived: Arrived,
): Promise<Result<Admitted, Refused>> {
  const scope = { organizationId: call.caller.organizationId };
  const { connection, request } = arrived;
  const { call: sealed, verdict } = request;
  const checked = await checkContents(deps, call, arrived, {
    offers: () => pricesFor(deps, call, connection, sealed),
    open: () => openSecrets(deps, call, arrived),
    domain: () => deps.domainOf(scope),
  });
  if (!checked.ok) return checked;
  const { record, hold, draft, opened } = checked.value;
  const repeatsSince = rememberedSince(sealed.args, connection, record.arrived.at);
  const admitted = await deps.log.admit(
    scope,
    {
      record,
      nonce: verdict.nonce,
      durable: sealed.spec.kind === 'mutation',
      ...(hold.ok && hold.value !== undefined ? { hold: hold.value } : {}),
      ...(draft === undefined ? {} : { draft }),
      ...(repeatsSince === undefined ? {} : { repeatsSince }),
    },
    (held) => {
      const judged = judgeDelegation(held, actOf(call, sealed.spec.name, checked.value));
      if (!judged.ok || hold.ok || judged.value.budget === undefined) return judged;
      return hold;
    },
  );
  if (!admitted.ok) return err({ code: admitted.error, record: arrived.record });
  const { delegation, operation } = admitted.value;
  const leg = operation?.id === draft?.operation.id ? draft?.legs[0] : undefined;
  const operationId = operation === undefined ? {} : { operationId: operation.id };
  return ok({
    connection,
    request,
    secrets: opened.secrets,
    record: { ...record, delegationId: delegation.id, ...operationId },
    ...(leg === undefined ? {} : { leg }),
  });
}

/** If our credential cannot be opened, a request is refused, never sent without it. */
async function openSecrets(
  deps: Pick<RelayDeps, 'lease'>,
  { caller }: SealedCallIn,
  { connection, request, record }: Arrived,
): Promise<Result<Opened & { readonly secrets: LegSecrets }, RelayFaultCode>> {
  const leased = await deps.lease({ organizationId: caller.organizationId }, [connection], {
    operationId: record.id,
    purpose: request.call.spec.name,
  });
  const secrets = leased.ok ? (leased.value.get(connection.id) ?? {}) : undefined;
  if (secrets === undefined || (connection.credentialId !== undefined && secrets.credential === undefined))
    return err('RELAY_CREDENTIAL_UNAVAILABLE');
  const callback = secrets.keySecret && standingAddress(secrets.keySecret, caller.principalId);
  return ok({ secrets, credential: secrets.credential, callback });
}

/** The HTTP layer counted the request as a read, because its contents were unknown; a change is counted as one instead. */
function chargeChange(
  { rates }: Pick<RelayDeps, 'rates'>,
  { caller }: SealedCallIn,
  request: SealedRequest,
): RelayFaultCode | undefined {
  const kind = rateKindOf(request);
  if (kind === 'read') return undefined;
  const who = rateKeyOf(caller);
  // A refused change still counts as a read.
  if (rates.take(who, kind) !== undefined) return 'RELAY_RATE_LIMITED';
  rates.giveBack(who, 'read');
  return undefined;
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
  const signed = { keyid: arrived.keyid, nonce, since: arrived.at - replayableMs };
  const counterpart = await log.findDuplicate(scope, principalId, signed);
  if (counterpart?.bodyHash !== arrived.bodyHash) return false;
  return counterpart.outcome === undefined || counterpart.outcome === 'unknown';
}
