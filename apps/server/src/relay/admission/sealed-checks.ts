import { readSealedPost, type Hold, type RelayFaultCode } from '@switchyard/relay';
import type { SealedCall, SealedRefusal, SealedRequest, VerifySealed } from '@switchyard/relay';
import { authorize } from '@switchyard/tenancy';
import type { Offer, OperationDraft } from '@switchyard/buys';
import type { Connection } from '@switchyard/sellers';
import { defined, err, ok, type Result } from '@switchyard/values';
import type { SealedCallIn } from '../relay.js';
import { laneTarget } from '../lane-target.js';
import type { RelayDeps } from '../relay-deps.js';
import { coversBrands } from './covers-brands.js';
import { sealedDraft } from './sealed-draft.js';
import { exactIn, sealedHold } from './sealed-hold.js';
import { sealedSubject } from './sealed-subject.js';
import { draftOf, withForwarding, withRefusal, withRequest, type Draft } from '../custody/sealed-record.js';

/*
 * The checks of a sealed request, in one list for both ways in: with rows that are read now, and with rows that an earlier
 * request read. The delegation is judged after them, because its budget is held in the same step.
 */

/** A refusal with its record. */
export interface Refused {
  readonly code: string;
  readonly field?: string;
  readonly record: Draft;
  /** What could not be read or verified. */
  readonly refusal?: SealedRefusal;
}

/** A request that its seller would accept from this signer. */
export interface Arrived {
  readonly connection: Connection;
  readonly request: SealedRequest;
  readonly record: Draft;
}

/**
 * The checks that need no secret, cheapest first, and so that a stranger learns the least: the seller, the signature as the
 * seller will verify it, and the permissions of the token, to which a delegation adds none.
 */
export async function checkArrived(
  deps: RelayDeps,
  call: SealedCallIn,
  connection: Connection | undefined,
  verify: VerifySealed,
): Promise<Result<Arrived, Refused>> {
  const bare = draftOf(deps, call);
  const refuse = (code: RelayFaultCode) => err({ code, record: bare });
  if (connection === undefined) return refuse('RELAY_SELLER_NOT_FOUND');
  const closed = httpFault(call, connection);
  if (closed !== undefined) return refuse(closed);
  if (await isSellerStopped(deps, call, connection)) return refuse('RELAY_SELLER_STOPPED');
  const signedUrl = await signedAddress(deps, call, connection);
  if (!signedUrl.ok) return refuse(signedUrl.error);
  const target = { url: signedUrl.value, protocol: call.protocol, dialect: connection.dialect };
  const read = await readSealedPost(call, target, verify);
  if (!read.ok) {
    const { code, field } = read.error;
    const record = withRefusal(bare, signedUrl.value, read.error);
    return err({ code, record, refusal: read.error, ...defined({ field }) });
  }
  const record = withRequest(bare, read.value, signedUrl.value);
  return authorize(call.caller, { ...read.value.call.spec, access: 'credentials' }).ok
    ? ok({ connection, request: read.value, record })
    : err({ code: 'RELAY_TASK_NOT_PERMITTED', record });
}

/** What opening the connection gives: the credential that will be used, and the address that the seller may call. */
export interface Opened {
  readonly credential: { readonly id: string; readonly version: number } | undefined;
  readonly callback: string | undefined;
}

/** Where a way in takes what the checks need. */
export interface Sources<Open extends Opened> {
  /** The seller's quotes for the products of a change. */
  readonly offers: (sealed: SealedCall) => Promise<ReadonlyMap<string, Offer>>;
  readonly open: (sealed: SealedCall) => Promise<Result<Open, RelayFaultCode>>;
  /** Our own domain; absent if none is set. */
  readonly domain: () => Promise<string | undefined>;
}

