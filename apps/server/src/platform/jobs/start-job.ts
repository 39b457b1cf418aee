import type { JobStore, JobWait } from '@switchyard/store';
import type { Belongings } from '@switchyard/tenancy';
import { defined, err, ok, type Clock, type Instant, type JsonValue, type Result } from '@switchyard/values';
import type { z } from 'zod';
import { quotaFailure, type Quotas } from '../caller/quotas.js';
import type { AdminFailure } from '../failure.js';
import { StartedJob } from '../routes/route.js';
import { scopeOf, type PrincipalCaller } from '../tasks/call/task-call.js';
import type { AnyJobKind } from './job-kind.js';
import type { JobItems } from './job-items.js';

/** What a job is started with. */
interface JobStart<Input> {
  readonly input: Input;
  /** Each is sealed: it may contain secrets. */
  readonly items?: readonly object[];
  /** Units in all, if that is known; the number of items unless set. */
  readonly total?: number;
  /** No worker takes it before; at once unless set. `phase` says for people what it waits for. */
  readonly dueAt?: Instant;
  readonly phase?: string;
  /** Of a job that starts another one each day: why it is refused while one of its kind has not ended, by the id of that one. */
  readonly onlyDaily?: (jobId: string) => AdminFailure;
  /** The client, brand or campaign that it is about; absent: the organization. */
  readonly about?: Omit<Belongings, 'principalId'>;
}

/** Starts jobs. The route that does it has checked the permission of the kind. */
export interface JobStarter {
  start<Input extends z.ZodType>(
    kind: Pick<AnyJobKind, 'name' | 'waitsFor' | 'first'> & { readonly input: Input },
    caller: PrincipalCaller,
    start: JobStart<z.output<Input>>,
  ): Promise<Result<StartedJob, AdminFailure>>;
}

interface JobStarterDeps {
  readonly jobs: Pick<JobStore, 'insert'>;
  readonly items: Pick<JobItems, 'seal'>;
  readonly quotas?: Pick<Quotas, 'roomFor'>;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Wakes a worker. The job is found without it too, within a second or two. */
  readonly notify: (organizationId: string, waitsFor: JobWait) => void;
}

export function jobStarter({ jobs, items, quotas, clock, newId, notify }: JobStarterDeps): JobStarter {
  return {
    start: async (kind, caller, { input, items: rows = [], total, about, dueAt, phase, onlyDaily }) => {
      const scope = scopeOf(caller);
      const full = kind.waitsFor === 'files' ? await quotas?.roomFor(scope, 'file_bytes', 1) : undefined;
      if (full !== undefined) return err(quotaFailure(full));
      const sealed = await items.seal(scope, rows);
      if (!sealed.ok) return err({ code: 'UNAVAILABLE', message: 'The vault cannot seal anything now.' });
      const id = newId();
      const there = await jobs.insert(scope, {
        id,
        kind: kind.name,
        waitsFor: kind.waitsFor,
        principalId: caller.principalId,
        permissions: caller.permissions,
        input: kind.input.parse(input) as JsonValue,
        cursor: kind.first as JsonValue,
        items: sealed.value,
        createdAt: clock.now(),
        ...about,
        ...defined({ total: total ?? (rows.length > 0 ? rows.length : undefined), dueAt, phase }),
        ...(onlyDaily !== undefined && { isDaily: true as const }),
      });
      if (there !== undefined && onlyDaily !== undefined) return err(onlyDaily(there));
      notify(caller.organizationId, kind.waitsFor);
      return ok(new StartedJob(id));
    },
  };
}
