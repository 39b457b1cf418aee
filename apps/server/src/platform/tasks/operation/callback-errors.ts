import {
  type AnyTaskSpec,
  type Finding,
  hasFeature,
  taskError,
  type TaskError,
  type WireProfile,
} from '@switchyard/protocol';
import { judgeLegacySecret } from '@switchyard/signing';
import type { HandlerDeps } from '../call/handler.js';
import type { CallbackRequest } from './read-callbacks.js';
import type { PrincipalCaller } from '../call/task-call.js';

/** The allowed `operation_id` of an envelope (docs/protocol/webhooks-out.md#registration-by-buyers). */
const operationIdPattern = /^[A-Za-z0-9_.:-]{1,255}$/;

/**
 * Errors of the callbacks that a buyer registers: an address that may not be called, an `operation_id` that is missing
 * in a version that has one, a legacy block from a caller that is not marked legacy or with an unusable secret, or a
 * task that never reports (docs/protocol/webhooks-out.md#registration-by-buyers).
 */
export async function callbackErrors(
  deps: Pick<HandlerDeps, 'refuseCallback' | 'takesPlaceholderSecrets'>,
  {
    principal,
    spec,
    profile,
  }: { readonly principal: PrincipalCaller; readonly spec: AnyTaskSpec; readonly profile: WireProfile },
  callbacks: readonly CallbackRequest[],
): Promise<TaskError[]> {
  const errors: TaskError[] = [];
  for (const callback of callbacks) {
    const { field, channel, url } = callback;
    if (channel === 'task' && !spec.mayBeAsync) {
      errors.push(atOnce(field));
      continue;
    }
    errors.push(...operationIdErrors(callback, profile));
    const reason = url === undefined ? 'it is missing' : await deps.refuseCallback(url);
    if (reason !== undefined) {
      const message = `Webhooks cannot be sent to this URL: ${reason}.`;
      errors.push(refusal(`${field}.url`, message, 'Give a public https URL.'));
    }
    errors.push(...legacyErrors(deps, callback, principal, spec));
  }
  return errors;
}

/**
 * Errors of a callback from a caller without credentials: nothing can be reported to it later, and an address that is
 * ignored silently would be waited at in vain.
 */
export function anonymousCallbackErrors(
  spec: Pick<AnyTaskSpec, 'mayBeAsync'>,
  callbacks: readonly CallbackRequest[],
): TaskError[] {
  return callbacks
    .filter(({ channel }) => channel === 'task')
    .map(({ field }) => (spec.mayBeAsync ? unknownCaller(field) : atOnce(field)));
}

function unknownCaller(field: string): TaskError {
  return taskError('AUTH_REQUIRED', 'Webhooks are sent only to callers with credentials.', {
    field,
    suggestion: 'Send a credential, or leave it out.',
  });
}

/** For a task that never reports (docs/protocol/webhooks-out.md#registration-by-buyers). */
function atOnce(field: string): TaskError {
  return refusal(field, 'This task answers at once and sends no webhook.', 'Leave it out.');
}

/** A2A's own channel has no member for an operation_id; one that is given must be valid all the same. */
function operationIdErrors(
  { field, channel, envelope, buyerOperationId }: CallbackRequest,
  profile: WireProfile,
): TaskError[] {
  const at = `${field}.operation_id`;
  if (buyerOperationId === undefined) {
    const isNeeded = channel === 'task' && envelope === 'mcp' && hasFeature(profile.form, 'operationIds');
    const suggestion = 'Send a fresh UUID per request: every webhook for it echoes that.';
    return isNeeded ? [refusal(at, 'A registration needs an operation_id.', suggestion)] : [];
  }
  if (operationIdPattern.test(buyerOperationId)) return [];
  const message = 'An operation_id can have up to 255 letters, digits, dots, colons, hyphens or underscores.';
  return [refusal(at, message, 'Send a fresh UUID per request.')];
}

/** Reports each guessable secret that was accepted only because this is the local profile. */
export function placeholderFindings(callbacks: readonly CallbackRequest[]): Finding[] {
  return callbacks.filter(isPlaceholder).map(({ field }) => ({
    code: 'PLACEHOLDER_SECRET',
    message: 'This secret is a known placeholder. It is accepted only in the local profile.',
    field: `${field}.authentication.credentials`,
  }));
}

function isPlaceholder({ mode, secrets }: CallbackRequest): boolean {
  if (mode === 'signed' || mode === 'unknown') return false;
  const judged = judgeLegacySecret(secrets.credentials ?? '', mode);
  return !judged.ok && judged.error === 'placeholder';
}

function legacyErrors(
  { takesPlaceholderSecrets }: Pick<HandlerDeps, 'takesPlaceholderSecrets'>,
  { field, channel, mode, secrets }: CallbackRequest,
  principal: PrincipalCaller,
  spec: AnyTaskSpec,
): TaskError[] {
  if (mode === 'signed') return [];
  const at = `${field}.authentication`;
  const leaveOut = 'Leave it out: our webhooks are signed.';
  // A signed request proves who sends the secret, so it needs no mark
  // (docs/protocol/webhooks-out.md#registration-by-buyers).
  if (!principal.legacy && principal.signedBy === undefined)
    return [refusal(at, 'You are not allowed to use legacy callback authentication.', leaveOut)];
  if (mode === 'unknown')
    return [refusal(`${at}.schemes`, 'Give one scheme: HMAC-SHA256 or Bearer.', leaveOut)];
  // A Bearer token proves nothing about the body, so it may not report spending
  // (docs/protocol/webhooks-out.md#registration-by-buyers).
  if (mode === 'bearer' && channel === 'task' && spec.kind === 'mutation')
    return [
      refusal(`${at}.schemes`, 'Bearer is not accepted for webhooks of tasks that make changes.', leaveOut),
    ];
  const judged = judgeLegacySecret(secrets.credentials ?? '', mode);
  if (judged.ok || (takesPlaceholderSecrets === true && judged.error === 'placeholder')) return [];
  return [
    refusal(
      `${at}.credentials`,
      `This is not accepted as a shared secret: ${judged.error.replaceAll('_', ' ')}.`,
      'Send at least 32 random characters.',
    ),
  ];
}

function refusal(field: string, message: string, suggestion: string): TaskError {
  return taskError('INVALID_REQUEST', message, { field, suggestion });
}
