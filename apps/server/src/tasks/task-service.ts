import {
  credentialError,
  credentialInArgs,
  findTask,
  httpStatusOf,
  projectEnvelope,
  readWireProfile,
  wireProfileOfRefusal,
  taskError,
  tasks,
  type AnyTaskSpec,
  type CallerVersion,
  type TaskError,
} from '@switchyard/protocol';
import { authorize } from '@switchyard/tenancy';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { requestedAccountOf, accountOf } from './caller/account-of.js';
import { callbackErrors, placeholderFindings, strangersCallbackErrors } from './answer/callback-errors.js';
import { failedPayload } from './answer/failed-payload.js';
import { withGovernanceFinding } from './market/governance-finding.js';
import { withOurs } from './answer/with-ours.js';
import type { Handled, HandledCall, HandlerDeps } from './handler.js';
import { handlerOf } from './handler-table.js';
import { NumbersRead } from './answer/numbers-read.js';
import { permissionError, permissionRefusal } from './caller/permission-refusal.js';
import { rateError, rateKeyOf } from './caller/rate-limits.js';
import { readCallbacks } from './operation/read-callbacks.js';
import { signatureError } from './caller/signature-demand.js';
import type { TaskCall, TaskReply, TaskService } from './task-call.js';

/** What the buyer is told in, before anybody knows how it speaks. */
const unknownVoice: CallerVersion = { profile: { dialect: 'ads', form: 'service' } };

/**
 * The one service behind all doors: a straight line from a strictly parsed call to a reply in the caller's form.
 *
 * The order is the contract (docs/protocol/idempotency.md#keys-of-buyers): who may, then no credential among the
 * arguments, then version and schema, then the account, then the handler with its idempotency. Nothing is stored or
 * sent before the last step.
 */
export function createTaskService(deps: HandlerDeps): TaskService {
  return { call: (call) => run(deps, call) };
}

async function run(deps: HandlerDeps, call: TaskCall): Promise<TaskReply> {
  const spec = findTask(call.task);
  if (spec === undefined) return refuse(unknownVoice, [unknownTask()], call);
  const signedBy = call.caller.kind === 'principal' ? call.caller.signedBy : undefined;
  const spoken = {
    taskName: call.task,
    args: call.args,
    ...(signedBy === undefined ? {} : { signerDialect: signedBy.dialect }),
  };
  const voiced = readWireProfile(spoken);
  const version = voiced.ok ? voiced.value : wireProfileOfRefusal(spoken);

  const wait = deps.rates?.take(rateKeyOf(call.caller), spec.kind === 'read' ? 'read' : 'write');
  // Before anything is looked up or stored, so that it is never the answer that a replay gives again.
  if (wait !== undefined) return refuse(version, [rateError(wait)], call, echoable(call, spec));
  // Of a release that nobody here speaks it is not known what it wants signed: it is refused for its version.
  const unsigned = voiced.ok ? signatureError(call.caller, spec, version, call.args) : undefined;
  // Without any credential the missing signature is what is said; with one, first whether it may at all.
  if (unsigned !== undefined && call.caller.kind === 'public')
    return refuse(version, [unsigned], call, echoable(call, spec));
  const forbidden = await permissionFault(deps, call.caller, spec);
  if (forbidden !== undefined) return refuse(version, [forbidden], call, echoable(call, spec));
  const given = call.args;
  const credential =
    call.credentialBeside === undefined
      ? credentialInArgs(spec.name, given)
      : credentialError(call.credentialBeside);
  // Neither the value nor the context is echoed: the secret may lie in either.
  if (credential !== undefined) return refuse(version, [credential], call);
  if (!isJsonObject(given)) return refuse(version, [notAnObject], call);
  if (unsigned !== undefined) return refuse(version, [unsigned], call, given);
  if (!voiced.ok) return refuse(version, voiced.error, call, given);
  const passed = call.caller.kind === 'public' ? withoutExtensions(given) : given;
  const args = deps.rehearsal?.withLocalNames(call.caller, passed) ?? passed;

  const numbers = new NumbersRead(call.exact);
  const read = spec.readRequest(args, version.profile, numbers);
  if (!read.ok) return refuse(version, read.error, call, args);
  const altered = numbers.faults();
  // The context is not echoed: it may be the very thing that would come back changed.
  if (altered.length > 0) return refuse(version, altered, call);
  const handled = await admit(deps, { call, spec, version, args, request: read.value });
  if (Array.isArray(handled)) return refuse(version, handled, call, args);
  const governed = await withGovernanceFinding(deps, handled, await handlerOf(spec.name)(deps, handled));
  const outcome = withPlaceholderFindings(handled, governed);
  if (outcome.kind === 'done') await declareAccount(deps, handled);
  const reply = replyOf(outcome, version, call, args);
  return deps.rehearsal?.withTestNames(call.caller, spec.name, reply) ?? reply;
}

/** What a caller is told that may not do what a task does. */
export async function permissionFault(
  { grants }: Pick<HandlerDeps, 'grants'>,
  caller: TaskCall['caller'],
  spec: AnyTaskSpec,
): Promise<TaskError | undefined> {
  const allowed = authorize(caller, spec);
  if (allowed.ok) return undefined;
  if (caller.kind === 'public') return taskError(allowed.error.code, allowed.error.message);
  return permissionError(await permissionRefusal(grants, caller, spec));
}

export const notAnObject = taskError('INVALID_REQUEST', 'The arguments of a task are one JSON object.', {
  suggestion: 'Send an object, even if it is empty.',
});

/**
 * What a caller without a credential says in `ext`, at any depth, is neither read nor passed on: nobody vouches for it.
 * A context is not looked into: it comes back as it is.
 */
