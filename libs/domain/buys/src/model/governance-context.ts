import { type Finding, hasFeature } from '@switchyard/protocol';
import { isMeantFor, type Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import type { Leg } from './operation.js';

const member = 'governance_context';

/** The buyer's token, unchanged, if its audience is this seller. Releases before 3.x have no member for it. */
export function governanceAt(
  { agentUrl, form }: Pick<Connection, 'agentUrl' | 'form'>,
  request: JsonObject,
): JsonObject {
  const token = request[member];
  const hasWord = hasFeature(form, 'governanceContext');
  return hasWord && typeof token === 'string' && isMeantFor(token, agentUrl) ? { [member]: token } : {};
}

/**
 * The finding for a token that was not forwarded: its audience is another one, or the seller's tool does not
 * take it.
 */
export function governanceFindings({
  operation,
  legs,
}: {
  readonly operation: { readonly request: JsonObject };
  readonly legs: readonly Pick<Leg, 'outbound'>[];
}): readonly Finding[] {
  const token = operation.request[member];
  if (typeof token !== 'string') return [];
  const isSent = legs.some(({ outbound }) => (JSON.parse(outbound) as JsonObject)[member] === token);
  if (isSent) return [];
  const message =
    'The governance context was forwarded to nobody: no seller of this request that takes one is its only audience.';
  return [{ code: 'GOVERNANCE_CONTEXT_NOT_FORWARDED', message, field: member }];
}
