import { getMediaBuys, listAccounts, readReply, shapeArgs } from '@switchyard/protocol';
import { targetOf, type Connection, type SellerTarget, type TransportFailure } from '@switchyard/sellers';
import { fetchAgentCapabilities, type InspectDeps } from './inspect-seller.js';

/** What a seller says of a credential. `unproved`: it has no task that needs one, or decided nothing. */
type Proof =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' | 'unproved' | 'unanswered'; readonly reason: string };

/** Milliseconds for the question. */
const timeoutMs = 10_000;
const refusals = /^AUTH_(?:INVALID|REQUIRED|MISSING)$/;

/**
 * Asks a seller something that it answers to us alone: `list_accounts`, else `get_media_buys`. Only 401, or its words of
 * the protocol, refuse; 403, 429 and faults of the seller decide nothing. A seller that has neither task is asked for its
 * capabilities, which proves nothing unless it refuses even these.
 */
export async function provesCredential(
  deps: Omit<InspectDeps, 'lease'>,
  connection: Connection,
  credential: NonNullable<SellerTarget['credential']>,
): Promise<Proof> {
  const { tools = {}, dialect } = connection;
  const named = [listAccounts, getMediaBuys].flatMap(({ name, names }) =>
    names[dialect].flatMap((tool) => (Object.hasOwn(tools, tool) ? [{ name, tool }] : [])),
  )[0];
  const target: SellerTarget = { ...targetOf(connection, credential), sessionOf: 'proof' };
  if (named === undefined) return proofByCapabilities(deps, connection, target);
  const stop = new AbortController();
  const { args } = shapeArgs({}, tools[named.tool]);
  const called = await deps.transport
    .call(target, { tool: named.tool, args }, stop.signal)
    .finally(deps.clock.after(timeoutMs, () => stop.abort()));
  if (!called.ok)
    return called.error.httpStatus === 401
      ? refused
      : isRefusedHandshake(credential, called.error)
        ? refusedHandshake
        : { kind: 'unanswered', reason: `The seller decided nothing: ${called.error.message}` };
  const { payload, isError, a2a } = called.value;
  const { errors } = readReply(named.name, payload, isError, a2a);
  return errors.some(({ code }) => refusals.test(code)) ? refused : { kind: 'accepted' };
}

/**
 * A peer that does not take a certificate ends the connection, which looks like any other fault of it. No call could go on
 * with the version before, so such a version is not tried by calls.
 */
function isRefusedHandshake(
  { scheme }: NonNullable<SellerTarget['credential']>,
  { httpStatus }: TransportFailure,
): boolean {
  return scheme === 'certificate' && httpStatus === undefined;
}

async function proofByCapabilities(
  deps: Omit<InspectDeps, 'lease'>,
  { configuredForm }: Connection,
  target: SellerTarget,
): Promise<Proof> {
  const read = await fetchAgentCapabilities(deps, target, configuredForm);
  if (!read.ok)
    return read.error.httpStatus === 401
      ? refused
      : { kind: 'unanswered', reason: `The seller decided nothing: ${read.error.message}` };
  return {
    kind: 'unproved',
    reason: 'The seller has no task that needs a credential: the next call that needs one decides.',
  };
}

const refusedHandshake: Proof = {
  kind: 'refused',
  reason: 'The seller did not take the certificate, or cannot be reached. The version before stays in use.',
};

const refused: Proof = {
  kind: 'refused',
  reason: 'The seller did not accept our credential (401). The version before stays in use.',
};
