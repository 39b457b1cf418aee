import { taskError, type AnyTaskSpec, type TaskError, type Voice } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { HandlerParts } from './handler.js';
import type { PrincipalCaller } from './task-call.js';

/**
 * What is wrong with the callbacks a buyer registers: an address that may not be called, an `operation_id` that is
 * missing where the form has one, a legacy block from a caller that is not marked legacy, or a task that never
 * reports (rulings 19, 20 and 36).
 */
export async function callbackErrors(
  parts: Pick<HandlerParts, 'refuseCallback'>,
  principal: PrincipalCaller,
  spec: AnyTaskSpec,
  voice: Voice,
  args: JsonObject,
): Promise<TaskError[]> {
  const errors: TaskError[] = [];
  const push = args['push_notification_config'];
  if (isJsonObject(push)) {
    if (!spec.mayBeAsync) {
      errors.push(
        taskError('INVALID_REQUEST', 'This task answers at once: it sends no webhook.', {
          field: 'push_notification_config',
          suggestion: 'Leave it out.',
        }),
      );
    } else if (needsOperationId(voice) && typeof push['operation_id'] !== 'string') {
      const field = 'push_notification_config.operation_id';
      const suggestion = 'Send a fresh UUID per request: every webhook for it echoes that.';
      errors.push(
        taskError('INVALID_REQUEST', 'A registration names its operation_id.', { field, suggestion }),
      );
    }
  }
  for (const name of ['push_notification_config', 'reporting_webhook']) {
    const callback = args[name];
    if (!isJsonObject(callback)) continue;
    const { url } = callback;
    const reason = typeof url === 'string' ? await parts.refuseCallback(url) : 'There is no address.';
    if (reason !== undefined)
      errors.push(
        taskError('INVALID_REQUEST', `This address cannot be called back. ${reason}`, {
          field: `${name}.url`,
          suggestion: 'Give an https address that can be reached from here.',
        }),
      );
  }
  if (isJsonObject(push) && isNonEmpty(push['authentication']) && !principal.legacy) {
    const field = 'push_notification_config.authentication';
    const suggestion = 'Leave it out: our webhooks are signed.';
    errors.push(
      taskError('INVALID_REQUEST', 'Legacy callback authentication is not accepted from you.', {
        field,
        suggestion,
      }),
    );
  }
  return errors;
}

function needsOperationId(voice: Voice): boolean {
  return voice.form === 'service' || voice.form === '3.1';
}

function isNonEmpty(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length > 0;
}
