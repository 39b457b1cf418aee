import { splitId } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { OperationStore } from './operation-store.js';
import type { Proposal } from './proposal.js';

/** Finds a proposal that was made to this organization, and its seller. */
export async function findProposal(
  store: Pick<OperationStore, 'proposals'>,
  scope: TenantScope,
  id: string,
  connections: ReadonlyMap<string, Connection>,
): Promise<{ readonly proposal: Proposal; readonly connection: Connection } | undefined> {
  const split = splitId(id);
  const connection = split.ok ? connections.get(split.value.slug) : undefined;
  const proposal = (await store.proposals(scope, [id])).get(id);
  return proposal === undefined || connection === undefined ? undefined : { proposal, connection };
}
