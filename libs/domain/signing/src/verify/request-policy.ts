import { isJsonObject, type JsonValue } from '@switchyard/values';

/** What a verifier says it wants signed, in the words of a capabilities answer. */
export interface RequestSigningPolicy {
  readonly supported: boolean;
  /** Task names. */
  readonly requiredFor: readonly string[];
  /** JSON-RPC methods such as `tasks/cancel`: a namespace of their own, never matched against task names. */
  readonly protocolMethodsRequiredFor: readonly string[];
}

export interface RequestToJudge {
  /** The task, when the request calls one. */
  readonly task?: string;
  readonly protocolMethod?: string;
  /** The task's arguments, before any schema. */
  readonly args?: JsonValue;
}

/**
 * Whether a request without signature headers may go on.
 *
 * `payload`: no other credential helps, because the request hands out a secret for webhooks and who may do that has
 * to be proven. `operation`: a signature or another accepted credential. `no`: neither is asked for.
 */
export function signatureDemand(
  request: RequestToJudge,
  policy: RequestSigningPolicy,
): 'payload' | 'operation' | 'no' {
  if (!policy.supported) return 'no';
  if (request.args !== undefined && registersLegacyWebhook(request.args)) return 'payload';
  const isListed =
    (request.task !== undefined && policy.requiredFor.includes(request.task)) ||
    (request.protocolMethod !== undefined &&
      policy.protocolMethodsRequiredFor.includes(request.protocolMethod));
  return isListed ? 'operation' : 'no';
}

/** By structure alone: a block that is not empty counts, whether or not it is a valid one. */
export function registersLegacyWebhook(args: JsonValue): boolean {
  if (!isJsonObject(args)) return false;
  if (hasAuthentication(args['push_notification_config'])) return true;
  // A change of a media buy may name the buy's addresses here.
  const { updates } = args;
  if (isJsonObject(updates) && hasAuthentication(updates['push_notification_config'])) return true;
  const accounts = args['accounts'];
  if (!Array.isArray(accounts)) return false;
  return accounts.some((account) => {
    const configs = isJsonObject(account) ? account['notification_configs'] : undefined;
    return Array.isArray(configs) && configs.some(hasAuthentication);
  });
}

function hasAuthentication(config: JsonValue | undefined): boolean {
  const block = isJsonObject(config) ? config['authentication'] : undefined;
  if (block === undefined || block === null) return false;
  return !isJsonObject(block) || Object.keys(block).length > 0;
}
