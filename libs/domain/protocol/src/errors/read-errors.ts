import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { canonicalCode, errorRule, isKnownCode } from './task-error.js';
import type { TaskError } from './task-fault.js';
import type { Recovery } from './recovery.js';
import { listAt, member, numberAt, objectAt, textAt } from '../message/pick.js';

const maxErrors = 50;
const maxText = 2_000;
const maxCode = 64;
const maxIssues = 50;

/**
 * Reads all errors of a message in any known shape: `errors[]`, `adcp_error`, `error`, JSON-RPC's `error.data`, or
 * plain text. Codes are returned by their canonical name. Texts are untrusted: their length is limited here, and the
 * code that displays them must escape them.
 *
 * Errors do not mean that the task failed: beside a success they are advisory (docs/protocol/errors.md#shapes).
 */
export function readErrors(payload: JsonValue): readonly TaskError[] {
  if (!isJsonObject(payload)) return [];
  const listed = (listAt(payload, 'errors') ?? []).map(readError);
  const single = [
    member(payload, 'adcp_error'),
    member(payload, 'ads_error'),
    member(payload, 'error'),
  ].flatMap((value) => (value === undefined || value === null ? [] : readSingle(value)));
  const seen = new Set<string>();
  // A single member repeats an item of the list, often with fewer members.
  const repeats = (error: TaskError): boolean =>
    listed.some((known) => known?.code === error.code && known.message === error.message);
  const all = [...listed, ...single.filter((error) => error !== undefined && !repeats(error))].filter(
    (error) => error !== undefined,
  );
  return all
    .filter((error) => {
      const identity = `${error.code}\n${error.message}\n${error.field ?? ''}`;
      return seen.has(identity) ? false : seen.add(identity);
    })
    .slice(0, maxErrors);
}

/** What a seller warns of beside a success, in a list of its own. */
export function readWarnings(payload: JsonObject): readonly TaskError[] {
  return readErrors({ errors: [...(listAt(payload, 'warnings') ?? [])] });
}

/** Reads an item of `errors[]`. A plain text is an error without a code. */
function readError(value: JsonValue): TaskError | undefined {
  if (typeof value === 'string' && value !== '') return unknownError(value);
  if (!isJsonObject(value)) return undefined;
  const code = textAt(value, 'code') ?? textAt(value, 'error_code');
  const message = textAt(value, 'message') ?? textAt(value, 'error_message') ?? textAt(value, 'detail');
  if (code === undefined) return message === undefined ? undefined : unknownError(message);
  const canonical = canonicalCode(code.slice(0, maxCode));
  const retryAfter = numberAt(value, 'retry_after');
  const details = objectAt(value, 'details');
  const received = issuesOf(value);
  // Forms before 3.0 have issues in `details` only.
  const inDetails = received === undefined ? issuesOf(details) : undefined;
  return {
    code: canonical,
    message: bounded(message ?? canonical),
    recovery: recoveryOf(value, canonical),
    ...defined({
      field: boundedOrNone(textAt(value, 'field')),
      suggestion: boundedOrNone(textAt(value, 'suggestion')),
      retryAfter: retryAfter === undefined ? undefined : Math.min(Math.max(retryAfter, 1), 3_600),
      issues: received ?? inDetails,
      details: inDetails === undefined ? details : withoutIssues(details),
    }),
  };
}

/** Invalid issues are ignored: the error's text has the same information. */
function issuesOf(value: JsonObject | undefined): JsonObject[] | undefined {
  const issues = (listAt(value, 'issues') ?? [])
    .filter(isJsonObject)
    .filter((issue) => ['pointer', 'message', 'keyword'].every((name) => typeof issue[name] === 'string'))
    .filter((issue) => JSON.stringify(issue).length <= 2 * maxText)
    .slice(0, maxIssues);
  return issues.length === 0 ? undefined : issues;
}

/** The details without issues; `undefined` if nothing is left. */
function withoutIssues(details: JsonObject | undefined): JsonObject | undefined {
  const { issues: _issues, ...others } = details ?? {};
  return Object.keys(others).length === 0 ? undefined : others;
}

/** `error` may be the item itself, a JSON-RPC error with an item in `data`, or a text. */
function readSingle(value: JsonValue): readonly (TaskError | undefined)[] {
  const data = isJsonObject(value) ? objectAt(value, 'data') : undefined;
  const inner = data === undefined ? [] : readErrors(data);
  return inner.length > 0 ? inner : [readError(isJsonObject(value) ? withTextCode(value) : value)];
}

/** JSON-RPC codes are numbers, and do not describe a task. */
function withTextCode(value: JsonObject): JsonObject {
  return typeof value['code'] === 'number' ? { ...value, code: 'SERVICE_UNAVAILABLE' } : value;
}

/** The received class, if valid; another value is `terminal`. Absent: the code's class; `transient` if unknown. */
function recoveryOf(value: JsonObject, code: string): Recovery {
  const received = member(value, 'recovery');
  if (received === 'transient' || received === 'correctable' || received === 'terminal') return received;
  if (received !== undefined && received !== null) return 'terminal';
  return isKnownCode(code) ? errorRule(code).recovery : 'transient';
}

function unknownError(message: string): TaskError {
  return { code: 'SERVICE_UNAVAILABLE', message: bounded(message), recovery: 'transient' };
}

function bounded(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText)}...` : text;
}

function boundedOrNone(text: string | undefined): string | undefined {
  return text === undefined ? undefined : bounded(text);
}
