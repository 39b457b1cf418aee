import type { Agent } from '../agent/agent.js';
import { compact, type JsonObject } from '../json.js';
import type { LibraryCreative, LibraryStatus } from './library-creative.js';

/** The current state of a creative: a verdict is valid from its own time on. */
export function statusOf(creative: LibraryCreative, now: number): LibraryStatus {
  const { verdict, status } = creative;
  return status === 'pending_review' && verdict !== undefined && now >= verdict.at ? verdict.status : status;
}

function reasonOf(creative: LibraryCreative, now: number): string | undefined {
  return statusOf(creative, now) === 'rejected' ? creative.verdict?.reason : undefined;
}

export function showCreative(agent: Agent, creative: LibraryCreative): JsonObject {
  const now = agent.now();
  return compact({
    creative_id: creative.creativeId,
    name: creative.name,
    format_id: creative.formatId,
    status: statusOf(creative, now),
    rejection_reason: reasonOf(creative, now),
    created_date: new Date(creative.createdAt).toISOString(),
    updated_date: new Date(creative.updatedAt).toISOString(),
    assets: creative.assets,
    tags: creative.tags.length === 0 ? undefined : [...creative.tags],
    assignments: {
      assignment_count: creative.packages.length,
      assigned_packages: creative.packages.map((id) => ({
        package_id: id,
        assigned_date: new Date(creative.updatedAt).toISOString(),
      })),
    },
  });
}
