import { isJsonObject, sanitizeKeyName, type JsonValue } from '@switchyard/values';
import { anyMember, credentialPlaces } from './credential-places.js';
import { type TaskError, taskError } from '../errors/task-error.js';

/** Key names of credentials and trust material, after camel case became snake case. */
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

/** Names that end like a token and are none. */
const harmless: ReadonlySet<string> = new Set([
  'next_page_token',
  'page_token',
  'continuation_token',
  'cursor_token',
]);

/** How much of a place is told to the caller, in characters. */
const longestShown = 300;

interface Place {
  readonly value: JsonValue;
  /** With indexes, key names cleaned: for the caller. */
  readonly shown: string;
  /** With `[]` for every index: for the table of exceptions. */
  readonly pattern: string;
}

/**
 * The path of the first member whose name says that it is a credential, for example `context.creds[0].api_key`, or
 * `undefined`. No value is ever read, let alone returned (docs/protocol/accounts.md#credentials-in-payloads).
 *
 * Nothing is too deep to be looked at: a limit here would be a place to hide.
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
          // Hardly any document has a name that needs one: the table is taken apart where it is asked.
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

/** The same in the arguments of a task, whose exact exceptions are in the table of places. */
export function findCredential(taskName: string, args: JsonValue): string | undefined {
  return credentialIn(args, credentialPlaces(taskName));
}

/** The error for it: terminal, and it names the place alone. The answer to it may not echo `context`. */
export function credentialInArgs(taskName: string, args: JsonValue): TaskError | undefined {
  const field = findCredential(taskName, args);
  return field === undefined ? undefined : credentialError(field);
}

/** For a credential that was found outside the arguments, by its path there. */
export function credentialError(field: string): TaskError {
  return taskError('CREDENTIAL_IN_ARGS', 'The arguments hold a credential or trust material.', {
    field,
    suggestion:
      'Send credentials in the Authorization header only, and replace this one: it has been exposed.',
  });
}

/** Names that came before, with what was found: documents of one protocol have the same ones over and over. */
const judged = new Map<string, boolean>();
const mostJudged = 2_000;
const longestJudged = 64;

/** Whether a member of this name is taken for a credential. */
export function isCredential(key: string): boolean {
  const known = judged.get(key);
  if (known !== undefined) return known;
  const found = readsAsCredential(key);
  // Strangers choose names: neither many of them nor long ones are kept.
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
  // A dot or a bracket inside a name is no step: it must not make a place look like another.
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

/** `*` stands for one name, `*[]` for one name with a list under it. */
function isAnyMember(wanted: string, step: string): boolean {
  if (wanted === anyMember) return !step.endsWith('[]');
  return wanted === `${anyMember}[]` && /^[^[\]]*\[\]$/.test(step);
}
