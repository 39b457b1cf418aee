import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { DoorFault } from '../door-answer.js';

/** The most that an address, a token or a secret has, in characters. */
const longest = { url: 4_096, token: 4_096, credentials: 8_192 } as const;

/** A push configuration in one wording: 1.0 has one `scheme`, 0.3 a list of `schemes`. */
export function readPush(given: JsonObject): JsonObject {
  const authentication = given['authentication'];
  if (!isJsonObject(authentication) || typeof authentication['scheme'] !== 'string') return given;
  const { scheme, ...rest } = authentication;
  return { ...given, authentication: { ...rest, schemes: [scheme] } };
}

/**
 * What of a push configuration is not of the type that it has to have, `at` being where it stands. Passed over, it would
 * be a webhook without the token that its receiver looks for, or none.
 */
export function pushFault(given: JsonObject, at: string): DoorFault | undefined {
  const { authentication } = given;
  const texts =
    textFault(given['id'], `${at}.id`) ??
    textFault(given['url'], `${at}.url`, longest.url) ??
    textFault(given['token'], `${at}.token`, longest.token);
  if (texts !== undefined || isUnset(authentication)) return texts;
  if (!isJsonObject(authentication)) return misfit(`${at}.authentication`, 'has to be an object');
  const { scheme, schemes, credentials } = authentication;
  if (!isUnset(schemes) && !isListOfTexts(schemes))
    return misfit(`${at}.authentication.schemes`, 'has to be a list of texts');
  return (
    textFault(scheme, `${at}.authentication.scheme`) ??
    textFault(credentials, `${at}.authentication.credentials`, longest.credentials)
  );
}

/** What keeps a member from being a text of that length, if it is there at all: writers of 1.0 send `null` for none. */
export function textFault(value: JsonValue | undefined, field: string, most = 1_000): DoorFault | undefined {
  if (isUnset(value) || (typeof value === 'string' && value.length <= most)) return undefined;
  return misfit(field, `has to be a text of ${most} or fewer characters`);
}

/** What keeps a member from being a whole number within bounds, if it is there at all. */
export function countFault(
  value: JsonValue | undefined,
  field: string,
  { from, to = Number.MAX_SAFE_INTEGER }: { readonly from: number; readonly to?: number },
): DoorFault | undefined {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;
  if (isUnset(value) || isCount) return undefined;
  const bounds = to === Number.MAX_SAFE_INTEGER ? `of ${from} or more` : `from ${from} to ${to}`;
  return misfit(field, `has to be a whole number ${bounds}`);
}

export function misfit(field: string, what: string): DoorFault {
  return { code: 'INVALID_REQUEST', message: `${field} ${what}.`, field };
}

export function isUnset(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function isListOfTexts(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
