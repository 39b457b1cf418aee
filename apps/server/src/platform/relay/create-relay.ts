import type { CustodyRecord } from '@switchyard/relay';
import type { Relay, RelayAnswer, SealedCallIn } from '../../application/relay.js';
import { admitSealed, type Refused } from './admit-sealed.js';
import { passSealed } from './pass-sealed.js';
import { refusedAnswer } from './refused-answer.js';
import type { RelayParts } from './relay-parts.js';

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
  };
}

/** Answers once the refusal is on disk. */
async function refuse(parts: RelayParts, call: SealedCallIn, refused: Refused): Promise<RelayAnswer> {
  const scope = { organizationId: call.caller.organizationId };
  const record: CustodyRecord = { ...refused.record, outcome: 'refused', code: refused.code };
  await parts.custody.refused(scope, record);
  return refusedAnswer(record.id, refused.code, refused.field);
}
