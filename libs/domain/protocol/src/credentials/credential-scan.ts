import { isJsonObject, sanitizeKeyName, type JsonValue } from '@switchyard/values';
import { anyMember, credentialPlaces } from './credential-places.js';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';

/** Names of credentials and trust material, in snake case. */
const credentialKey = new RegExp(
  [
    '_token$',
    '(^|_)(access|refresh|auth|bearer|session|id)_?tokens?$',
    'accesstokens?$',
    '(^|_|client)secrets?$',
    '(^|_)pass(word|wd|phrase)s?$',
    'api_?key',
    'private_?key',
    '(^|_)authorization$',
    '^(set_)?cookies?$',
    '^bearer$',
    '(^|_)credentials?$',
    '(^|_)jwks?$',
    '(^|_)jwks_?uri$',
    '^x_(ads|adcp)_auth$',
  ].join('|'),
);

/** A word of each of those names, in any case (U+212A is a `k`). Most names have none, and are not read further. */
const credentialWord = /token|secret|pass|key|auth|cookie|bearer|credential|jwk/iu;

/** Names that end like a token but contain none. */
const harmless: ReadonlySet<string> = new Set([
  'next_page_token',
  'page_token',
  'continuation_token',
  'cursor_token',
]);

/** Maximum length of a path in the error, in characters. */
const longestShown = 300;

interface Place {
  readonly value: JsonValue;
  /** With indexes and sanitized key names, for the caller. */
  readonly shown: string;
  /** With `[]` for every index, to compare with the exceptions. */
  readonly pattern: string;
}

/**
 * Returns the path of the first member whose name is that of a credential, for example `context.creds[0].api_key`, or
 * `undefined`. Values are never read or returned (docs/protocol/accounts.md#credentials-in-payloads).
 *
 * The depth is not limited: a credential could be hidden below a limit.
 */
export function credentialIn(document: JsonValue, exceptions: readonly string[] = []): string | undefined {
  let exempt: readonly (readonly string[])[] | undefined;
  const open: Place[] = [{ value: document, shown: '', pattern: '' }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const below: Place[] = [];
    if (Array.isArray(place.value)) {
      for (const [index, value] of place.value.entries()) {
        if (!isContainer(value)) continue;
        below.push({ value, shown: `${place.shown}[${index}]`, pattern: `${place.pattern}[]` });
      }
    } else if (isJsonObject(place.value)) {
      for (const [key, value] of Object.entries(place.value)) {
        const isSuspect = isCredential(key);
        if (!isSuspect && !isContainer(value)) continue;
        const member = memberOf(place, key, value);
        if (isSuspect) {
          // Few documents have such a name, so the exceptions are split only when one is found.
          exempt ??= exceptions.map((at) => at.split('.'));
          if (!isExempt(member.pattern, exempt)) return member.shown.slice(0, longestShown);
        }
        below.push(member);
      }
    }
    for (const member of below.reverse()) open.push(member);
  }
  return undefined;
}

/** The same for the arguments of a task, with the exceptions of that task. */
export function findCredential(taskName: string, args: JsonValue): string | undefined {
  return credentialIn(args, credentialPlaces(taskName));
}

/** The error for such a member: terminal, and with its place only. The answer must not echo `context`. */
export function credentialInArgs(taskName: string, args: JsonValue): TaskError | undefined {
  const field = findCredential(taskName, args);
  return field === undefined ? undefined : credentialError(field);
}

/** The error for a credential outside the arguments, by its path there. */
export function credentialError(field: string): TaskError {
  return taskError('CREDENTIAL_IN_ARGS', 'The arguments hold a credential or trust material.', {
    field,
    suggestion:
      'Send credentials in the Authorization header only, and replace this one: it has been exposed.',
  });
}

/** Results by name, cached because documents of one protocol repeat the same names. */
const judged = new Map<string, boolean>();
const mostJudged = 2_000;
const longestJudged = 64;

/** True if the name of a member is that of a credential. */
export function isCredential(key: string): boolean {
  if (!credentialWord.test(key)) return false;
  const known = judged.get(key);
  if (known !== undefined) return known;
  const found = readsAsCredential(key);
  // Callers choose the names, so the number and length of cached ones are limited.
  if (key.length > longestJudged) return found;
  if (judged.size >= mostJudged) judged.clear();
  judged.set(key, found);
  return found;
}

function readsAsCredential(key: string): boolean {
  const snake = key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[-\s.]/g, '_');
  return credentialKey.test(snake) && !harmless.has(snake);
}

function isContainer(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}

function memberOf({ shown, pattern }: Place, key: string, value: JsonValue): Place {
  const name = sanitizeKeyName(key);
  // A dot or a bracket inside a name is not a step: it must not make a place equal to an exception.
  const step = key.replaceAll(/[.[\]]/g, '\u0000');
  return {
    value,
    shown: shown === '' ? name : `${shown}.${name}`,
    pattern: pattern === '' ? step : `${pattern}.${step}`,
  };
}

function isExempt(pattern: string, exempt: readonly (readonly string[])[]): boolean {
  const steps = pattern.split('.');
  return exempt.some(
    (place) =>
      place.length === steps.length &&
      place.every((wanted, at) => wanted === steps[at] || isAnyMember(wanted, steps[at] ?? '')),
  );
}

/** `*` matches one name, `*[]` one name with a list. */
function isAnyMember(wanted: string, step: string): boolean {
  if (wanted === anyMember) return !step.endsWith('[]');
  return wanted === `${anyMember}[]` && /^[^[\]]*\[\]$/.test(step);
}
