import type { CustodyRecord } from '@switchyard/relay';
import type { OversizedCallIn, Relay, RelayAnswer, SealedCallIn } from './relay.js';
import { admitKnown } from './admission/admit-known.js';
import { admitSealed } from './admission/admit-sealed.js';
import type { Refused } from './admission/sealed-checks.js';
import { passSealed } from './pass-sealed.js';
import { refusedAnswer } from './refused-answer.js';
import type { RelayDeps } from './relay-deps.js';

type RefusedAnswer = Extract<RelayAnswer, { kind: 'refused' }>;

/**
 * The sealed relay. Every check that can refuse a request runs before the seller gets it, and its row is written before
 * it is forwarded, so that a crash leaves a record with an unknown outcome, and never none.
 */
export function createRelay(deps: RelayDeps): Relay {
  return {
    pass: async (call) => {
      const admitted = await admitSealed(deps, call);
      if (!admitted.ok) return refuse(deps, call, admitted.error);
      if (call.tokenHash !== undefined) deps.paths.learn(call.tokenHash, call.seller);
      return passSealed(deps, call, admitted.value);
    },
    passKnown: async (call) => {
      const path = deps.paths.find(call.tokenHash, call.seller);
      if (path === undefined) return undefined;
      const known = await admitKnown(deps, call, path);
      if (known === undefined) return undefined;
      if ('refused' in known) return refuseAdmitted(deps, known.call, known.refused);
      return passSealed(deps, known.call, known.admitted);
    },
    tooLarge: (call) => tooLarge(deps, call),
  };
}

/** Only the declared length of the body is known. */
async function tooLarge(deps: RelayDeps, call: OversizedCallIn): Promise<RefusedAnswer> {
  const { caller, seller, declaredBytes } = call;
  const record: CustodyRecord = {
    id: deps.newId(),
    way: 'sealed',
    principalId: caller.principalId,
    principal: caller.name,
    seller: seller.slice(0, 100),
    arrived: {
      at: deps.clock.now(),
      bodyHash: '',
      bytes: declaredBytes ?? 0,
      isUnread: true,
      steps: [],
    },
    outcome: 'refused',
    code: 'RELAY_BODY_TOO_LARGE',
  };
  await deps.custody.refused({ organizationId: caller.organizationId }, record);
  return refusedAnswer(record.id, 'RELAY_BODY_TOO_LARGE');
}

/** Its row exists already, so the refusal is its outcome. */
function refuseAdmitted(deps: RelayDeps, call: SealedCallIn, { code, record }: Refused): RelayAnswer {
  const ended: CustodyRecord = { ...record, outcome: 'refused', code };
  void deps.custody.ended(
    { organizationId: call.caller.organizationId },
    { record: ended, at: deps.clock.now(), releases: true },
    false,
  );
  return refusedAnswer(record.id, code);
}

/** Answers once the refusal is stored. */
async function refuse(deps: RelayDeps, call: SealedCallIn, refused: Refused): Promise<RelayAnswer> {
  const scope = { organizationId: call.caller.organizationId };
  const record: CustodyRecord = { ...refused.record, outcome: 'refused', code: refused.code };
  await deps.custody.refused(scope, record);
  return refusedAnswer(record.id, refused.code, refused.field);
}
