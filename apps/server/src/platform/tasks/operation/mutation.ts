import { requestHash, stripCallbackSecrets, type Leg, type Mutation } from '@switchyard/buys';
import type { HandledCall, HandlerDeps } from '../call/handler.js';
import { legRow } from '../answer/leg-rows.js';
import { authorizeBy } from '../gates/operator-check.js';
import { reachOfTask } from '../gates/reach-of-task.js';
import { mutationTimeoutMs, timeoutOf } from '../call/timeout.js';
import { readCallbacks, registerCallbacks } from './read-callbacks.js';

/** Makes a mutation from a call. Only principals mutate: the service has checked that. */
export function mutationOf<Request>(
  deps: Pick<HandlerDeps, 'ports' | 'sealCallback' | 'operators' | 'grants'>,
  handled: HandledCall<Request>,
): Mutation<Request> {
  const { call, scope, principal, version, request, args, spec, account } = handled;
  if (principal === undefined) throw new Error(`${spec.name} needs a principal.`);
  let settled = 0;
  const onAnswered = (leg: Leg): void => {
    settled += 1;
    call.onSeller?.(legRow(leg, 0), settled, settled);
  };
  return {
    scope,
    principalId: principal.principalId,
    ...(principal.program === undefined ? {} : { program: principal.program }),
    reach: reachOfTask(principal, spec),
    profile: version.profile,
    request,
    args: stripCallbackSecrets(args),
    // Over all arguments: except for one closed list, no member may differ between two copies of one request.
    requestHash: requestHash(args),
    deadlineMs: Math.min(timeoutOf(args, spec.deadlineMs), mutationTimeoutMs),
    onAnswered,
    ...authorizeBy(deps, handled),
    ...(principal.signedBy === undefined
      ? {}
      : { signedBy: { keyid: principal.signedBy.keyid, agentUrl: principal.signedBy.agentUrl } }),
    registerCallbacks: (of) =>
      registerCallbacks(
        deps,
        { ...scope, ...of, principalId: principal.principalId, profile: version.profile },
        readCallbacks(call, args),
      ),
    ...(version.served === undefined ? {} : { version: version.served }),
    ...(call.a2aContextId === undefined ? {} : { contextId: call.a2aContextId }),
    ...(account === undefined
      ? {}
      : {
          account: { brandDomain: account.brandDomain, brandId: account.brandId, operator: account.operator },
        }),
  };
}
