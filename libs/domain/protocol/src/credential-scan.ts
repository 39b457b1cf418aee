import { isJsonObject, sanitizeKeyName, type JsonValue } from '@switchyard/values';
import type { TaskError } from './model.js';
import { taskError } from './task-error.js';

const maxDepth = 64;

/** Key names of credentials and trust material, after camel case became snake case. */
const credentialKey = new RegExp(
  [
    '_token$',
    '^accesstoken$',
    '^refreshtoken$',
    '(^|_)secret$',
    '(^|_)password$',
    '(^|_)passwd$',
    '(^|_)api_?key$',
    '(^|_)private_?key$',
    '(^|_)authorization$',
    '^cookie$',
    '^bearer$',
    '^credentials?$',
    '^jwks?$',
    '^jwks_?uri$',
    '^x_(ads|adcp)_auth$',
  ].join('|'),
);

/** Names that end like a token and are none. */
const harmless: ReadonlySet<string> = new Set([
  'next_page_token',
  'page_token',
  'continuation_token',
  'cursor_token',
]);

/** Where the protocol itself has a secret or its like: exact places, per task (`*` is every task). */
const allowed: Readonly<Record<string, readonly string[]>> = {
  '*': ['push_notification_config.authentication.credentials'],
  create_media_buy: [
    'reporting_webhook.authentication.credentials',
    'artifact_webhook.authentication.credentials',
  ],
  update_media_buy: ['reporting_webhook.authentication.credentials'],
  get_products: ['property_list.auth_token'],
  sync_accounts: ['accounts[].notification_configs[].authentication.credentials'],
};

interface Place {
  readonly value: JsonValue;
  /** With indexes, key names cleaned: for the caller. */
  readonly shown: string;
  /** With `[]` for every index: for the table of exceptions. */
  readonly pattern: string;
  readonly depth: number;
}

/**
 * The path of the first member whose name says that it is a credential, for example `context.creds[0].api_key`, or
 * `undefined`. No value is ever read, let alone returned (service description, credential placement).
 */
export function findCredential(taskName: string, args: JsonValue): string | undefined {
  const exempt = new Set([
    ...(allowed['*'] ?? []),
    ...(Object.hasOwn(allowed, taskName) ? (allowed[taskName] ?? []) : []),
  ]);
  const open: Place[] = [{ value: args, shown: '', pattern: '', depth: 0 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.depth > maxDepth) continue;
    const below = childrenOf(place);
    const hit = below.find(
      ({ key, pattern }) => key !== undefined && isCredential(key) && !exempt.has(pattern),
    );
    if (hit !== undefined) return hit.shown;
    open.push(...below.reverse());
  }
  return undefined;
}

/** The error for it: terminal, and it names the place alone. The answer to it may not echo `context`. */
export function credentialInArgs(taskName: string, args: JsonValue): TaskError | undefined {
  const field = findCredential(taskName, args);
  if (field === undefined) return undefined;
  return taskError('CREDENTIAL_IN_ARGS', 'The arguments hold a credential or trust material.', {
    field,
    suggestion:
      'Send credentials in the Authorization header only, and replace this one: it has been exposed.',
  });
}

/** Whether a member of this name is taken for a credential. */
export function isCredential(key: string): boolean {
  const snake = key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[-\s.]/g, '_');
  return credentialKey.test(snake) && !harmless.has(snake);
}

function childrenOf(place: Place): (Place & { readonly key?: string })[] {
  const depth = place.depth + 1;
  if (Array.isArray(place.value)) {
    return place.value.map((value, index) => ({
      value,
      shown: `${place.shown}[${index}]`,
      pattern: `${place.pattern}[]`,
      depth,
    }));
  }
  if (!isJsonObject(place.value)) return [];
  const dot = place.shown === '' ? '' : '.';
  return Object.entries(place.value).map(([key, value]) => ({
    key,
    value,
    shown: `${place.shown}${dot}${sanitizeKeyName(key)}`,
    pattern: `${place.pattern}${place.pattern === '' ? '' : '.'}${key}`,
    depth,
  }));
}
