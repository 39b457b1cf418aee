import type { Agent } from '../agent/agent.js';
import { compact, type JsonObject } from '../json.js';

export type LibraryStatus =
  'processing' | 'pending_review' | 'approved' | 'suspended' | 'rejected' | 'archived';

/** One creative in this seller's library, as its buyer sent it. */
export interface LibraryCreative {
  readonly creativeId: string;
  readonly name: string;
  readonly formatId: JsonObject;
  readonly assets: JsonObject;
  readonly tags: readonly string[];
  readonly status: LibraryStatus;
  /** The decision of a person at the seller at that time. */
  readonly verdict?: {
    readonly at: number;
    readonly status: 'approved' | 'rejected';
    readonly reason?: string;
  };
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly packages: readonly string[];
  /** The address for this seller's decisions; absent in releases without such webhooks. */
  readonly notify?: { readonly url: string; readonly subscriberId: string; readonly accountId: string };
}

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
