import type { Agent } from '../agent/agent.js';
import type { BuyPackage } from '../buys/buy.js';
import { compact, type JsonObject } from '../json.js';
import { statusOf } from './library.js';

/**
 * The approvals of the creatives on one package: the library's decisions, except that the word `unfit` in a name
 * requests a creative that the library accepts and the package does not.
 */
export function showApprovals(agent: Agent, part: BuyPackage): JsonObject[] {
  const held = agent.books.creatives;
  const synced = [...held.values()].filter(({ packages }) => packages.includes(part.packageId));
  const ids = new Set([...part.creativeIds, ...synced.map(({ creativeId }) => creativeId)]);
  return [...ids].map((creativeId): JsonObject => {
    const known = held.get(creativeId);
    const status = known === undefined ? 'approved' : statusOf(known, agent.now());
    const isUnfit = /unfit/i.test(known?.name ?? '');
    const reported = status === 'archived' || isUnfit ? 'rejected' : status;
    return compact({
      creative_id: creativeId,
      approval_status: reported,
      rejection_reason:
        reported !== 'rejected'
          ? undefined
          : isUnfit
            ? 'It does not fit this package.'
            : 'It breaks our rules.',
    });
  });
}
