import { dialects, readVoice } from '@switchyard/protocol';
import { authorize } from '@switchyard/tenancy';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { rehearsalTool, type Rehearsal } from '../application/rehearsal.js';
import type { PrincipalCaller, TaskService } from '../application/task-call.js';

/** Who may buy may rehearse buying. */
const needs = { access: 'credentials', area: 'media_buys', permission: 'write' } as const;

/** `comply_test_controller`, which is a tool of the local profile and no task of the protocol, at either door. */
export async function rehearse(
  {
    caller,
    args,
    signal,
  }: {
    readonly caller: PrincipalCaller;
    readonly args: JsonValue;
    readonly signal: AbortSignal;
  },
  doors: { readonly rehearsal: Rehearsal; readonly tasks: TaskService },
): Promise<JsonObject> {
  const allowed = authorize(caller, needs);
  const said = !allowed.ok
    ? { success: false, error: 'FORBIDDEN', error_detail: allowed.error.message }
    : isJsonObject(args)
      ? await doors.rehearsal.perform(caller, args, doors.tasks, signal)
      : { success: false, error: 'INVALID_PARAMS', error_detail: 'The arguments are one JSON object.' };
  const context = isJsonObject(args) ? args['context'] : undefined;
  return { ...envelopeFor(args, said), ...said, ...(isJsonObject(context) ? { context } : {}) };
}

/** From 3.1 on the tool answers in the envelope of every task. */
function envelopeFor(args: JsonValue, said: JsonObject): JsonObject {
  const spoken = readVoice({ taskName: rehearsalTool, args });
  if (!spoken.ok || spoken.value.voice.form !== '3.1') return {};
  const { versionField } = dialects[spoken.value.voice.dialect];
  return { [versionField]: '3.1', status: said['success'] === true ? 'completed' : 'failed' };
}
