import { addJob } from '../jobs/job-repository.js';
import { erasedName } from '../tenancy/person-erasures.js';
import { freely, refused, type ActRules } from './control-act.js';

/** Nothing brings a person back: another one approves it, and it waits. */
export const personErased: ActRules<'erase_person'> = {
  judge: async (client, { principalId }) => {
    const { rows } = await client.query<{ name: string; kind: string; disabled_at: Date | null }>(
      'select name, kind, disabled_at from principal where organization_id = $1 and id = $2 for update',
      [client.organizationId, principalId],
    );
    const [person] = rows;
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
