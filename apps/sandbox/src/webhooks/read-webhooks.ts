import type { Reporting } from '../buys/buy.js';
import { isObject, textOf, type Json, type JsonObject } from '../json.js';
import { refusal, type Refusal } from '../agent/outcome.js';
import type { Personality } from '../personalities.js';
import type { TaskPush } from '../agent/seller-task.js';

type Failed = { readonly errors: readonly Refusal[] };

/**
 * The address for a task's webhooks. They are signed; only the agent of release 3.0 also uses HMAC, as that release
 * defines it, if it gets a secret. Any other registration with a secret is refused. Only loopback: the market calls no
 * other host.
 */
export function readPush(form: Personality['form'], value: Json | undefined): TaskPush | undefined | Failed {
  if (value === undefined) return undefined;
  const field = 'push_notification_config';
  const url = readUrl(form, value, field);
  if ('errors' in url) return url;
  const operationId = textOf(url.config['operation_id']);
  if (operationId === undefined && form !== '3.0') {
    return { errors: [refusal('INVALID_REQUEST', 'operation_id is required', `${field}.operation_id`)] };
  }
  const token = textOf(url.config['token']);
  return {
    channel: 'envelope',
    url: url.url,
    ...(operationId === undefined ? {} : { operationId }),
    ...(token === undefined ? {} : { token }),
    ...(url.secret === undefined ? {} : { secret: url.secret }),
  };
}

/** The address for daily delivery reports. */
export function readReporting(
  form: Personality['form'],
  value: Json | undefined,
): Reporting | undefined | Failed {
  if (value === undefined) return undefined;
  const field = 'reporting_webhook';
  const url = readUrl(form, value, field);
  if ('errors' in url) return url;
  const frequency = textOf(url.config['reporting_frequency']) ?? 'daily';
  if (frequency !== 'daily') {
    const advice = 'Every product here reports daily.';
    const at = `${field}.reporting_frequency`;
    return { errors: [refusal('INVALID_REQUEST', 'not a frequency that the products offer', at, advice)] };
  }
  const token = textOf(url.config['token']);
  return {
    url: url.url,
    frequency,
    ...(token === undefined ? {} : { token }),
    ...(url.secret === undefined ? {} : { secret: url.secret }),
  };
}

interface ReadUrl {
  readonly url: string;
  readonly config: JsonObject;
  readonly secret?: string;
}

function readUrl(form: Personality['form'], value: Json, field: string): ReadUrl | Failed {
  if (!isObject(value)) return { errors: [refusal('INVALID_REQUEST', 'an object is wanted', field)] };
  const secret = form === '3.0' ? secretOf(value['authentication']) : undefined;
  if (value['authentication'] !== undefined && secret === undefined) {
    const message = 'only signed webhooks are sent here';
    const advice = 'Leave authentication out: the webhook is signed with the key in brand.json.';
    return { errors: [refusal('INVALID_REQUEST', message, `${field}.authentication`, advice)] };
  }
  const url = textOf(value['url']);
  if (url === undefined || !isLoopback(url)) {
    return { errors: [refusal('INVALID_REQUEST', 'not an address on this machine', `${field}.url`)] };
  }
  return { url, config: value, ...(secret === undefined ? {} : { secret }) };
}

/** The secret of an HMAC registration, if the block is one and the secret is long enough. */
function secretOf(authentication: Json | undefined): string | undefined {
  if (!isObject(authentication) || !Array.isArray(authentication['schemes'])) return undefined;
  const secret = textOf(authentication['credentials']) ?? '';
  return authentication['schemes'][0] === 'HMAC-SHA256' && secret.length >= 32 ? secret : undefined;
}

export function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  if (username !== '' || (protocol !== 'http:' && protocol !== 'https:')) return false;
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
