import type { AccountingPeriod, CloseStepName } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import type { close_stepModel } from '../generated/models.js';
import { isOnePerson } from '../tenancy/one-person.js';

/** A step of the close: whose it is, until when, and who says that it is done. */
export interface CloseStep {
  readonly step: CloseStepName;
  readonly ownerId?: string;
  readonly owner?: string;
  /** YYYY-MM-DD. */
  readonly dueOn?: string;
  readonly doneById?: string;
  readonly doneBy?: string;
  readonly doneAt?: Instant;
}

/** What of a step is changed; null takes it away. */
export interface CloseStepChange {
  readonly period: AccountingPeriod;
  readonly step: CloseStepName;
  /** UUID of a principal. */
  readonly owner?: string | null;
  /** YYYY-MM-DD. */
  readonly dueOn?: string | null;
  /** Whether the caller says that it is done, or takes that back. */
  readonly done?: boolean;
  /** UUID of the caller. */
  readonly by: string;
}

type StepRow = Pick<close_stepModel, 'owner' | 'done_by' | 'done_at'> &
  Readonly<Record<'owner_name' | 'due_on' | 'done_name', string | null>> & { readonly step: CloseStepName };

/** The steps of a month of which somebody said something. */
export async function readCloseSteps(
  client: TenantClient,
  period: AccountingPeriod,
): Promise<readonly CloseStep[]> {
  const { rows } = await client.query<StepRow>(
    `select s.step, s.owner, o.name as owner_name, to_char(s.due_on, 'YYYY-MM-DD') as due_on, s.done_by,
       d.name as done_name, s.done_at
     from close_step s
     left join principal o on o.organization_id = s.organization_id and o.id = s.owner
     left join principal d on d.organization_id = s.organization_id and d.id = s.done_by
     where s.organization_id = $1 and s.period = $2 order by s.step`,
    [client.organizationId, period],
  );
  return rows.map((row) => ({
    step: row.step,
    ...(row.owner !== null && { ownerId: row.owner, owner: row.owner_name ?? '' }),
    ...(row.due_on !== null && { dueOn: row.due_on }),
    ...(row.done_by !== null && { doneById: row.done_by, doneBy: row.done_name ?? '' }),
    ...(row.done_at !== null && { doneAt: row.done_at.getTime() }),
  }));
}

/** Changes a step. False if its owner is nobody of the organization. */
export async function changeCloseStep(
  client: TenantClient,
  { period, step, owner, dueOn, done, by }: CloseStepChange,
  at: Instant,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into close_step (organization_id, period, step, owner, due_on, done_by, done_at, updated_at)
     select $1, $2, $3, $4, $6::date, case when $9 then $10::uuid end, case when $9 then $11::timestamptz end, $11
     where $4::uuid is null or exists (select from principal where organization_id = $1 and id = $4::uuid and disabled_at is null)
     on conflict (organization_id, period, step) do update set
       owner = case when $5 then excluded.owner else close_step.owner end,
       due_on = case when $7 then excluded.due_on else close_step.due_on end,
       done_by = case when $8 then excluded.done_by else close_step.done_by end,
       done_at = case when $8 then excluded.done_at else close_step.done_at end,
       updated_at = excluded.updated_at`,
    [
      ...[client.organizationId, period, step],
      ...[owner ?? null, owner !== undefined, dueOn ?? null, dueOn !== undefined],
      ...[done !== undefined, done === true, by, new Date(at)],
    ],
  );
  return rowCount === 1;
}

/** The step of a month that the principal, or somebody who is the same person, did; undefined if there is none. */
export async function ownStepOf(
  client: TenantClient,
  period: AccountingPeriod,
  principalId: string,
): Promise<CloseStepName | undefined> {
  const done = (await readCloseSteps(client, period)).filter(({ doneById }) => doneById !== undefined);
  for (const { step, doneById = '' } of done)
    if (await isOnePerson(client, principalId, doneById)) return step;
  return undefined;
}
