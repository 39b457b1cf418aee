import type { PrincipalDirectory } from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok } from '@switchyard/values';
import { z } from 'zod';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { instant } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';
import { erasureWaitMs } from './erase-person.js';

export interface ErasuresDeps extends ControlDeps {
  readonly principals: Pick<PrincipalDirectory, 'find' | 'findByName'>;
  readonly newId: () => string;
}

const route = routesOn<ErasuresDeps>();

/** Erasure of a person (docs/guides/admin.md#erase-a-person). Its job is canceled as every job is. */
export const erasureRoutes = [
  route({
    method: 'post',
    path: '/v1/principals/{name}/erasure',
    id: 'erase_person',
    summary:
      'Erase name, addresses and ways in of a person that is switched off, a week after another person has approved it; cancel its job to keep the person',
    needs: 'principals.delete',
    isOfOrganization: true,
    byPerson: true,
    answer: z.strictObject({
      principal_id: z.string(),
      job_id: z.string().describe('Of `GET /v1/jobs/{id}`: canceled, nothing is erased.'),
      due_at: instant,
      ...aloneMember,
    }),
    mayWait: true,
    handle: async (deps, { caller, params: { name } }) => {
      const found =
        (await deps.principals.findByName(caller, name)) ??
        (isUuid(name) ? await deps.principals.find(caller, name) : undefined);
      if (found === undefined)
        return err({ code: 'NOT_FOUND', message: 'There is no principal with this name.', field: 'name' });
      const jobId = deps.newId();
      const act = { kind: 'erase_person', principalId: found.id, jobId, dueMs: erasureWaitMs } as const;
      const taken = await takeControl(deps, caller, act);
      if ('answer' in taken) return taken.answer;
      const due = isoOf(deps.clock.now() + erasureWaitMs);
      return ok({ principal_id: found.id, job_id: jobId, due_at: due, ...aloneOf(taken) });
    },
  }),
];
