import { err, ok, type Result } from '@switchyard/values';
import { invalid, type ScimFault } from './scim-faults.js';

/** `attribute eq "value"`, the one form of filter that is understood (RFC 7644, 3.4.2.2). */
export interface ScimFilter {
  /** In small letters, without the schema before it and without `[type eq "work"]`. */
  readonly attribute: string;
  readonly value: string;
}

const longest = 1_000;

/** Reads a filter. `invalidFilter` for any other comparison, or an attribute that is not in the list. */
export function readFilter(
  text: string | undefined,
  attributes: readonly string[],
): Result<ScimFilter | undefined, ScimFault> {
  if (text === undefined || text.trim() === '') return ok(undefined);
  const found = text.length > longest ? null : /^\s*(\S.*?)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i.exec(text);
  const attribute = plainAttribute(found?.[1] ?? '');
  const value = quoted(found?.[2]);
  if (value === undefined || !attributes.includes(attribute)) {
    const names = attributes.join(', ');
    return err(invalid(`The filter must be ATTRIBUTE eq "VALUE" with one of: ${names}.`, 'invalidFilter'));
  }
  return ok({ attribute, value });
}

/** `urn:...:User:emails[type eq "work"].value` is `emails.value`. */
export function plainAttribute(path: string): string {
  const bare = path.replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i, '');
  return bare
    .replaceAll(/\[[^\]]*\]/g, '')
    .trim()
    .toLowerCase();
}

function quoted(text: string | undefined): string | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
