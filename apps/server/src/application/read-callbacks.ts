import type { CallbackSecrets, RegistrationChannel, RegistrationEnvelope } from '@switchyard/events';
import type { WebhookMode } from '@switchyard/signing';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { TaskCall } from './task-call.js';

/** An address that a buyer registers with a call, as it wrote it: not yet judged. */
export interface CallbackRequest {
  /** Where in the call it stands. */
  readonly field: string;
  readonly channel: RegistrationChannel;
  readonly envelope: RegistrationEnvelope;
  readonly url?: string;
  readonly buyerOperationId?: string;
  readonly contextId?: string;
  readonly frequency?: string;
  /** `unknown`: a legacy block that names no scheme of ours, or more than one. */
  readonly mode: WebhookMode | 'unknown';
  readonly secrets: CallbackSecrets;
}

/** What a call registers: up to three addresses, each channel for itself; both of a task's may be given, and both fire. */
export function readCallbacks(
  call: Pick<TaskCall, 'a2aPush' | 'a2aContextId' | 'a2aGeneration'>,
  args: JsonObject,
): readonly CallbackRequest[] {
  const push = args['push_notification_config'];
  const reporting = args['reporting_webhook'];
  const { a2aPush, a2aContextId, a2aGeneration } = call;
  const requests: CallbackRequest[] = [];
  if (isJsonObject(push)) {
    requests.push({
      ...addressOf(push),
      field: 'push_notification_config',
      channel: 'task',
      envelope: 'mcp',
    });
  }
  if (a2aPush !== undefined) {
    requests.push({
      ...addressOf(a2aPush),
      field: 'configuration.pushNotificationConfig',
      channel: 'task',
      envelope: `a2a-${a2aGeneration ?? '0.3'}`,
      ...(a2aContextId === undefined ? {} : { contextId: a2aContextId }),
    });
  }
  if (isJsonObject(reporting)) {
    const frequency = textOf(reporting['reporting_frequency']) ?? textOf(reporting['frequency']);
    // A report needs an operation_id in its envelope, and this block has no member of that name in most releases.
    const operationId = isJsonObject(push) ? textOf(push['operation_id']) : undefined;
    requests.push({
      ...(operationId === undefined ? {} : { buyerOperationId: operationId }),
      ...addressOf(reporting),
      field: 'reporting_webhook',
      channel: 'report',
      envelope: 'mcp',
      ...(frequency === undefined ? {} : { frequency }),
    });
  }
  return requests;
}

function addressOf(
  block: JsonObject,
): Pick<CallbackRequest, 'url' | 'buyerOperationId' | 'mode' | 'secrets'> {
  const url = textOf(block['url']);
  const operationId = textOf(block['operation_id']);
  const token = textOf(block['token']);
  const authentication = block['authentication'];
  const isLegacy = isJsonObject(authentication) && Object.keys(authentication).length > 0;
  const credentials = isLegacy ? textOf(authentication['credentials']) : undefined;
  return {
    mode: isLegacy ? modeOf(authentication['schemes']) : 'signed',
    secrets: {
      ...(token === undefined ? {} : { token }),
      ...(credentials === undefined ? {} : { credentials }),
    },
    ...(url === undefined ? {} : { url }),
    ...(operationId === undefined ? {} : { buyerOperationId: operationId }),
  };
}

function modeOf(schemes: JsonValue | undefined): CallbackRequest['mode'] {
  if (!Array.isArray(schemes) || schemes.length !== 1) return 'unknown';
  const [scheme] = schemes;
  const name = typeof scheme === 'string' ? scheme.toLowerCase() : '';
  return name === 'hmac-sha256' || name === 'bearer' ? name : 'unknown';
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
