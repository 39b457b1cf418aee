import {
  requestedPart,
  findTask,
  readReply,
  shapeArgs,
  taskError,
  taskNameAt,
  type SellerReply,
  type TaskError,
} from '@switchyard/protocol';
import {
  callSignerFor,
  credentialFailure,
  targetOf,
  type Connection,
  type PrincipalSigner,
  type SellerCall,
  type SellerTarget,
  type SellerTransport,
  type TransportFailure,
} from '@switchyard/sellers';
import { defined, err, ok, type JsonObject, type Result } from '@switchyard/values';
import { errorsWithBuyerIds } from '../model/buyer-creative-ids.js';

export interface SellerReport {
  readonly reply: SellerReply;
  readonly a2aTaskId?: string;
}

/** `calledTask`: the called task, where it differs from the task of the answer, as in polling over A2A. */
export interface SellerTaskCall {
  readonly task: string;
  readonly calledTask?: string;
  readonly args: JsonObject;
  /** Frozen arguments are sent unchanged; others are reduced to those that the seller's tool lists. */
  readonly frozen?: boolean;
  readonly a2aTaskId?: string;
  readonly a2aContextId?: string;
  readonly a2aPush?: NonNullable<SellerCall['a2aPush']>;
}

/** Calls one task at one seller and reads its status and errors. The payload is reduced to what was requested. */
export async function callSeller(
  transport: SellerTransport,
  to: {
    readonly connection: Connection;
    readonly credential?: SellerTarget['credential'];
    readonly signer?: PrincipalSigner;
  },
  call: SellerTaskCall,
  signal: AbortSignal,
): Promise<Result<SellerReport, TransportFailure>> {
  const { connection, credential } = to;
  const spec = findTask(call.calledTask ?? call.task);
  if (spec === undefined) throw new Error(`No task is called ${call.calledTask ?? call.task}.`);
  const tool = taskNameAt(spec, connection.dialect, connection.tools);
  const args = call.frozen === true ? call.args : shapeArgs(call.args, connection.tools?.[tool]).args;
  const fault = credentialFailure(spec.name, args);
  if (fault !== undefined) return err(fault);
  const signer = callSignerFor(connection, spec, to.signer);
  const reported = await transport.call(
    { ...targetOf(connection, credential), ...(signer === undefined ? {} : { signer }) },
    {
      tool,
      args,
      ...defined({ a2aTaskId: call.a2aTaskId, a2aContextId: call.a2aContextId, a2aPush: call.a2aPush }),
    },
    signal,
  );
  if (!reported.ok) return err(reported.error);
  const read = readReply(call.task, reported.value.payload, reported.value.isError, reported.value.a2a);
  const answer = { ...read, errors: errorsWithBuyerIds(read.errors, connection.id) };
  // An answer about another call is reduced later, where its leg is known.
  const isUnfiltered = call.calledTask !== undefined || spec.name !== call.task;
  const reply = isUnfiltered
    ? answer
    : { ...answer, payload: requestedPart(call.task, call.args, answer.payload) };
  const a2aTaskId = reported.value.a2a?.taskId;
  return ok({ reply, ...(a2aTaskId === undefined ? {} : { a2aTaskId }) });
}

/** Converts a transport failure to an error, without the seller's own details. */
export function failureAsError(failure: TransportFailure, seller: string): TaskError {
  const reported: Readonly<Record<TransportFailure['code'], string>> = {
    aborted: 'did not answer before the caller gave up',
    timeout: 'did not answer in time',
    blocked: 'has an address that is not allowed',
    stopped: 'was not called: an emergency stop is active',
    credential_in_args: 'was not called: the request would have contained a credential',
    not_signed: 'requires a signature that we could not create',
    unreachable: 'cannot be reached',
    unauthorized: 'refused our credential',
    http_error: 'answered with an HTTP error',
    malformed: 'sent an answer outside the protocol',
    too_large: 'sent an answer that is too large',
    no_connector: 'is called by a connector that is not loaded',
    protocol_error: 'does not use the protocol as configured',
  };
  const status = failure.httpStatus === undefined ? '' : ` (${failure.httpStatus})`;
  return taskError(codeOf(failure), `The seller ${seller} ${reported[failure.code]}${status}.`, {
    details: { seller, failure: failure.code },
    ...(failure.retryAfter === undefined ? {} : { retryAfter: failure.retryAfter }),
  });
}

/** Statuses of HTTP that say something about our rights or the seller's address: a person has to mend its connection. */
const ofConnection: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 410]);
/** Statuses of 4xx that depend on the moment: the same request may be taken later. */
const ofMoment: ReadonlySet<number> = new Set([408, 409, 421, 423, 425, 429]);

/** Any other 4xx is about what was asked, and the same bytes get it again: the caller has to ask for something else. */
function codeOf({ code, httpStatus = 0 }: TransportFailure): string {
  if (httpStatus === 429) return 'RATE_LIMITED';
  if (code === 'credential_in_args') return 'CREDENTIAL_IN_ARGS';
  if (code === 'unauthorized' || code === 'not_signed' || ofConnection.has(httpStatus))
    return 'CONFIGURATION_ERROR';
  const isRefused = httpStatus >= 400 && httpStatus < 500 && !ofMoment.has(httpStatus);
  return isRefused ? 'INVALID_REQUEST' : 'SERVICE_UNAVAILABLE';
}
