import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Finding } from '../../../losses/finding.js';
import { notCarried } from '../../../losses/lost-members.js';
import { extName } from '../../../message/form.js';
import { objectAt } from '../../../message/pick.js';
import { same } from './keep.js';

/** Findings of what a closed shape has no place for. */
export function findingsOf(lost: ReadonlySet<string>): readonly Finding[] {
  return [...lost].sort().map(notCarried);
}

/**
 * The members around an answer of these tasks: their shapes are closed, so the task's state stands in members of their own,
 * and findings, rows of sellers and the operation under `ext`.
 */
export function around(body: JsonObject, findings: readonly Finding[] = []): JsonObject {
  const ext = objectAt(body, 'ext') ?? {};
  const ours = objectAt(ext, extName) ?? {};
  const before = Array.isArray(ours['findings']) ? ours['findings'].filter(isJsonObject) : [];
  const shown = unlike([...before, ...findings.map((finding): JsonObject => ({ ...finding }))]);
  const members: JsonObject = { ...ours, ...(shown.length === 0 ? {} : { findings: shown }) };
  const isEmpty = Object.keys(ext).length === 0 && Object.keys(members).length === 0;
  return {
    ...same(body, ['context']),
    ...(body['replayed'] === true ? { replayed: true } : {}),
    ...(isEmpty ? {} : { ext: { ...ext, [extName]: members } }),
  };
}

function unlike(findings: readonly JsonObject[]): JsonObject[] {
  return [
    ...new Map(
      findings.map((finding) => [
        JSON.stringify([finding['seller'], finding['code'], finding['field']]),
        finding,
      ]),
    ).values(),
  ];
}

/** An answer that is still to come, or `undefined` if the answer is there. */
export function submittedIn(body: JsonObject): JsonObject | undefined {
  const { status } = body;
  const isOpen = status === 'submitted' || status === 'working' || status === 'input-required';
  if (!isOpen || body['task_id'] === undefined) return undefined;
  return { status: 'submitted', ...same(body, ['task_id', 'message', 'errors']), ...around(body) };
}

/** Whether an answer is a refusal. */
export function isFailed(body: JsonObject): boolean {
  return Array.isArray(body['errors']) && ['failed', 'rejected', 'canceled'].includes(textOf(body['status']));
}

/** A refusal in a closed shape. */
export function failedIn(body: JsonObject): JsonObject {
  return { status: 'failed', ...same(body, ['errors']), ...around(body) };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
