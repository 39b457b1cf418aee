import { belongingOf, draftRead, stripCallbackSecrets, withoutTokens } from '@switchyard/buys';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { brandOf } from '../platform/tasks/gates/find-client.js';
import type { MarketQueried } from './answer-from-market.js';
import { storedAnswer } from '../platform/tasks/answer/stored-answer.js';
import { questionHash } from './question-hash.js';
import { readCallbacks, registerCallbacks } from '../platform/tasks/operation/read-callbacks.js';

type Done = Extract<Handled, { kind: 'done' }>;

/**
 * Stores a read whose sellers will answer in part later, so that they are polled, and decides the immediate answer.
 *
 * What has arrived is sent at once, as `completed` with what is missing: a slow seller delays nobody. Only a buyer that
 * registered a webhook, or one that has got nothing at all, gets `submitted`: the protocol sends no webhook after an
 * end. A wholesale catalogue has no `submitted` (docs/protocol/products.md#later-answers), so it is always `completed`.
 * A caller without credentials cannot read later answers.
 */
export async function followLater(
  deps: HandlerDeps,
  handled: HandledCall<unknown>,
  market: MarketQueried<unknown>,
  completeAnswer: Done,
): Promise<Handled> {
  const { call, principal, scope, version, args, spec } = handled;
  const { operationId, pending, legs } = market;
  if (pending.length === 0 || principal === undefined) return completeAnswer;
  const { store, ids, clock } = deps.ports;
  const owner = { ...scope, principalId: principal.principalId, operationId, profile: version.profile };
  const callbacks = await registerCallbacks(deps, owner, readCallbacks(call, args));
  if (!callbacks.ok) return { kind: 'failed', errors: callbacks.error, operationId };
  const { context_id: session = call.a2aContextId } = args;
  const contextId = typeof session === 'string' ? session : undefined;
  const draft = draftRead(ids, {
    scope,
    operationId,
    principalId: principal.principalId,
    spec,
    profile: version.profile,
    args: withoutTokens(stripCallbackSecrets(args)),
    requestHash: questionHash(handled),
    legs,
    rows: market.rows,
    pending,
    addresses: market.addresses,
    at: clock.now(),
    ...(contextId === undefined ? {} : { contextId }),
    ...(version.served === undefined ? {} : { version: version.served }),
  });
  const brand = await brandOf(deps, handled);
  const whose = brand === undefined ? {} : await belongingOf(deps.ports, scope, brand);
  const operation = { ...draft.operation, ...whose };
  await store.begin(scope, { ...draft, operation, callbacks: callbacks.value });
  const hasNothing = legs.every(({ answer }) => answer === undefined);
  const isOpen = !isWholesale(args) && (callbacks.value.length > 0 || hasNothing);
  const names = pending.map(({ connection }) => connection.slug).join(', ');
  const answer: Done = isOpen
    ? {
        kind: 'done',
        status: 'submitted',
        payload: {},
        taskId: draft.operation.taskId,
        message: `Waiting for ${names}.`,
        operationId,
        ...(completeAnswer.sellers === undefined ? {} : { sellers: completeAnswer.sellers }),
      }
    : { ...completeAnswer, message: `To come later: ${names}. Read on by this operation's id.` };
  await store.saveAnswer(scope, operationId, storedAnswer(answer), clock.now());
  return answer;
}

/** A request for the whole catalogue is answered at once, under either task's name for it. */
function isWholesale(args: HandledCall<unknown>['args']): boolean {
  return args['buying_mode'] === 'wholesale' || args['discovery_mode'] === 'wholesale';
}
