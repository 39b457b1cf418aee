import {
  creativesNotOwn,
  type ActivationRepository,
  type CreativeStore,
  type MediaBuyRecord,
  type OperationStore,
  type SellerBuy,
} from '@switchyard/buys';
import {
  getMediaBuyDelivery,
  getMediaBuys,
  listCreatives,
  prefixId,
  syncCreatives,
  activateSignal,
} from '@switchyard/protocol';
import type { RelayFaultCode, RelayLog, SealedCall } from '@switchyard/relay';
import type { Connection } from '@switchyard/sellers';
import { ownReach, type TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { ChangesUnderWay } from '../changes-under-way.js';

/** The buy that a sealed request is about, if this principal made it through us. */
export interface SealedSubject {
  readonly record: MediaBuyRecord;
  readonly sellerBuy: SellerBuy;
}

interface SealedCaller {
  readonly scope: TenantScope;
  readonly principalId: string;
  readonly connection: Connection;
  readonly call: SealedCall;
}

/**
 * Finds what a request names, by the seller's own ids. The seller sees one credential for all our principals, so it
 * cannot separate them. If others buy at the same address, or another principal over this connection, a request may
 * name only this principal's known objects: others' and unknown ones are refused alike. If nobody else does, the seller
 * judges unknown ids.
 */
export async function sealedSubject(
  deps: SubjectDeps,
  { scope, principalId, connection, call }: SealedCaller,
): Promise<Result<SealedSubject | undefined, RelayFaultCode>> {
  // The signed bytes cannot be reduced, and the account is shared with others (docs/protocol/creatives.md#sync).
  const isSync = call.spec.name === syncCreatives.name && call.args['dry_run'] !== true;
  if (isSync && call.args['delete_missing'] === true) return err('RELAY_DELETES_THE_REST');
  const fault = await othersFault(deps, scope, connection, call);
  if (fault !== undefined) return err(fault);
  const { buys, creatives, assigned } = namedIn(call.args);
  const isOpen = listing.has(call.spec.name) && buys.length === 0;
  if (isOpen && (await deps.log.isShared(scope, connection.id, principalId)))
    return err('RELAY_BUYS_NOT_NAMED');
  const who = { scope, principalId, connection };
  let subject: SealedSubject | undefined;
  for (const id of buys) {
    const own = await ownBuy(deps, who, id);
    if (!own.ok) return own;
    subject ??= own.value;
  }
  if (!(await areOwnPackages(deps, who, assigned))) return err('RELAY_BUY_NOT_FOUND');
  if (
    creatives.length > 0 &&
    (
      await creativesNotOwn(deps.creatives, scope, {
        reach: ownReach(principalId),
        connectionId: connection.id,
        ids: creatives,
      })
    ).length > 0
  )
    return err('RELAY_CREATIVE_NOT_FOUND');
  return ok(subject);
}

interface SubjectDeps {
  readonly store: OperationStore;
  readonly log: RelayLog;
  readonly activations: ActivationRepository;
  readonly creatives: Pick<CreativeStore, 'byIds' | 'sharedConnections' | 'packages'>;
  readonly changes: ChangesUnderWay;
}

interface Who {
  readonly scope: TenantScope;
  readonly principalId: string;
  readonly connection: Connection;
}

/** The buy with this id if it is this principal's; undefined if it belongs to none. */
async function ownBuy(
  deps: SubjectDeps,
  { scope, principalId, connection }: Who,
  id: string,
): Promise<Result<SealedSubject | undefined, RelayFaultCode>> {
  const { store, log, changes } = deps;
  const { own, elsewhere } = await store.holdersOf(scope, connection.id, id);
  let sellerBuy = own;
  if (sellerBuy === undefined) {
    const isAlone = elsewhere === 'own' && !(await log.isShared(scope, connection.id, principalId));
    if (isAlone) return ok(undefined);
    await changes.settled({ principalId, connectionId: connection.id });
    sellerBuy = await store.sellerBuyOf(scope, connection.id, id);
  }
  if (sellerBuy === undefined) return err('RELAY_BUY_NOT_FOUND');
  const record = await store.mediaBuy(scope, sellerBuy.mediaBuyId);
  if (record?.buy.principalId !== principalId) return err('RELAY_BUY_NOT_FOUND');
  return ok({ record, sellerBuy });
}

/** Whether creatives are assigned only to this principal's packages, as far as others have packages there. */
async function areOwnPackages(
  { creatives, log, changes }: SubjectDeps,
  { scope, principalId, connection }: Who,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0 || !(await log.isShared(scope, connection.id, principalId))) return true;
  await changes.settled({ principalId, connectionId: connection.id });
  const wanted = ids.map((id) => prefixId(connection.slug, id));
  const own = await creatives.packages(scope, ownReach(principalId), wanted);
  return wanted.every((id) => own.get(id)?.connectionId === connection.id);
}

