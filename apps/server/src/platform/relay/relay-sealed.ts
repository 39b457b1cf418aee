import type { OperationStore } from '@switchyard/buys';
import {
  hashOfBytes,
  judgeDelegation,
  readSealedPost,
  relayFaults,
  type CustodyRecord,
  type Hold,
  type RelayFaultCode,
  type RelayLog,
  type SealedRefusal,
  type SealedRequest,
  type VerifySealed,
} from '@switchyard/relay';
import type { Connection, ConnectionDirectory, Egress, SellerLanes } from '@switchyard/sellers';
import type { LeaseSecrets, LegSecrets } from '@switchyard/buys';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import type { Relay, RelayAnswer, SealedCallIn } from '../../application/relay.js';
import { authorizationOf } from './authorization-of.js';
import type { CustodyWriter } from './custody-writer.js';
import { forwardSealed, type PassedAnswer } from './forward-sealed.js';
import { sealedHold } from './sealed-hold.js';

export interface RelayParts {
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  readonly store: Pick<OperationStore, 'offers'>;
  readonly log: RelayLog;
  readonly custody: CustodyWriter;
  readonly verifierOf: (principalId: string) => VerifySealed;
  readonly lanes: SellerLanes;
  readonly lease: LeaseSecrets;
  readonly egress: Pick<Egress, 'fetchLike'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

type Draft = Omit<CustodyRecord, 'outcome'>;

/** A refusal with what the record is to say of it. */
interface Refused {
  readonly code: string;
  readonly field?: string;
  readonly record: Draft;
}

/**
 * The sealed relay. Everything that can refuse a request comes before the seller hears of it, and the request stands
 * in a row before it is passed on, so that a crash leaves "passed on, outcome unknown" and never silence.
 */
export function createRelay(parts: RelayParts): Relay {
  return {
    pass: async (call) => {
      const admitted = await admit(parts, call);
      return admitted.ok ? pass(parts, call, admitted.value) : refuse(parts, call, admitted.error);
    },
  };
}

interface Admitted {
  readonly connection: Connection;
  readonly request: SealedRequest;
  readonly secrets: LegSecrets;
  readonly record: Draft;
}

async function admit(parts: RelayParts, call: SealedCallIn): Promise<Result<Admitted, Refused>> {
  const scope = { organizationId: call.caller.organizationId };
  const bare = draftOf(parts, call);
  const connection = await parts.connections.bySlug(scope, call.seller);
  const closed = doorFault(call, connection);
  if (connection === undefined || closed !== undefined) {
    return err({ code: closed ?? 'RELAY_SELLER_NOT_FOUND', record: bare });
  }
  const lane = await signedAddress(parts, call, connection);
  if (!lane.ok) return err({ code: lane.error, record: bare });
  const read = await readSealedPost(
    call,
    { url: lane.value, protocol: call.protocol, dialect: connection.dialect },
    parts.verifierOf(call.caller.principalId),
  );
  if (!read.ok) return err(await refusalOf(parts, call, bare, lane.value, read.error));

  const record = withRequest(bare, read.value, lane.value);
  const { call: sealed, verdict } = read.value;
  const exact = verdict.json?.exact ?? new Map<string, string>();
  const hold = await sealedHold(parts.store, scope, connection.slug, sealed, exact);
  const leased = await parts.lease(scope, [connection], {
    operationId: record.id,
    purpose: sealed.spec.name,
  });
  if (!leased.ok) return err({ code: 'RELAY_SELLER_UNREACHABLE', record });
  const secrets = leased.value.get(connection.id) ?? {};
  const full = withForwarding(parts, record, read.value, secrets, lane.value);
  const delegation = await parts.log.admit(
    scope,
    {
      record: full,
      nonce: verdict.nonce,
      durable: sealed.spec.kind === 'mutation',
      ...(hold.ok && hold.value !== undefined ? { hold: hold.value } : {}),
    },
    (held) => {
      const judged = judgeDelegation(held, actOf(call, sealed.spec.name, full, hold));
      if (!judged.ok || hold.ok || judged.value.budget === undefined) return judged;
      return hold;
    },
  );
  if (!delegation.ok) return err({ code: delegation.error, record });
  return ok({
    connection,
    request: read.value,
    secrets,
    record: { ...full, delegationId: delegation.value.id },
  });
}

async function pass(parts: RelayParts, call: SealedCallIn, admitted: Admitted): Promise<RelayAnswer> {
  const { connection, request, secrets, record } = admitted;
  const scope = { organizationId: call.caller.organizationId };
  const lane = await parts.lanes.lane(targetOf(call, connection, secrets), call.signal);
  const passed = lane.ok
    ? await forwardSealed(
        parts.egress,
        lane.value,
        { headers: request.headers, body: call.body },
        authorizationOf(secrets.credential),
        call.signal,
      )
    : err({ delivered: 'no' as const });
  if (!passed.ok) {
    const code = passed.error.delivered === 'no' ? 'RELAY_SELLER_UNREACHABLE' : 'RELAY_ANSWER_LOST';
    const outcome = passed.error.delivered === 'no' ? ('unreachable' as const) : ('unknown' as const);
    parts.custody.ended(scope, {
      record: { ...record, outcome, code },
      at: parts.clock.now(),
      releases: outcome === 'unreachable',
    });
    return refusedAnswer(record.id, code);
  }
  if (lane.ok && passed.value.status === 404 && lane.value.headers['mcp-session-id'] !== undefined) {
    lane.value.lost();
  }
  void note(parts, call, record, passed.value);
  const { status, headers, body } = passed.value;
  return { kind: 'passed', recordId: record.id, status, headers, body };
}

/** Seals the record once the last byte has gone by. Whoever called has its answer already. */
async function note(
  parts: RelayParts,
  call: SealedCallIn,
  record: Draft,
  answer: PassedAnswer,
): Promise<void> {
  const read = await answer.read;
  const at = parts.clock.now();
  parts.custody.ended(
    { organizationId: call.caller.organizationId },
    {
      record: {
        ...record,
        outcome: read.complete ? 'answered' : 'unknown',
        answer: {
          at,
          status: answer.status,
          bodyHash: read.hash,
          bytes: read.bytes,
          complete: read.complete,
        },
      },
      at,
      releases: read.complete && madeNothing(answer.status, read.whole),
    },
  );
}

/** A seller that refuses has made nothing. One that fails on its side may have. */
function madeNothing(status: number, whole: Uint8Array | undefined): boolean {
  if (status >= 400 && status < 500) return true;
  if (whole === undefined) return false;
  const text = Buffer.from(whole).toString('utf8');
  return /"isError"\s*:\s*true/.test(text) || /^\s*\{[^]*"error"\s*:\s*\{\s*"code"\s*:\s*-?\d/.test(text);
}

async function refuse(parts: RelayParts, call: SealedCallIn, refused: Refused): Promise<RelayAnswer> {
  const scope = { organizationId: call.caller.organizationId };
  const record: CustodyRecord = { ...refused.record, outcome: 'refused', code: refused.code };
  await parts.custody.refused(scope, record);
  return refusedAnswer(record.id, refused.code, refused.field);
}

function refusedAnswer(recordId: string, code: string, field?: string): RelayAnswer {
  const known = Object.hasOwn(relayFaults, code) ? relayFaults[code as RelayFaultCode] : undefined;
  return {
    kind: 'refused',
    recordId,
    code,
    status: known?.status ?? 401,
    message: known?.message ?? 'The signature of this request does not hold.',
    ...(field === undefined ? {} : { field }),
  };
}

function doorFault(call: SealedCallIn, connection: Connection | undefined): RelayFaultCode | undefined {
  if (connection === undefined) return 'RELAY_SELLER_NOT_FOUND';
  if (connection.protocol !== call.protocol) return 'RELAY_DOOR_MISMATCH';
  if (connection.state !== 'live') return 'RELAY_SELLER_NOT_LIVE';
  return undefined;
}

/** MCP is signed for the agent's address; A2A for the interface that the agent's card names. */
async function signedAddress(
  parts: RelayParts,
  call: SealedCallIn,
  connection: Connection,
): Promise<Result<string, RelayFaultCode>> {
  if (connection.protocol === 'mcp') return ok(connection.agentUrl);
  const lane = await parts.lanes.lane(targetOf(call, connection, {}), call.signal);
  return lane.ok ? ok(lane.value.url) : err('RELAY_SELLER_UNREACHABLE');
}

function targetOf(call: SealedCallIn, connection: Connection, { credential }: LegSecrets) {
  return {
    organizationId: connection.organizationId,
    connectionId: connection.id,
    agentUrl: connection.agentUrl,
    protocol: connection.protocol,
    dialect: connection.dialect,
    sessionOf: call.caller.principalId,
    ...(credential === undefined ? {} : { credential }),
  };
}

function actOf(
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

function draftOf(parts: RelayParts, call: SealedCallIn): Draft {
  return {
    id: parts.newId(),
    way: 'sealed',
    principalId: call.caller.principalId,
    principal: call.caller.name,
    seller: call.seller.slice(0, 100),
    arrived: {
      at: parts.clock.now(),
      bodyHash: hashOfBytes(call.body),
      bytes: call.body.length,
      steps: [],
    },
  };
}

function withRequest(record: Draft, request: SealedRequest, signedUrl: string): Draft {
  const { headers, verdict, call } = request;
  return {
    ...record,
    task: call.spec.name,
    arrived: {
      ...record.arrived,
      signature: headers.forwarded.signature,
      signatureInput: headers.forwarded['signature-input'],
      contentDigest: headers.forwarded['content-digest'],
      keyid: verdict.signer.keyid,
      signerAgentUrl: verdict.signer.agentUrl,
      signedUrl,
      steps: verdict.steps,
    },
  };
}

function withForwarding(
  parts: RelayParts,
  record: Draft,
  { headers }: SealedRequest,
  { credential }: LegSecrets,
  to: string,
): Draft {
  return {
    ...record,
    forwarded: {
      at: parts.clock.now(),
      to,
      bodyHash: record.arrived.bodyHash,
      headersAdded: [
        'accept',
        'accept-encoding',
        ...(credential === undefined ? [] : ['authorization']),
        'content-length',
        'host',
      ],
      headersRemoved: headers.leftBehind,
      ...(credential === undefined
        ? {}
        : { credentialId: credential.id, credentialVersion: credential.version }),
    },
  };
}

async function refusalOf(
  parts: RelayParts,
  call: SealedCallIn,
  bare: Draft,
  signedUrl: string,
  refusal: SealedRefusal,
): Promise<Refused> {
  const { forwarded } = refusal.headers ?? {};
  const signer = refusal.verdict?.signer;
  const record: Draft = {
    ...bare,
    ...(refusal.task === undefined ? {} : { task: refusal.task }),
    arrived: {
      ...bare.arrived,
      signedUrl,
      steps: refusal.verdict?.steps ?? [],
      ...(forwarded === undefined
        ? {}
        : {
            signature: forwarded.signature.slice(0, 1024),
            signatureInput: forwarded['signature-input'].slice(0, 2048),
            contentDigest: forwarded['content-digest'].slice(0, 256),
          }),
      ...(signer === undefined ? {} : { keyid: signer.keyid, signerAgentUrl: signer.agentUrl }),
    },
  };
  const code = (await isUnknownTwin(parts, call, record, refusal)) ? 'RELAY_OUTCOME_UNKNOWN' : refusal.code;
  return { code, record, ...(refusal.field === undefined ? {} : { field: refusal.field }) };
}

/** A retry of the very same request whose fate nobody knows is told so: to send it again could do it twice (ruling 34). */
async function isUnknownTwin(
  parts: RelayParts,
  call: SealedCallIn,
  record: Draft,
  refusal: SealedRefusal,
): Promise<boolean> {
  if (refusal.code !== 'request_signature_replayed' || record.arrived.keyid === undefined) return false;
  const nonce = /;nonce="([^"\\]{1,512})"/.exec(record.arrived.signatureInput ?? '')?.[1];
  if (nonce === undefined) return false;
  const scope = { organizationId: call.caller.organizationId };
  const twin = await parts.log.twin(scope, call.caller.principalId, record.arrived.keyid, nonce);
  if (twin?.bodyHash !== record.arrived.bodyHash) return false;
  return twin.outcome === undefined || twin.outcome === 'unknown';
}
