import type { PersonErasures } from '@switchyard/store';
import { ok, type Clock } from '@switchyard/values';
import { z } from 'zod';
import { jobsOn } from '../platform/jobs/job-kind.js';

interface EraseDeps {
  readonly erasures: PersonErasures;
  readonly clock: Clock;
}

/** Between the approval and the erasure, in milliseconds: a week, in which the job can be canceled. */
export const erasureWaitMs = 7 * 24 * 3_600_000;

/** Erases a person: first from the audit, part by part, then everywhere else at once. */
export const personErasure = jobsOn<EraseDeps>()({
  name: 'erase_person',
  title: 'Erasure of a person',
  needs: 'principals.delete',
  isApproved: true,
  waitsFor: 'database',
  input: z.strictObject({ principal_id: z.string() }),
  cursor: z.strictObject({
    before: z.strictObject({ at: z.number(), id: z.number() }).exactOptional(),
  }),
  first: {},
  unit: async ({ erasures, clock }, { scope, input, cursor, done }) => {
    // Acts that are recorded from now on are not the person's: it was switched off before.
    const before = cursor.before ?? { at: clock.now() + 60_000, id: 0 };
    const next = await erasures.fromAudit(scope, input.principal_id, before);
    if (next !== undefined) return ok({ progress: { cursor: { before: next }, done: done + 1 } });
    await erasures.everywhereElse(scope, input.principal_id, clock.now());
    return ok({ result: { principal_id: input.principal_id } });
  },
});
