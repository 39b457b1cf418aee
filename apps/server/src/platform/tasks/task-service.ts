import {
  credentialError,
  credentialInArgs,
  servingTask,
  httpStatusOf,
  lifecycleMember,
  lifecycleTask,
  projectEnvelope,
  readWireProfile,
  wireProfileOfRefusal,
  taskError,
  tasks,
  type AnyTaskSpec,
  type CallerVersion,
  type TaskError,
} from '@switchyard/protocol';
import { isInvalidValue } from '@switchyard/store';
import { authorize } from '@switchyard/tenancy';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { notInRelease, refusedIn, serveLifecycle } from './lifecycle/serve-lifecycle.js';
import { requestedAccountOf, accountOf, withBrandDomain } from './gates/resolve-account.js';
import { callbackErrors, placeholderFindings, anonymousCallbackErrors } from './operation/callback-errors.js';
import { failedPayload } from './answer/failed-payload.js';
import { withGovernanceFinding, withOurs } from './answer/extend-answer.js';
import type { Handled, HandledCall, HandlerDeps, HandlerOf } from './call/handler.js';
import { NumbersRead } from './answer/numbers-read.js';
import { permissionError, permissionRefusal } from '../caller/permission-refusal.js';
import { quotaError } from '../caller/quotas.js';
import { rateError, rateKeyOf } from '../caller/rate-limits.js';
import { wrongCursor } from './answer/page-cursor.js';
import { readCallbacks } from './operation/read-callbacks.js';
import { signatureError } from './gates/signature-demand.js';
import type { TaskCall, TaskReply, TaskService } from './call/task-call.js';

/** The version of errors before the buyer's version is known. */
const unknownProfile: CallerVersion = { profile: { dialect: 'ads', form: 'service' } };

/**
 * The application service behind all protocols: a fixed sequence from a strictly parsed call to the caller's reply.
 *
 * The order is a contract (docs/protocol/idempotency.md#keys-of-buyers): permissions, no credential in the arguments,
 * then version and schema, the account, and last the handler with its idempotency. Nothing is stored or sent before
 * that step.
 */
export function createTaskService(deps: HandlerDeps, handlerOf: HandlerOf): TaskService {
  return { call: async (call) => refusedIn(deps, call, await run({ ...deps, handlerOf }, call)) };
}

interface ServiceDeps extends HandlerDeps {
  readonly handlerOf: HandlerOf;
}

async function run(deps: ServiceDeps, call: TaskCall): Promise<TaskReply> {
  const spec = servingTask(call.task);
  if (spec === undefined) return refuse(unknownProfile, [unknownTask()], call);
  const signedBy = call.caller.kind === 'principal' ? call.caller.signedBy : undefined;
  const declared = {
    taskName: call.task,
    args: call.args,
    ...(signedBy === undefined ? {} : { signerDialect: signedBy.dialect }),
  };
  const profileRead = readWireProfile(declared);
  const version = profileRead.ok ? profileRead.value : wireProfileOfRefusal(declared);

  const wait = deps.rates?.take(rateKeyOf(call.caller), spec.kind === 'read' ? 'read' : 'write');
  // Before anything is read or stored, so that a replay never returns this refusal.
  if (wait !== undefined) return refuse(version, [rateError(wait)], call, echoable(call, spec));
  const over =
    call.caller.kind === 'principal'
      ? deps.quotas?.takeCall(call.caller.organizationId, spec.name === 'create_media_buy')
      : undefined;
  if (over !== undefined) return refuse(version, [quotaError(over)], call, echoable(call, spec));
  // The signing rules of an unsupported release are unknown: it is refused for its version.
  const unsigned = profileRead.ok ? signatureError(call.caller, spec, version, call.args) : undefined;
  // Without any credential the missing signature is the error; with one, permissions are checked first.
  if (unsigned !== undefined && call.caller.kind === 'public')
    return refuse(version, [unsigned], call, echoable(call, spec));
  const forbidden = await permissionFault(deps, call.caller, spec);
  if (forbidden !== undefined) return refuse(version, [forbidden], call, echoable(call, spec));
  const given = call.args;
  const credential =
    call.credentialBeside === undefined
      ? credentialInArgs(spec.name, given)
      : credentialError(call.credentialBeside);
  // Neither the value nor the context is returned: the secret may be in either.
  if (credential !== undefined) return refuse(version, [credential], call);
  if (!isJsonObject(given)) return refuse(version, [notAnObject], call);
  if (unsigned !== undefined) return refuse(version, [unsigned], call, given);
  if (!profileRead.ok) return refuse(version, profileRead.error, call, given);
  const elsewhere = notInRelease(call.task, version.profile);
  if (elsewhere !== undefined) return refuse(version, [elsewhere], call, given);
  const { [lifecycleMember]: _ours, ...own } = given;
  const passed = call.caller.kind === 'public' ? withoutExtensions(own) : own;
  const local = deps.testController?.withLocalNames(call.caller, passed) ?? passed;
  const branded = await withBrandDomain(deps, call.caller, spec, local);
  if (!branded.ok) return refuse(version, [branded.error], call, local);
  const lifecycle = await serveLifecycle(deps, call, branded.value, version.profile);
  if (!lifecycle.ok) return refuse(version, lifecycle.error, call, branded.value);
  if (lifecycle.value === undefined) return answer(deps, { call, spec, version }, branded.value);
  const { body } = lifecycle.value;
  if (body !== undefined) return replyOf(done(body), version, call, branded.value, body);
  const served = { call: lifecycle.value.call, spec, version };
  return lifecycle.value.reply(answer(deps, served, lifecycle.value.args));
}

