import type { BuyerRegistration, TaskCallbacks } from '@switchyard/events';
import { findTask, taskError, type TaskError } from '@switchyard/protocol';
import { authorize, ownReach } from '@switchyard/tenancy';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { callbackErrors } from './callback-errors.js';
import type { HandlerDeps } from '../call/handler.js';
import { rateError, rateKeyOf } from '../../caller/rate-limits.js';
import { readCallbacks, registerCallbacks } from './read-callbacks.js';
import type { PrincipalCaller } from '../call/task-call.js';

/** One native address of a task, without its secrets: they are never shown again. */
export interface PushConfig {
  readonly id: string;
  readonly url: string;
  /** The scheme of the older mode; absent if our webhooks are signed. */
  readonly scheme?: string;
}

export interface PushRequest {
  readonly caller: PrincipalCaller;
  readonly taskId: string;
}

/** Native addresses of a task, registered by its owner after it has started (A2A). */
export interface TaskPush {
  set(
    query: PushRequest & { readonly block: JsonObject; readonly generation: '0.3' | '1.0' },
  ): Promise<Result<PushConfig, readonly TaskError[]>>;
  list(query: PushRequest): Promise<Result<readonly PushConfig[], readonly TaskError[]>>;
  remove(query: PushRequest & { readonly id: string }): Promise<Result<undefined, readonly TaskError[]>>;
}

/** Each address gets a webhook for each change: a task needs no more than this. */
const mostAddresses = 10;

type Deps = Pick<HandlerDeps, 'ports' | 'sealCallback' | 'refuseCallback' | 'rates'> & {
  readonly taskCallbacks: TaskCallbacks;
};

export function createTaskPush(deps: Deps): TaskPush {
  return {
    set: (query) => set(deps, query),
    list: async (query) => {
      const known = await knownOf(deps, query);
      return known.ok ? ok(known.value.registrations.map(configOf)) : known;
    },
    remove: async (query) => {
      const known = await knownOf(deps, query, 'write');
      if (!known.ok) return known;
      const { scope, registrations } = known.value;
      const buyerRegistration = registrations.find((registration) => configOf(registration).id === query.id);
      // A repeated deletion changes nothing, and is no fault.
      if (buyerRegistration === undefined) return ok(undefined);
      await deps.taskCallbacks.remove(scope, buyerRegistration.id, deps.ports.clock.now());
      return ok(undefined);
    },
  };
}

/** The same checks as for an address that comes with the message, in the wire profile of its task. */
async function set(deps: Deps, query: Parameters<TaskPush['set']>[0]): ReturnType<TaskPush['set']> {
  const known = await knownOf(deps, query, 'write');
  if (!known.ok) return known;
  const { scope, operation, spec, registrations } = known.value;
  const { id: named, ...block } = query.block;
  const id = typeof named === 'string' && named !== '' ? { operation_id: named } : {};
  const callbacks = readCallbacks(
    { a2aPush: { ...block, ...id }, a2aContextId: operation.taskId, a2aGeneration: query.generation },
    {},
  );
  const refused = await callbackErrors(
    deps,
    { principal: query.caller, spec, profile: operation.profile },
    callbacks,
  );
  if (refused.length > 0) return err(refused);
  const replaced = registrations.find((buyerRegistration) => configOf(buyerRegistration).id === named);
  if (replaced === undefined && registrations.length >= mostAddresses)
    return err([
      taskError('INVALID_REQUEST', `A task has up to ${mostAddresses} addresses: remove one first.`),
    ]);
  const owner = { ...scope, principalId: query.caller.principalId, operationId: operation.id };
  const made = await registerCallbacks(deps, { ...owner, profile: operation.profile }, callbacks);
  if (!made.ok) return made;
  const [registration] = made.value;
  if (registration === undefined) throw new Error('One address was requested and none was created.');
  const added = await deps.taskCallbacks.add(scope, registration, replaced?.id);
  return added === 'added' ? ok(configOf(registration)) : err([over]);
}

/** Only the owner's task has addresses, and changing them needs the permission for its work. */
async function knownOf(
  { ports, taskCallbacks, rates }: Deps,
  { caller, taskId }: PushRequest,
  kind: 'read' | 'write' = 'read',
) {
  const wait = rates?.take(rateKeyOf(caller), kind);
  if (wait !== undefined) return err([rateError(wait)]);
  const scope = { organizationId: caller.organizationId };
  const state = await ports.store.byTaskId(scope, ownReach(caller.principalId), taskId);
  const spec = state === undefined ? undefined : findTask(state.operation.task);
  if (state === undefined || spec === undefined) return err([noTask]);
  const allowed = authorize(caller, spec);
  if (!allowed.ok) return err([taskError(allowed.error.code, allowed.error.message)]);
  const { operation } = state;
  const registrations = await taskCallbacks.list(scope, operation.id);
  return ok({ scope, operation, spec, registrations });
}

function configOf({ id, buyerOperationId, url, mode }: BuyerRegistration): PushConfig {
  return { id: buyerOperationId ?? id, url, ...(mode === 'signed' ? {} : { scheme: mode }) };
}

const noTask = taskError('REFERENCE_NOT_FOUND', 'There is no task with this id.', { field: 'taskId' });
const over = taskError('INVALID_STATE', 'The task has ended: there will be no updates.', {
  field: 'taskId',
});
