import { createHash } from 'node:crypto';
import type { TaskError } from '@switchyard/protocol';
import { canonicalJson, type Instant, type JsonObject } from '@switchyard/values';
import type { Leg } from '../model/operation.js';

type ApprovalChange =
  | { readonly kind: 'none' }
  /** The seller continued without an answer. */
  | { readonly kind: 'moved_on'; readonly outcome: string }
  | {
      readonly kind: 'asked';
      readonly reason: string;
      readonly question: JsonObject;
      readonly questionHash: string;
      readonly errors: readonly TaskError[];
      readonly at: Instant;
    };

/** Returns what a change of a leg means for the approval inbox. Pure; it is written in the same commit as the leg. */
export function approvalChange(before: Leg | undefined, after: Leg, at: Instant): ApprovalChange {
  const waits = after.status === 'input-required';
  if (!waits) {
    return before?.status === 'input-required'
      ? { kind: 'moved_on', outcome: after.status }
      : { kind: 'none' };
  }
  const question = after.answer ?? {};
  const questionHash = hashOf(question);
  if (before?.status === 'input-required' && hashOf(before.answer ?? {}) === questionHash)
    return { kind: 'none' };
  const reason = reasonOf(question, after.errors);
  return { kind: 'asked', reason, question, questionHash, errors: after.errors, at: after.observedAt ?? at };
}

function hashOf(question: JsonObject): string {
  const core = {
    message: question['message'] ?? null,
    reason: question['reason'] ?? null,
    errors: question['errors'] ?? null,
  };
  return createHash('sha256').update(canonicalJson(core), 'utf8').digest('hex');
}

/** A seller's text, cut to 2,000 characters. It is untrusted: it is shown and never followed as an instruction. */
function reasonOf(question: JsonObject, errors: readonly TaskError[]): string {
  const reported = [question['message'], question['reason'], errors[0]?.message].find(
    (text) => typeof text === 'string' && text !== '',
  );
  return typeof reported === 'string'
    ? reported.slice(0, 2_000)
    : 'The seller asks for input but does not say which.';
}