/** Tasks that answer with everything the credential may read, unless the request names buys. */
const listing: ReadonlySet<string> = new Set([
  getMediaBuys.name,
  getMediaBuyDelivery.name,
  listCreatives.name,
]);

/**
 * Why a request is refused because it affects another tenant that may share the account at the seller: that tenant uses
 * the signal (docs/decisions/tenants-on-one-account.md). An unsealed request would only be recorded here as
 * deactivated; signed bytes are either sent or refused.
 */
async function othersFault(
  { activations }: Pick<SubjectDeps, 'activations'>,
  scope: TenantScope,
  { id: connectionId }: Connection,
  { spec, args }: SealedCall,
): Promise<RelayFaultCode | undefined> {
  if (spec.name !== activateSignal.name || args['action'] !== 'deactivate') return undefined;
  const segmentId = args['signal_agent_segment_id'];
  if (typeof segmentId !== 'string') return undefined;
  const others = await activations.elsewhere(scope, [{ connectionId, segmentId }]);
  return others.length > 0 ? 'RELAY_SIGNAL_IN_USE' : undefined;
}

/** What a sealed request names by the seller's own ids, at any depth. */
interface Named {
  readonly buys: readonly string[];
  /** Creatives, existing ones and those that come with the request. */
  readonly creatives: readonly string[];
  /** Packages that creatives are assigned to; those of a buy are inside the buy. */
  readonly assigned: readonly string[];
}

interface Found {
  readonly buys: Set<string>;
  readonly creatives: Set<string>;
  readonly assigned: Set<string>;
}

/** Reads the members of every version, even if the rest of the request cannot be read. */
export function namedIn(args: JsonObject): Named {
  const found: Found = { buys: new Set(), creatives: new Set(), assigned: new Set() };
  collect(args, found);
  return {
    buys: [...found.buys],
    creatives: [...found.creatives],
    assigned: [...found.assigned],
  };
}

function collect(value: JsonValue, found: Found): void {
  if (Array.isArray(value)) for (const item of value) collect(item, found);
  else if (isJsonObject(value))
    for (const [name, item] of Object.entries(value)) collectMember(name, item, found);
}

function collectMember(name: string, value: JsonValue, found: Found): void {
  // The context is returned unchanged; the seller reads nothing from it.
  if (name === 'context') return;
  if (name === 'media_buy_id' || name === 'media_buy_ids') return addTo(found.buys, value);
  if (name === 'creative_id' || name === 'creative_ids') return addTo(found.creatives, value);
  if (name === 'assignments') assignments(value, found);
  collect(value, found);
}

/** A list, or lists of packages by creative. */
function assignments(value: JsonValue, found: Found): void {
  if (Array.isArray(value)) {
    for (const item of value.filter(isJsonObject))
      for (const name of ['package_id', 'package_ids']) addTo(found.assigned, item[name] ?? null);
  } else if (isJsonObject(value)) {
    for (const [creativeId, packages] of Object.entries(value)) {
      found.creatives.add(creativeId);
      addTo(found.assigned, packages);
    }
  }
}

function addTo(ids: Set<string>, value: JsonValue): void {
  for (const id of Array.isArray(value) ? value : [value]) if (typeof id === 'string') ids.add(id);
}
