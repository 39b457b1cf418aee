import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import type { Finding } from '../../../losses/finding.js';
import { objectAt, objectsAt, textAt } from '../../../message/pick.js';
import type { Kept } from '../../lifecycle-task.js';
import { compactProposal, termsOfProposal } from './terms.js';

/** How long terms can be accepted whose seller names no time, in milliseconds. */
const keptForMs = 24 * 60 * 60_000;

export const termsKey = (proposalId: string): string => `terms ${proposalId}`;

interface Shown {
  readonly proposals: readonly JsonObject[];
  readonly kept: readonly Kept[];
  readonly findings: readonly Finding[];
}

/** Proposals of an answer whose terms are told whole; the others are named by findings. */
export function proposalsIn(
  payload: JsonObject,
  products: readonly JsonObject[],
  {
    asked,
    at,
    parentOf,
  }: {
    readonly asked: JsonObject;
    readonly at: Instant;
    readonly parentOf?: (proposal: JsonObject) => string | undefined;
  },
): Shown {
  const proposals: JsonObject[] = [];
  const kept: Kept[] = [];
  const findings: Finding[] = [];
  for (const [place, proposal] of objectsAt(payload, 'proposals').entries()) {
    const terms = termsOfProposal(proposal, products, {
      brand: objectAt(asked, 'brand'),
      flight: objectAt(asked, 'flight') ?? {},
    });
    if (terms === undefined) {
      findings.push(untold(place));
      continue;
    }
    const until = Date.parse(textAt(proposal, 'expires_at') ?? '');
    const expiresAt = Number.isNaN(until) ? at + keptForMs : until;
    const parent = parentOf?.(proposal);
    const shown = compactProposal(proposal, terms, {
      status: proposal['proposal_status'] === 'committed' ? 'committed' : 'draft',
      expiresAt: isoOf(expiresAt),
      ...(parent === undefined ? {} : { parent }),
    });
    proposals.push(shown);
    kept.push({
      key: termsKey(textAt(proposal, 'proposal_id') ?? ''),
      value: { proposal: shown, flight: objectAt(asked, 'flight') ?? {} },
      // Kept a little longer, so that one that has expired is refused for that.
      until: expiresAt + keptForMs,
    });
  }
  return { proposals, kept, findings };
}

function untold(place: number): Finding {
  return {
    code: 'NOT_TOLD',
    message:
      'This proposal does not say a price or a flight for each of its products, so its terms cannot be accepted. ' +
      'Name the flight by criteria.offer_filters.availability_horizon, or buy its products.',
    field: `proposals[${place}]`,
  };
}
