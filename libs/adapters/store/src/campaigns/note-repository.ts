import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';

/** A note of a person about a campaign. */
export interface CampaignNote {
  readonly id: string;
  readonly campaignId: string;
  readonly text: string;
  /** Id of its author. */
  readonly by: string;
}

/** Notes in PostgreSQL. Who may see one is in the SQL of its list. */
export interface NoteRepository {
  /** False where the campaign has `atMost` notes. */
  add(scope: TenantScope, note: CampaignNote, at: Instant, atMost: number): Promise<boolean>;
  /** False where it is not one of this author's. */
  change(scope: TenantScope, note: Pick<CampaignNote, 'id' | 'text' | 'by'>, at: Instant): Promise<boolean>;
  /** False where it is not one of this author's. */
  remove(scope: TenantScope, note: Pick<CampaignNote, 'id' | 'by'>): Promise<boolean>;
}

export function noteRepository(store: Store): NoteRepository {
  return {
    add: (scope, { id, campaignId, text, by }, at, atMost) =>
      store.inTenant(scope, async (client) => {
        const values = [client.organizationId, id, campaignId, text, by, new Date(at), atMost];
        return (await client.query(added, values)).rowCount > 0;
      }),
    change: (scope, { id, text, by }, at) =>
      store.inTenantModels(scope, async ({ campaign_note }) => {
        const where = { organization_id: scope.organizationId, id, written_by: by };
        const data = { text, changed_at: new Date(at) };
        return (await campaign_note.updateMany({ where, data })).count > 0;
      }),
    remove: (scope, { id, by }) =>
      store.inTenantModels(scope, async ({ campaign_note }) => {
        const where = { organization_id: scope.organizationId, id, written_by: by };
        return (await campaign_note.deleteMany({ where })).count > 0;
      }),
  };
}

const added = `
  insert into campaign_note (organization_id, id, campaign_id, text, written_by, created_at)
  select $1::uuid, $2::uuid, $3::uuid, $4, $5::uuid, $6
  where (select count(*) from campaign_note where organization_id = $1::uuid and campaign_id = $3::uuid) < $7::int`;