type Declared = Pick<HandledCall<unknown>, 'call' | 'spec' | 'version'>;

/** Reads arguments that may be read, admits their caller, and answers them. */
async function answer(
  deps: ServiceDeps,
  { call, spec, version }: Declared,
  args: JsonObject,
): Promise<TaskReply> {
  const numbers = new NumbersRead(call.exact);
  const read = spec.readRequest(args, version.profile, numbers);
  if (!read.ok) return refuse(version, read.error, call, args);
  const altered = numbers.faults();
  if (altered.length > 0) return refuse(version, altered, call, args);
  const handled = await admit(deps, { call, spec, version, args, request: read.value });
  if (Array.isArray(handled)) return refuse(version, handled, call, args);
  const governed = await withGovernanceFinding(deps, handled, await answerOf(deps, handled));
  const outcome = withPlaceholderFindings(handled, governed);
  if (outcome.kind === 'done') await declareAccount(deps, handled);
  const reply = replyOf(outcome, version, call, args);
  return deps.testController?.withTestNames(call.caller, spec.name, reply) ?? reply;
}

/** The handler's answer. A cursor comes from the caller: values in it that its list does not have are the caller's fault. */
async function answerOf(deps: ServiceDeps, handled: HandledCall<unknown>): Promise<Handled> {
  try {
    return await deps.handlerOf(handled.spec.name)(deps, handled);
  } catch (error) {
    const { cursor } = handled.request as { readonly cursor?: unknown };
    if (cursor === undefined || !isInvalidValue(error)) throw error;
    return { kind: 'failed', errors: [wrongCursor] };
  }
}

/** The error for a caller that may not run a task. */
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

export const notAnObject = taskError('INVALID_REQUEST', 'The arguments of a task must be one JSON object.', {
  suggestion: 'Send an object, even if it is empty.',
});

/**
 * Removes `ext` from a call without a credential, at any depth: it is neither read nor forwarded, because nobody
 * vouches for it. A context is not searched: it is returned unchanged.
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

/** Arguments whose `context` may be returned before they were checked: those without a credential anywhere. */
function echoable(call: TaskCall, spec: AnyTaskSpec): JsonObject | undefined {
  if (call.credentialBeside !== undefined || !isJsonObject(call.args)) return undefined;
  return credentialInArgs(spec.name, call.args) === undefined ? call.args : undefined;
}

/** Checks the callbacks and the account of a call whose arguments were read; answers the errors, if any. */
export async function admit(
  deps: HandlerDeps,
  read: Pick<HandledCall<unknown>, 'call' | 'spec' | 'version' | 'args' | 'request'>,
): Promise<HandledCall<unknown> | TaskError[]> {
  const { call, spec, version, args, request } = read;
  const scope = { organizationId: call.caller.organizationId };
  const base = { ...read, scope };
  const callbacks = readCallbacks(call, args);
  if (call.caller.kind === 'public') {
    const misplaced = anonymousCallbackErrors(spec, callbacks);
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

/** Afterwards, so that a refused request stores nothing. */
async function declareAccount(deps: HandlerDeps, handled: HandledCall<unknown>): Promise<void> {
  const { scope, principal, account, accountIsNew } = handled;
  if (principal === undefined || account === undefined || accountIsNew !== true) return;
  if (isDryRun(handled.request)) return;
  await deps.principals.declareAccount(scope, principal.principalId, account, deps.ports.clock.now());
}

/** A dry run stores nothing. */
function isDryRun(request: unknown): boolean {
  return typeof request === 'object' && request !== null && 'dryRun' in request && request.dryRun === true;
}

function unknownTask(): TaskError {
  const names = [...new Set(tasks.map((spec) => spec.names.ads[0]))].join(', ');
  return taskError('INVALID_REQUEST', 'There is no task with this id.', {
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

function done(payload: JsonObject): Handled {
  return { kind: 'done', status: 'completed', payload };
}

/** `whole`: a body that has its envelope. */
function replyOf(
  outcome: Handled,
  version: CallerVersion,
  call: TaskCall,
  args?: JsonObject,
  whole?: JsonObject,
): TaskReply {
  const { profile, served } = version;
  // One with a number that a double cannot represent would come back changed.
  const isExact = ![...call.exact.keys()].some((pointer) => pointer.startsWith('/context/'));
  const context = isExact ? args?.['context'] : undefined;
  const contextId = args?.['context_id'];
  const errors = outcome.kind === 'failed' ? outcome.errors : [];
  const status = outcome.kind === 'done' ? outcome.status : (outcome.status ?? 'failed');
  const body = projectEnvelope(
    {
      profile,
      status,
      rest: call.endpoint === 'rest' && lifecycleTask(call.task) === undefined,
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
    body: whole ?? body,
    errors,
    isError: outcome.kind === 'failed',
    httpStatus: error === undefined ? 200 : statusOf(error),
    ...(outcome.storedTaskId === undefined ? {} : { storedTaskId: outcome.storedTaskId }),
    ...(outcome.kind === 'done' && outcome.taskId !== undefined ? { taskId: outcome.taskId } : {}),
  };
}

/**
 * 401 is only for the caller's own credential, and 500 for our own faults. A seller that refused our credential, or
 * refused with an unknown code, is another error.
 */
function statusOf({ code, details, recovery }: TaskError): number {
  const status = httpStatusOf(code);
  if (typeof details?.['seller'] !== 'string' || (status !== 401 && status !== 500)) return status;
  return recovery === 'correctable' && status === 500 ? 422 : 502;
}
