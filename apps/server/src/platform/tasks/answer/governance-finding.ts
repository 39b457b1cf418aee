import {
  getProducts,
  getSignals,
  hasFeature,
  listAuthorizedProperties,
  listCreativeFormats,
  type SellerRow,
} from '@switchyard/protocol';
import { isMeantFor } from '@switchyard/sellers';
import type { Handled, HandledCall, HandlerDeps } from '../call/handler.js';
import { withOurs } from './extend-answer.js';

const member = 'governance_context';

/** Reads that are forwarded with the buyer's own members. The others are sent in our own form. */
const forwarding: ReadonlySet<string> = new Set([
  getProducts.name,
  getSignals.name,
  listCreativeFormats.name,
  listAuthorizedProperties.name,
]);

/**
 * Adds a finding that the governance token of a read went to no seller: a token is for one audience
 * (docs/protocol/relay.md#governance-context), and a buyer who believes that it was sent would wait for the result. For
 * a change, its first leg has the same finding.
 */
export async function withGovernanceFinding(
  { ports }: Pick<HandlerDeps, 'ports'>,
  { spec, scope, args, version }: HandledCall<unknown>,
  outcome: Handled,
): Promise<Handled> {
  const token = args[member];
  if (spec.kind !== 'read' || typeof token !== 'string' || outcome.kind !== 'done') return outcome;
  const requested = forwarding.has(spec.name) ? requestedAmong(outcome.sellers ?? []) : new Set<string>();
  const isSent = (await ports.connections.list(scope)).some(
    ({ slug, agentUrl, form }) =>
      requested.has(slug) && hasFeature(form, 'governanceContext') && isMeantFor(token, agentUrl),
  );
  if (isSent) return outcome;
  const message = 'The governance context was not forwarded: no queried seller is its only audience.';
  const finding = { code: 'GOVERNANCE_CONTEXT_NOT_FORWARDED', message, field: member };
  return { ...outcome, payload: withOurs(outcome.payload, { findings: [finding] }, version.profile) };
}

function requestedAmong(rows: readonly SellerRow[]): ReadonlySet<string> {
  return new Set(rows.filter(({ status }) => status !== 'skipped').map(({ seller }) => seller));
}
