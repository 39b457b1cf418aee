import type {
  CallbackSecrets,
  RegistrationChannel,
  RegistrationEnvelope,
  BuyerRegistration,
} from '@switchyard/events';
import { updateMediaBuy, taskError, type TaskError, type WireProfile } from '@switchyard/protocol';
import type { WebhookMode } from '@switchyard/signing';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  err,
  ok,
  type Result,
} from '@switchyard/values';
import type { TaskCall } from '../call/task-call.js';
import type { HandlerDeps } from '../call/handler.js';

/** An address that a buyer registers with a call, as written, before any check. */
export interface CallbackRequest {
  /** Its place in the call. */
  readonly field: string;
  readonly channel: RegistrationChannel;
  readonly envelope: RegistrationEnvelope;
  readonly url?: string;
  readonly buyerOperationId?: string;
  readonly contextId?: string;
  readonly frequency?: string;
  /** `unknown`: a legacy block that names no known scheme, or more than one. */
  readonly mode: WebhookMode | 'unknown';
  readonly secrets: CallbackSecrets;
  /** True for an address that gets only this task's webhooks and never replaces that of its media buy. */
  readonly isOfTaskAlone?: true;
}

/**
 * The callbacks of a call: each channel separately; both channels of a task may be given, and both are used. A change
 * of a buy may also name the buy's addresses in its `updates`; an address beside those is then for this task alone.
 */
export function readCallbacks(
  call: Pick<TaskCall, 'a2aPush' | 'a2aContextId' | 'a2aGeneration'> & Partial<Pick<TaskCall, 'task'>>,
  args: JsonObject,
): readonly CallbackRequest[] {
  const { updates } = args;
  const inner = call.task === updateMediaBuy.name && isJsonObject(updates) ? updates : {};
  const ofBuy = inner['push_notification_config'];
  const push = isSame(args['push_notification_config'], ofBuy) ? undefined : args['push_notification_config'];
  const { a2aPush, a2aContextId, a2aGeneration } = call;
  const requests: CallbackRequest[] = [];
  if (isJsonObject(push)) {
    requests.push({
      ...addressOf(push),
      field: 'push_notification_config',
      channel: 'task',
      envelope: 'mcp',
      ...(isJsonObject(ofBuy) ? { isOfTaskAlone: true } : {}),
    });
  }
  if (isJsonObject(ofBuy)) {
    const field = 'updates.push_notification_config';
    requests.push({ ...addressOf(ofBuy), field, channel: 'task', envelope: 'mcp' });
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
  const beside = [ofBuy, push].find(isJsonObject);
  const reporting = args['reporting_webhook'];
  if (isJsonObject(reporting)) requests.push(reportsTo(reporting, 'reporting_webhook', beside));
  else if (isJsonObject(inner['reporting_webhook']))
    requests.push(reportsTo(inner['reporting_webhook'], 'updates.reporting_webhook', beside));
  return requests;
}

function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one !== undefined && other !== undefined && canonicalJson(one) === canonicalJson(other);
}

function reportsTo(reporting: JsonObject, field: string, beside: JsonObject | undefined): CallbackRequest {
  const frequency = textOf(reporting['reporting_frequency']) ?? textOf(reporting['frequency']);
  // A report needs an operation_id in its envelope, but this block has no such member in most releases.
  const operationId = textOf(beside?.['operation_id']);
  return {
    ...(operationId === undefined ? {} : { buyerOperationId: operationId }),
    ...addressOf(reporting),
    field,
    channel: 'report',
    envelope: 'mcp',
    ...(frequency === undefined ? {} : { frequency }),
  };
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

interface CallbackOwner {
  readonly organizationId: string;
  readonly principalId: string;
  readonly operationId: string;
  /** Set for a request that buys: the subject of its `reporting_webhook`. */
  readonly mediaBuyId?: string;
  readonly profile: WireProfile;
}

/**
 * Stores a buyer's callback addresses for an operation. Tokens and legacy secrets are sealed first; if that fails,
 * nothing is stored and no seller is called, because the buyer would wait in vain.
 */
export async function registerCallbacks(
  deps: Pick<HandlerDeps, 'ports' | 'sealCallback'>,
  owner: CallbackOwner,
  callbacks: readonly CallbackRequest[],
): Promise<Result<readonly BuyerRegistration[], readonly TaskError[]>> {
  const { organizationId, mediaBuyId, profile } = owner;
  const createdAt = deps.ports.clock.now();
  const registrations: BuyerRegistration[] = [];
  for (const callback of callbacks) {
    const { channel, envelope, mode, url, secrets } = callback;
    // The check of callbacks refuses both.
    if (url === undefined || mode === 'unknown') throw new Error(`${callback.field} was not judged.`);
    if (channel === 'report' && mediaBuyId === undefined) continue;
    const isSecret = Object.keys(secrets).length > 0;
    const credentialId = isSecret ? await deps.sealCallback({ organizationId }, secrets, url) : undefined;
    if (isSecret && credentialId === undefined)
      return err([
        taskError('SERVICE_UNAVAILABLE', 'The secret of the webhook cannot be sealed at the moment.'),
      ]);
    registrations.push({
      id: deps.ports.ids.uuid(),
      organizationId,
      principalId: owner.principalId,
      operationId: owner.operationId,
      channel,
      envelope,
      mode,
      url,
      profile,
      createdAt,
      ...(mediaBuyId === undefined || callback.isOfTaskAlone === true ? {} : { mediaBuyId }),
      ...(callback.buyerOperationId === undefined ? {} : { buyerOperationId: callback.buyerOperationId }),
      ...(callback.contextId === undefined ? {} : { contextId: callback.contextId }),
      ...(callback.frequency === undefined ? {} : { frequency: callback.frequency }),
      ...(credentialId === undefined ? {} : { credentialId }),
    });
  }
  return ok(registrations);
}
