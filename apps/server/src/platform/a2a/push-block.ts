import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { HttpFault } from '../http/http-answer.js';

/** The greatest length of an address, a token and a secret, in characters. */
const longest = { url: 4_096, token: 4_096, credentials: 8_192 } as const;

/** A push configuration in one form: 1.0 has one `scheme`, 0.3 a list of `schemes`. */
export function readPush(given: JsonObject): JsonObject {
  const authentication = given['authentication'];
  if (!isJsonObject(authentication) || typeof authentication['scheme'] !== 'string') return given;
  const { scheme, ...rest } = authentication;
  return { ...given, authentication: { ...rest, schemes: [scheme] } };
}

/**
 * The member of the push configuration at `at` that has the wrong type. Ignoring it would lead to webhooks without the
 * token that their receiver expects, or to none.
 */
export function pushFault(given: JsonObject, at: string): HttpFault | undefined {
  const { authentication } = given;
  const texts =
    textFault(given['id'], `${at}.id`) ??
    textFault(given['url'], `${at}.url`, longest.url) ??
    textFault(given['token'], `${at}.token`, longest.token);
  if (texts !== undefined || isUnset(authentication)) return texts;
  if (!isJsonObject(authentication)) return fieldFault(`${at}.authentication`, 'must be an object');
  const { scheme, schemes, credentials } = authentication;
  if (!isUnset(schemes) && !isListOfTexts(schemes))
    return fieldFault(`${at}.authentication.schemes`, 'must be a list of texts');
  return (
    textFault(scheme, `${at}.authentication.scheme`) ??
    textFault(credentials, `${at}.authentication.credentials`, longest.credentials)
  );
}

/** The fault of a member that is present and no text of that length: writers of 1.0 send `null` for an absent one. */
export function textFault(value: JsonValue | undefined, field: string, most = 1_000): HttpFault | undefined {
  if (isUnset(value) || (typeof value === 'string' && value.length <= most)) return undefined;
  return fieldFault(field, `must be a text of ${most} or fewer characters`);
}

/** The fault of a member that is present and no whole number within bounds. */
export function countFault(
  value: JsonValue | undefined,
  field: string,
  { from, to = Number.MAX_SAFE_INTEGER }: { readonly from: number; readonly to?: number },
): HttpFault | undefined {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;
  if (isUnset(value) || isCount) return undefined;
  const bounds = to === Number.MAX_SAFE_INTEGER ? `of ${from} or more` : `from ${from} to ${to}`;
  return fieldFault(field, `must be a whole number ${bounds}`);
}

export function fieldFault(field: string, what: string): HttpFault {
  return { code: 'INVALID_REQUEST', message: `${field} ${what}.`, field };
}

export function isUnset(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function isListOfTexts(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