/** A request whose delegation is still to be judged. */
export interface Checked<Open> {
  readonly record: Draft;
  readonly opened: Open;
  /** The amount to hold; the fault where it is unknown, which refuses only under a delegation with a budget. */
  readonly hold: Result<Hold | undefined, RelayFaultCode>;
  /** What a mutation stores before it is forwarded. */
  readonly draft?: OperationDraft;
}

/** The checks of what a request does: its subject, its amount, our credential, and the brands that it names. */
export async function checkContents<Open extends Opened>(
  deps: RelayDeps,
  call: SealedCallIn,
  { connection, request, record }: Arrived,
  from: Sources<Open>,
): Promise<Result<Checked<Open>, Refused>> {
  const scope = { organizationId: call.caller.organizationId };
  const { call: sealed, verdict } = request;
  const isChange = sealed.spec.kind === 'mutation';
  const { principalId } = call.caller;
  const subject = await sealedSubject(deps, { scope, principalId, connection, call: sealed });
  if (!subject.ok) return err({ code: subject.error, record });
  const exact = exactIn(sealed, verdict.json?.exact ?? new Map<string, string>());
  const offers = isChange ? await from.offers(sealed) : new Map<string, never>();
  const hold = sealedHold(offers, { connection, call: sealed, exact, subject: subject.value });
  const opened = await from.open(sealed);
  if (!opened.ok) return err({ code: opened.error, record });
  const { credential, callback } = opened.value;
  const full = withForwarding(deps, record, request, { credential, to: record.arrived.signedUrl ?? '' });
  const checked = { record: full, opened: opened.value, hold };
  if (!isChange) return ok(checked);
  const placed = await sealedDraft(deps, call, {
    ...{ connection, sealed, exact, offers, callback },
    subject: subject.value,
    domain: await from.domain(),
    hold: hold.ok ? hold.value : undefined,
  });
  if (!(await coversBrands(deps, call, sealed, placed)))
    return err({ code: 'RELAY_BRAND_NOT_COVERED', record });
  return ok({ ...checked, draft: placed.draft });
}

function httpFault(call: SealedCallIn, connection: Connection): RelayFaultCode | undefined {
  if (connection.protocol !== call.protocol) return 'RELAY_DOOR_MISMATCH';
  if (connection.state !== 'live') return 'RELAY_SELLER_NOT_LIVE';
  // The seller reads only one label (docs/protocol/relay.md#admission), so ours cannot be beside the brand's.
  if (connection.wantsRelaySignature === true) return 'RELAY_SELLER_WANTS_OUR_SIGNATURE';
  return undefined;
}

/** Whether an emergency stop applies to the seller, or to the principal that calls it. */
async function isSellerStopped(
  { isStopped }: Pick<RelayDeps, 'isStopped'>,
  { caller: { organizationId, principalId } }: SealedCallIn,
  { id }: Connection,
): Promise<boolean> {
  return (
    (await isStopped(organizationId, 'seller', id)) ||
    (await isStopped(organizationId, 'principal', principalId))
  );
}

/** MCP is signed for the agent's address; A2A for the interface that the agent's card names. */
async function signedAddress(
  deps: RelayDeps,
  call: SealedCallIn,
  connection: Connection,
): Promise<Result<string, RelayFaultCode>> {
  if (connection.protocol === 'mcp') return ok(connection.agentUrl);
  const lane = await deps.lanes.lane(laneTarget(call.caller, connection, {}), call.signal);
  return lane.ok ? ok(lane.value.url) : err('RELAY_SELLER_UNREACHABLE');
}

/** The rate limit that a sealed request counts for. */
export function rateKindOf({ call: { spec } }: Pick<SealedRequest, 'call'>): 'read' | 'write' {
  return spec.kind === 'mutation' ? 'write' : 'read';
}

/** What a delegation is asked for. */
export function actOf(
  { seller }: SealedCallIn,
  task: string,
  { record, hold }: Pick<Checked<unknown>, 'record' | 'hold'>,
) {
  const spend = hold.ok ? hold.value : undefined;
  return { seller, task, at: record.arrived.at, ...defined({ spend }) };
}
