import type { CustodyRecord } from '@switchyard/relay';
import type { OversizedCallIn, Relay, RelayAnswer, SealedCallIn } from '../../application/relay.js';
import { admitSealed, type Refused } from './admit-sealed.js';
import { passSealed } from './pass-sealed.js';
import { refusedAnswer } from './refused-answer.js';
import type { RelayParts } from './relay-parts.js';

type RefusedAnswer = Extract<RelayAnswer, { kind: 'refused' }>;

/**
 * The sealed relay. Everything that can refuse a request comes before the seller hears of it, and the request stands
 * in a row before it is passed on, so that a crash leaves "passed on, outcome unknown" and never silence.
 */
export function createRelay(parts: RelayParts): Relay {
  return {
    pass: async (call) => {
      const admitted = await admitSealed(parts, call);
      return admitted.ok ? passSealed(parts, call, admitted.value) : refuse(parts, call, admitted.error);
    },
    tooLarge: (call) => tooLarge(parts, call),
  };
}

/** Nothing of the body is known but what the header says of its length. */
async function tooLarge(parts: RelayParts, call: OversizedCallIn): Promise<RefusedAnswer> {
  const { caller, seller, declaredBytes } = call;
  const record: CustodyRecord = {
    id: parts.newId(),
    way: 'sealed',
    principalId: caller.principalId,
    principal: caller.name,
    seller: seller.slice(0, 100),
    arrived: {
      at: parts.clock.now(),
      bodyHash: '',
      bytes: declaredBytes ?? 0,
      isUnread: true,
      steps: [],
    },
    outcome: 'refused',
    code: 'RELAY_BODY_TOO_LARGE',
  };
  await parts.custody.refused({ organizationId: caller.organizationId }, record);
  return refusedAnswer(record.id, 'RELAY_BODY_TOO_LARGE');
}

/** Answers once the refusal is on disk. */
async function refuse(parts: RelayParts, call: SealedCallIn, refused: Refused): Promise<RelayAnswer> {
  const scope = { organizationId: call.caller.organizationId };
  const record: CustodyRecord = { ...refused.record, outcome: 'refused', code: refused.code };
  await parts.custody.refused(scope, record);
  return refusedAnswer(record.id, refused.code, refused.field);
}
