import { addJob } from '../jobs/job-repository.js';
import { erasedName } from '../tenancy/person-erasures.js';
import { freely, refused, type ActRules } from './control-act.js';
import { lockRow } from '../core/lock-row.js';

/** Nothing brings a person back: another one approves it, and it waits. */
export const personErased: ActRules<'erase_person'> = {
  judge: async (client, { principalId }) => {
    const columns = ['name', 'kind', 'disabled_at'] as const;
    const person = await lockRow(client, 'principal', { id: principalId }, columns);
    if (person === undefined) return refused('NOT_FOUND', 'There is no person with this id.');
    if (person.kind !== 'person') return refused('CONFLICT', 'Only a person is erased.');
    if (person.disabled_at === null) return refused('CONFLICT', 'Switch the person off first.');
    if (person.name === erasedName(principalId)) return refused('CONFLICT', 'The person is erased already.');
    return {
      ...freely(`person ${principalId}`),
      asks: true,
      basedOn: person.disabled_at.getTime(),
      reason: 'Erases name, addresses and ways in of a person for good, after a waiting period.',
    };
  },
  apply: async (client, { principalId, jobId, dueMs }, { by, at }) => {
    await addJob(client, {
      id: jobId,
      kind: 'erase_person',
      waitsFor: 'database',
      principalId: by,
      permissions: { principals: ['read', 'write', 'delete'] },
      input: { principal_id: principalId },
      cursor: {},
      items: [],
      createdAt: at,
      dueAt: at + dueMs,
    });
    return true;
  },
};

/** Closes an organization at once. Its rows are removed after a waiting time, which the database sets. */
export const organizationDeleted: ActRules<'delete_organization'> = {
  judge: async ({ models, organizationId }) => {
    const where = { organization_id: organizationId };
    if ((await models.organization_deletion.count({ where })) > 0)
      return refused('CONFLICT', 'The organization is closed already.');
    return {
      ...freely('organization'),
      asks: true,
      reason: 'Closes the organization at once, and removes everything of it for good after 30 days.',
    };
  },
  apply: async (client, _act, { by }) => {
    // By the database's clock; its policy `waits` refuses a shorter time.
    await client.query(
      `insert into organization_deletion (organization_id, requested_by, closed_at, due_at) values ($1, $2, now(), now() + interval '30 days')`,
      [client.organizationId, by],
    );
    return true;
  },
};
