import { defined, type JsonObject } from '@switchyard/values';
import { canonicalCode, shownAs } from './task-error.js';
import { errorNames } from './error-table.js';
import { dialects } from '../versions/dialect.js';
import type { TaskError } from './task-fault.js';
import type { Dialect, Form } from '../versions/wire-profile.js';

/** Returns the code's name in this dialect. A form older than 3.1 gets the older names of codes that it lacks. */
export function codeIn(code: string, dialect: Dialect, form?: Form): string {
  const canonical = canonicalCode(code);
  const isOlder = dialect === 'adcp' && (form === '3.0' || form === '2.5');
  const oldest = dialect === 'adcp' && form === '2.5' ? nameIn('oldest', canonical) : undefined;
  const older = isOlder ? nameIn('older', canonical) : undefined;
  return oldest ?? older ?? nameIn(dialect, canonical) ?? canonical;
}

/** One item of `errors[]`. */
export function projectError(error: TaskError, dialect: Dialect, form?: Form): JsonObject {
  const { code, message, field, suggestion, recovery, retryAfter } = error;
  const { issues, details } = withIssues(error, form);
  return {
    code: codeIn(code, dialect, form),
    message,
    ...defined({ field, suggestion }),
    ...(retryAfter === undefined ? {} : { retry_after: Math.min(Math.max(Math.ceil(retryAfter), 1), 3600) }),
    ...(recovery === undefined ? {} : { recovery }),
    ...(issues === undefined ? {} : { issues: structuredClone(issues) }),
    ...(details === undefined ? {} : { details: structuredClone(details) }),
  };
}

/**
 * Returns the members of a failed answer: `errors[]`; in the `adcp` dialect also `adcp_error` with the first error; in
 * the `ads` dialect an `error` object if authentication failed, as its description shows.
 */
export function projectErrors(errors: readonly TaskError[], dialect: Dialect, form?: Form): JsonObject {
  const items = errors.map((error) => projectError(error, dialect, form));
  const [first] = items;
  if (first === undefined) return { errors: items };
  if (dialect === 'adcp') return { errors: items, [dialects.adcp.fatalErrorMember]: first };
  const isAuth = errors.some((error) => shownAs(error.code) === 'challenge');
  if (!isAuth) return { errors: items };
  return {
    errors: items,
    [dialects.ads.fatalErrorMember]: { code: first['code'] ?? '', message: first['message'] ?? '' },
  };
}

function nameIn(vocabulary: keyof typeof errorNames, code: string): string | undefined {
  const names = errorNames[vocabulary];
  return Object.hasOwn(names, code) ? names[code] : undefined;
}

/** Forms before 3.0 have no `issues`: there they are written into `details`, which may have any members. */
function withIssues(
  { issues, details }: TaskError,
  form: Form | undefined,
): { readonly issues?: JsonObject[]; readonly details?: JsonObject } {
  const given = details === undefined ? {} : { details };
  if (issues === undefined) return given;
  const isOlder = form === 'service' || form === '2.5';
  return isOlder ? { details: { ...details, issues: [...issues] } } : { issues, ...given };
}