function withoutExtensions({ context, ...args }: JsonObject): JsonObject {
  return { ...(withoutExt(args) as JsonObject), ...(context === undefined ? {} : { context }) };
}

function withoutExt(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutExt);
  if (!isJsonObject(value)) return value;
  const others = Object.entries(value).filter(([name]) => name !== 'ext');
  return Object.fromEntries(others.map(([name, member]) => [name, withoutExt(member)]));
}

function withPlaceholderFindings(
  { call, args, version, principal }: HandledCall<unknown>,
  outcome: Handled,
): Handled {
  const findings = principal === undefined ? [] : placeholderFindings(readCallbacks(call, args));
  if (outcome.kind !== 'done' || findings.length === 0) return outcome;
  const members = { findings: findings.map((finding) => ({ ...finding })) };
  return { ...outcome, payload: withOurs(outcome.payload, members, version.profile) };
}

/** Arguments whose `context` may go back before they were judged: those without a credential anywhere. */
function echoable(call: TaskCall, spec: AnyTaskSpec): JsonObject | undefined {
  if (call.credentialBeside !== undefined || !isJsonObject(call.args)) return undefined;
  return credentialInArgs(spec.name, call.args) === undefined ? call.args : undefined;
}

/** A call whose arguments were read: its callbacks and its account are judged, or the errors. */
export async function admit(
  deps: HandlerDeps,
  read: Pick<HandledCall<unknown>, 'call' | 'spec' | 'version' | 'args' | 'request'>,
): Promise<HandledCall<unknown> | TaskError[]> {
  const { call, spec, version, args, request } = read;
  const scope = { organizationId: call.caller.organizationId };
  const base = { ...read, scope };
  const callbacks = readCallbacks(call, args);
  if (call.caller.kind === 'public') {
    const misplaced = strangersCallbackErrors(spec, callbacks);
    return misplaced.length > 0 ? misplaced : base;
  }
  const refused = await callbackErrors(
    deps,
    { principal: call.caller, spec, profile: version.profile },
    callbacks,
  );
  if (refused.length > 0) return refused;
  if (spec.kind === 'read' || spec.isForNoAccount === true) {
    const held = await requestedAccountOf(deps, scope, call.caller, { task: spec.name, request });
    return held === undefined ? { ...base, principal: call.caller } : [held];
  }
  const account = await accountOf(deps, scope, call.caller, { task: spec.name, request });
  if (!account.ok) return [account.error];
  return {
    ...base,
    principal: call.caller,
    ...(account.value === undefined
      ? {}
      : { account: account.value.account, accountIsNew: account.value.isNew }),
  };
}

/** Afterwards, so that a request that was refused leaves nothing behind. */
async function declareAccount(deps: HandlerDeps, handled: HandledCall<unknown>): Promise<void> {
  const { scope, principal, account, accountIsNew } = handled;
  if (principal === undefined || account === undefined || accountIsNew !== true) return;
  if (isDryRun(handled.request)) return;
  await deps.principals.declareAccount(scope, principal.principalId, account, deps.ports.clock.now());
}

/** What only says what would be done leaves nothing behind. */
function isDryRun(request: unknown): boolean {
  return typeof request === 'object' && request !== null && 'dryRun' in request && request.dryRun === true;
}

function unknownTask(): TaskError {
  const names = [...new Set(tasks.map((spec) => spec.names.ads[0]))].join(', ');
  return taskError('INVALID_REQUEST', 'There is no such task.', {
    field: 'task',
    suggestion: `There are: ${names}.`,
  });
}

function refuse(
  version: CallerVersion,
  errors: readonly TaskError[],
  call: TaskCall,
  args?: JsonObject,
): TaskReply {
  return replyOf({ kind: 'failed', errors }, version, call, args);
}

function replyOf(outcome: Handled, version: CallerVersion, call: TaskCall, args?: JsonObject): TaskReply {
  const { profile, served } = version;
  const context = args?.['context'];
  const contextId = args?.['context_id'];
  const errors = outcome.kind === 'failed' ? outcome.errors : [];
  const status = outcome.kind === 'done' ? outcome.status : (outcome.status ?? 'failed');
  const body = projectEnvelope(
    {
      profile,
      status,
      rest: call.door === 'rest',
      ...(served === undefined ? {} : { served }),
      ...(isJsonObject(context) ? { context } : {}),
      ...(typeof contextId === 'string' ? { contextId } : {}),
      ...(outcome.operationId === undefined ? {} : { operationId: outcome.operationId }),
      ...(outcome.sellers === undefined ? {} : { sellers: outcome.sellers }),
      ...(outcome.kind === 'done' && outcome.taskId !== undefined ? { taskId: outcome.taskId } : {}),
      ...(outcome.kind === 'done' && outcome.message !== undefined ? { message: outcome.message } : {}),
      ...(outcome.kind === 'done' && outcome.replayed === true ? { replayed: true } : {}),
    },
    outcome.kind === 'done' ? outcome.payload : failedPayload(outcome, profile),
  );
  const [error] = errors;
  return {
    profile,
    status,
    body,
    errors,
    isError: outcome.kind === 'failed',
    httpStatus: error === undefined ? 200 : statusOf(error),
    ...(outcome.storedTaskId === undefined ? {} : { storedTaskId: outcome.storedTaskId }),
    ...(outcome.kind === 'done' && outcome.taskId !== undefined ? { taskId: outcome.taskId } : {}),
  };
}

/** 401 speaks of the caller's own credential. A seller that did not take ours is trouble further on. */
function statusOf({ code, details }: TaskError): number {
  const status = httpStatusOf(code);
  return status === 401 && typeof details?.['seller'] === 'string' ? 502 : status;
}
