import type { TenantScope } from '@switchyard/tenancy';
import { isUuid, type Instant } from '@switchyard/values';
import { unlessDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import type { NoticeEndpoint } from './notice-store.js';

/** Where an organization is told. */
export interface EndpointRepository {
  /** False if the organization has one with this name. */
  add(
    scope: TenantScope,
    endpoint: NoticeEndpoint,
    made: { readonly by: string; readonly at: Instant },
  ): Promise<boolean>;
  /** By its id or its name. */
  find(scope: TenantScope, idOrName: string): Promise<NoticeEndpoint | undefined>;
  setState(scope: TenantScope, id: string, state: NoticeEndpoint['state']): Promise<void>;
  /** Removes it with its deliveries and its secrets. */
  remove(scope: TenantScope, endpoint: Pick<NoticeEndpoint, 'id' | 'credentialId'>): Promise<void>;
  /**
   * Notes the end of an attempt. One that has failed since before `offBefore` is turned off: true if this turned it off.
   */
  noteAttempt(
    scope: TenantScope,
    id: string,
    attempt: { readonly isSent: boolean; readonly at: Instant; readonly offBefore: Instant },
  ): Promise<boolean>;
}

export function endpointRepository(store: Store): EndpointRepository {
  return {
    add: (scope, { id, name, channel, origin, credentialId, kinds, state }, { by, at }) =>
      unlessDuplicate(() =>
        store.inTenantModels(scope, async ({ notice_endpoint }) => {
          const data = { id, name, channel, origin, state, credential_id: credentialId, kinds: [...kinds] };
          const made = { created_by: by, created_at: new Date(at) };
          await notice_endpoint.create({ data: { ...data, ...made, organization_id: scope.organizationId } });
        }),
      ),
    find: (scope, idOrName) =>
      store.inTenantModels(scope, async ({ notice_endpoint }) => {
        const where = isUuid(idOrName) ? { id: idOrName } : { name: idOrName };
        const found = await notice_endpoint.findFirst({
          where: { organization_id: scope.organizationId, ...where },
        });
        return found === null ? undefined : endpointOf(found);
      }),
    setState: (scope, id, state) =>
      store.inTenantModels(scope, async ({ notice_endpoint }) => {
        const where = { organization_id: scope.organizationId, id };
        await notice_endpoint.updateMany({ where, data: { state, failing_since: null } });
      }),
    remove: (scope, { id, credentialId }) =>
      store.inTenantModels(scope, async ({ credential, notice_delivery, notice_endpoint }) => {
        const own = { organization_id: scope.organizationId };
        await notice_endpoint.deleteMany({ where: { ...own, id } });
        await notice_delivery.deleteMany({ where: { ...own, recipient_id: id } });
        await credential.deleteMany({ where: { ...own, credential_id: credentialId } });
      }),
    noteAttempt: (scope, id, { isSent, at, offBefore }) =>
      store.inTenant(scope, async (client) => {
        const own = { organization_id: scope.organizationId, id };
        const sent = { failing_since: null, last_sent_at: new Date(at) };
        if (isSent) await client.models.notice_endpoint.updateMany({ where: own, data: sent });
        if (isSent) return false;
        const values = [scope.organizationId, id, new Date(at), new Date(offBefore)];
        const { rows } = await client.query<{ is_off: boolean }>(failed, values);
        return rows[0]?.is_off === true;
      }),
  };
}

export const endpointOf = rowReader<NoticeEndpoint>()(
  'id, name, channel, origin, credential_id, kinds, state, failing_since',
);

/** Those that notices are written down for, also while they are paused. */
export const endpointsThatAreTold = `select * from notice_endpoint where organization_id = $1 and state <> 'off'`;

/** A delivery `d` whose endpoint takes nothing now: what it is owed is kept. */
export const endpointTakesNothing = `
  exists (select from notice_endpoint e
    where e.organization_id = $1 and e.id = d.recipient_id and e.state <> 'active')`;

const failed = `
  update notice_endpoint set failing_since = coalesce(failing_since, $3),
    state = case when failing_since < $4 then 'off' else state end
  where organization_id = $1 and id = $2 and state <> 'off'
  returning state = 'off' as is_off`;
