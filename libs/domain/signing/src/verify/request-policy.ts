import { isJsonObject, type JsonValue } from '@switchyard/values';

/** What a verifier requires to be signed, as in its capabilities. */
interface RequestSigningPolicy {
  readonly supported: boolean;
  /** Task names. */
  readonly requiredFor: readonly string[];
  /** JSON-RPC methods such as `tasks/cancel`, in a separate namespace: never compared with task names. */
  readonly protocolMethodsRequiredFor: readonly string[];
}

interface RequestToJudge {
  /** The task, if the request calls one. */
  readonly task?: string;
  readonly protocolMethod?: string;
  /** The task's arguments, not validated by a schema. */
  readonly args?: JsonValue;
}

/**
 * Decides whether a request without signature headers is accepted.
 * `payload`: a signature is required, because the request registers a secret for webhooks and its sender must be
 * proved. `operation`: a signature or another accepted credential is required. `no`: neither is required.
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

/** Checks the structure only: a block that is not empty counts, valid or not. */
export function registersLegacyWebhook(args: JsonValue): boolean {
  if (!isJsonObject(args)) return false;
  if (hasAuthentication(args['push_notification_config'])) return true;
  // An update of a media buy may name the buy's webhook addresses here.
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
