import type { Instant, JsonObject } from '@switchyard/values';
import { constraintsOf } from './revocation.js';

/** Rights of a creative that end by themselves (docs/protocol/governance.md#rights-that-end). */
export interface EndingRights {
  readonly rightsId: string;
  /** The agent that granted them; absent: not named. */
  readonly agentUrl?: string;
  readonly endsAt: Instant;
}

/** The rights that a creative names with their end; those without an end, or an id, are left out. */
export function rightsEnds(creative: JsonObject): readonly EndingRights[] {
  return constraintsOf(creative).flatMap(({ rightsId, agentUrl, endsAt }) =>
    rightsId === undefined || endsAt === undefined
      ? []
      : [{ rightsId, endsAt, ...(typeof agentUrl === 'string' && { agentUrl }) }],
  );
}

/** When rights of a creative end next, later than `after`. */
export function nextRightsEnd(creative: JsonObject, after = Number.NEGATIVE_INFINITY): Instant | undefined {
  const ends = rightsEnds(creative).flatMap(({ endsAt }) => (endsAt > after ? [endsAt] : []));
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Whether a creative still names the grant with an end that is not later: one whose rights were extended does not. */
export const hasRightsUntil = (creative: JsonObject, rightsId: string, until: Instant): boolean =>
  rightsEnds(creative).some((right) => right.rightsId === rightsId && right.endsAt <= until);
