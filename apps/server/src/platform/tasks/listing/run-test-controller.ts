import { credentialInArgs, dialects, hasFeature, readWireProfile } from '@switchyard/protocol';
import { authorize } from '@switchyard/tenancy';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { testControllerTool, type TestController } from '../call/test-controller.js';
import type { PrincipalCaller, TaskService } from '../call/task-call.js';

/** The test controller needs the same permission as buying. */
const needs = { access: 'credentials', area: 'media_buys', permission: 'write' } as const;

/** Runs `comply_test_controller`, a tool of the local profile that is no task of the protocol, for MCP and A2A. */
export async function runTestController(
  {
    caller,
    args,
    signal,
    beside,
  }: {
    readonly caller: PrincipalCaller;
    readonly args: JsonValue;
    readonly signal: AbortSignal;
    /** Where the message holds a credential outside the arguments, if it does. */
    readonly beside: string | undefined;
  },
  http: { readonly testController: TestController; readonly tasks: TaskService },
): Promise<JsonObject> {
  const credential = beside ?? credentialInArgs(testControllerTool, args)?.field;
  // As with a task: only the place, and no context, because the secret may be in it.
  if (credential !== undefined) {
    const error_detail = `The arguments contain a credential or trust material: ${credential}.`;
    const reported = { success: false, error: 'CREDENTIAL_IN_ARGS', error_detail };
    return { ...envelopeFor(args, reported), ...reported };
  }
  const allowed = authorize(caller, needs);
  const reported = !allowed.ok
    ? { success: false, error: 'FORBIDDEN', error_detail: allowed.error.message }
    : isJsonObject(args)
      ? await http.testController.perform(caller, args, http.tasks, signal)
      : { success: false, error: 'INVALID_PARAMS', error_detail: 'The arguments must be one JSON object.' };
  const context = isJsonObject(args) ? args['context'] : undefined;
  return { ...envelopeFor(args, reported), ...reported, ...(isJsonObject(context) ? { context } : {}) };
}

/** From 3.1 on the tool answers in the common envelope of tasks. */
function envelopeFor(args: JsonValue, reported: JsonObject): JsonObject {
  const spoken = readWireProfile({ taskName: testControllerTool, args });
  if (!spoken.ok || !hasFeature(spoken.value.profile.form, 'testControllerEnvelope')) return {};
  const { versionField } = dialects[spoken.value.profile.dialect];
  return {
    [versionField]: spoken.value.profile.form,
    status: reported['success'] === true ? 'completed' : 'failed',
  };
}
