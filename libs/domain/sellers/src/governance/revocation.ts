import { isJsonObject, type Instant, type JsonObject, type JsonValue } from '@switchyard/values';
import { objectsIn } from '../keys/read-adagents.js';

/** What a rights agent takes back (docs/protocol/governance.md#revoked-rights). */
export interface Revocation {
  readonly rightsId: string;
  readonly reason: string;
  /** Nothing may be delivered with the rights from then on. */
  readonly effectiveAt: Instant;
  /** The uses that are revoked; empty: all. */
  readonly uses: readonly string[];
}

const mostUses = 50;
const longestReason = 500;

/** Reads a revocation; undefined if it lacks what an effect needs. The event may be the result of an envelope. */
export function readRevocation(body: JsonObject): Revocation | undefined {
  const inner = isJsonObject(body['result']) ? body['result'] : body;
  const { rights_id: rightsId, reason, effective_at: effectiveAt, revoked_uses: uses } = inner;
  const at = typeof effectiveAt === 'string' ? Date.parse(effectiveAt) : Number.NaN;
  if (!isId(rightsId) || Number.isNaN(at)) return undefined;
  return {
    rightsId,
    reason: typeof reason === 'string' ? reason.slice(0, longestReason) : '',
    effectiveAt: at,
    uses: (Array.isArray(uses) ? uses : []).filter((use) => typeof use === 'string').slice(0, mostUses),
  };
}

/**
 * Whether a creative uses revoked rights. Its constraints stand in its manifest or in the creative itself; one that names
 * another agent than the sender is not the sender's to revoke.
 */
export function usesRights(creative: JsonObject, { rightsId, uses }: Revocation, agentUrl: string): boolean {
  return constraintsOf(creative).some(
    (constraint) =>
      constraint.rightsId === rightsId &&
      (constraint.agentUrl ?? agentUrl) === agentUrl &&
      meets(constraint.uses, uses),
  );
}

interface Constraint {
  readonly rightsId?: string;
  /** The agent that granted the rights; absent: not named. */
  readonly agentUrl?: JsonValue;
  readonly uses: JsonValue | undefined;
  readonly endsAt?: Instant;
}

/** The constraints of rights in a creative: in the creative itself and in its manifest. */
function constraintsOf(creative: JsonObject): readonly Constraint[] {
  const manifests = [creative, creative['manifest'], creative['creative_manifest']].filter(isJsonObject);
  return manifests
    .flatMap(({ rights }) => objectsIn(rights))
    .map(({ rights_id: id, rights_agent: agent, uses, valid_until: until }) => {
      const endsAt = typeof until === 'string' ? Date.parse(until) : Number.NaN;
      const agentUrl = isJsonObject(agent) ? agent['url'] : undefined;
      return {
        uses,
        ...(isId(id) && { rightsId: id }),
        ...(agentUrl !== undefined && { agentUrl }),
        ...(!Number.isNaN(endsAt) && { endsAt }),
      };
    });
}

/** A constraint without uses covers all of them, and so does a revocation. */
function meets(uses: JsonValue | undefined, revoked: readonly string[]): boolean {
  if (revoked.length === 0 || !Array.isArray(uses) || uses.length === 0) return true;
  return uses.some((use) => typeof use === 'string' && revoked.includes(use));
}

const isId = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 255 && !value.includes('\0');

/** A package of ours that runs with creatives, some of which may not be delivered any more. */
export interface TouchedPackage {
  readonly mediaBuyId: string;
  readonly packageId: string;
  readonly seller: string;
  /** UUID of the principal that bought. */
  readonly principalId: string;
  readonly creativeIds: readonly string[];
}

/** What the package is changed to: without the creatives, or, where none is left, paused. */
export function changeOf(
  { packageId, creativeIds }: TouchedPackage,
  revoked: ReadonlySet<string>,
): JsonObject {
  const left = creativeIds.filter((id) => !revoked.has(id));
  return left.length === 0
    ? { package_id: packageId, paused: true }
    : { package_id: packageId, creative_assignments: left.map((id) => ({ creative_id: id })) };
}

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
