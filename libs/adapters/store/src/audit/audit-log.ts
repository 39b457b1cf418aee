import type { ListSort, TenantScope } from '@switchyard/tenancy';
import { isUuid, type Instant, type JsonObject } from '@switchyard/values';
import { comparedBy, directionOf } from '../core/list-statement.js';
import { repeatSteps, rowsPerStep } from '../core/repeat-steps.js';
import { run } from '../core/tenant-transaction.js';
import { storableJson, storableText } from '../core/storable.js';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';

/** An act that is about to be done through an admin route. */
interface ActToRecord {
  readonly at: Instant;
  /** UUID of a principal; absent: the holder of the data folder's admin secret. */
  readonly actorId?: string;
  readonly actorName: string;
  /** The id of the route. */
  readonly action: string;
  readonly objectKind?: string;
  readonly objectId?: string;
  readonly objectName?: string;
  /** The request without its secrets. */
  readonly detail: JsonObject;
  /** The caller's id of its request. */
  readonly requestId?: string;
}

/** The end of an act. If the act made its object, only the answer names it. */
interface ActEnd {
  readonly outcome: 'ok' | 'refused' | 'failed';
  readonly code?: string;
  readonly objectId?: string;
  readonly objectName?: string;
  readonly endedAt: Instant;
}

/** A recorded act. One in state `begun` was interrupted or is in progress: whether it was done is unknown. */
interface RecordedAct extends ActToRecord, Partial<Pick<ActEnd, 'code' | 'endedAt'>> {
  readonly kind: 'act';
  readonly id: number;
  readonly outcome: 'begun' | ActEnd['outcome'];
  /** Names of the principals that could act as the actor, as of now. */
  readonly actorHeldBy: readonly string[];
}

/** One use of a credential. */
interface RecordedUse {
  readonly kind: 'credential_use';
  readonly id: number;
  readonly at: Instant;
  readonly credentialId: string;
  readonly credentialVersion: number;
  readonly seller?: string;
  readonly operationId?: string;
  readonly purpose: string;
  readonly actor: string;
}

export type AuditEntry = RecordedAct | RecordedUse;

interface AuditFilter {
  readonly kind?: AuditEntry['kind'];
  /** From this instant on. */
  readonly since?: Instant;
  /** Before this instant. */
  readonly until?: Instant;
  /** Of an act: id or name of its actor. Of a use: the service that used the credential. */
  readonly actor?: string;
  /** Of an act: id or name of its object. Of a use: id of the credential, or its seller. */
  readonly object?: string;
  /** Of an act: the id of its route. Of a use: its purpose. */
  readonly action?: string;
  /** Newest first unless set. */
  readonly sort?: ListSort;
  /** Entries that come after this one in that order. */
  readonly after?: Pick<AuditEntry, 'kind' | 'id' | 'at'>;
  readonly limit: number;
}

/** Methods reject if the database cannot be reached. */
export interface AuditLog {
  /** Records an act before it is done. Returns the id of its row. */
  begin(scope: TenantScope, act: ActToRecord): Promise<number>;
  /** Records the end of an act, once. Rejects if it has already ended. */
  end(scope: TenantScope, id: number, end: ActEnd): Promise<void>;
  /** Acts and uses of credentials as one list. Newest first, acts come before uses of the same instant. */
  list(scope: TenantScope, filter: AuditFilter): Promise<readonly AuditEntry[]>;
  /** Deletes records of all organizations before an instant, at least 30 days ago. Returns at least how many. */
  forget(before: Instant): Promise<number>;
}

export function auditLog(store: Store): AuditLog {
  return {
    begin: (scope, act) => store.inTenant(scope, (client) => insert(client, act)),
    end: (scope, id, end) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(endAct, [
          id,
          end.outcome,
          end.code ?? null,
          end.objectId ?? null,
          end.objectName ?? null,
          new Date(end.endedAt),
        ]);
        if (rowCount !== 1) throw new Error('This act has ended already.');
      }),
    list: (scope, filter) =>
      store.inTenant(scope, async (client) => {
        const acts = filter.kind === 'credential_use' ? [] : await actsOf(client, filter);
        const uses = filter.kind === 'act' ? [] : await usesOf(client, filter);
        // Both lists are already in order, and the sort is stable.
        const all = isOldest(filter)
          ? [...uses, ...acts].toSorted((one, other) => one.at - other.at)
          : [...acts, ...uses].toSorted((one, other) => other.at - one.at);
        return all.slice(0, filter.limit);
      }),
    forget: (before) =>
      repeatSteps(async () => {
        const { rows } = await run<{ many: number }>(
          store.pool,
          `select forget_audit($1, ${rowsPerStep}) as many`,
          [new Date(before)],
        );
        return { rowCount: rows[0]?.many ?? 0 };
      }),
  };
}

const endAct = `
  update audit_event
  set outcome = $2, code = $3, object_id = coalesce($4, object_id),
      object_name = coalesce($5, object_name), ended_at = $6
  where id = $1 and outcome = 'begun'`;

async function insert(client: TenantClient, act: ActToRecord): Promise<number> {
  const { rows } = await client.query<{ id: string }>(
    `insert into audit_event
       (organization_id, at, actor_id, actor_name, action, object_kind, object_id, object_name, outcome, detail,
        request_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 'begun', $9::jsonb, $10) returning id`,
    [
      client.organizationId,
      new Date(act.at),
      act.actorId ?? null,
      act.actorName,
      act.action,
      act.objectKind ?? null,
      stored(act.objectId),
      stored(act.objectName),
      storableJson(act.detail),
      stored(act.requestId),
    ],
  );
  return Number(rows[0]?.id);
}

/** A caller's text may have characters that no text column takes. */
const stored = (text: string | undefined): string | null => (text === undefined ? null : storableText(text));

/** Conditions and the values of their placeholders; the first value is the organization. */
class Conditions {
  readonly values: unknown[] = [];
  readonly #texts: string[] = [];

  /** `test` has a `?` for each value. Without a value no condition is added. */
  add(test: string, ...given: readonly unknown[]): void {
    if (given.includes(undefined)) return;
    let text = test;
    for (const value of given) {
      this.values.push(value);
      text = text.replace('?', `$${this.values.length}`);
    }
    this.#texts.push(text);
  }

  get text(): string {
    return this.#texts.join(' and ');
  }
}

const isOldest = ({ sort }: AuditFilter): boolean => sort === 'oldest';

const dateOf = (at: Instant | undefined): Date | undefined => (at === undefined ? undefined : new Date(at));

async function actsOf(client: TenantClient, filter: AuditFilter): Promise<readonly RecordedAct[]> {
  const { after, actor, object } = filter;
  const where = new Conditions();
  where.add('organization_id = ?', client.organizationId);
  where.add('at >= ?', dateOf(filter.since));
  where.add('at < ?', dateOf(filter.until));
  where.add('action = ?', filter.action);
  where.add(actor !== undefined && isUuid(actor) ? 'actor_id = ?' : 'actor_name = ?', actor);
  const named = object === undefined ? undefined : storableText(object);
  where.add('(object_id = ? or object_name = ?)', named, named);
  const sort = filter.sort ?? 'newest';
  if (after?.kind === 'act') where.add(`(at, id) ${comparedBy(sort)} (?, ?)`, new Date(after.at), after.id);
  // Oldest first, acts come after uses of the same instant.
  if (after?.kind === 'credential_use')
    where.add(`at ${isOldest(filter) ? '>=' : '<'} ?`, new Date(after.at));
  const { rows } = await client.query<Row>(
    `select id, at, actor_id, actor_name, action, object_kind, object_id, object_name, outcome, code, detail,
            request_id, ended_at, array(
              select h.name from principal a join principal h on h.id = any(a.held_by)
              where a.id = audit_event.actor_id order by h.name) as actor_held_by
     from audit_event where ${where.text} order by at ${directionOf(sort)}, id ${directionOf(sort)} limit $${where.values.length + 1}`,
    [...where.values, filter.limit],
  );
  return rows.map((row) => ({ kind: 'act', ...readAct(row), id: Number(row['id']) }));
}

async function usesOf(client: TenantClient, filter: AuditFilter): Promise<readonly RecordedUse[]> {
  const { after, object } = filter;
  const where = new Conditions();
  where.add('u.organization_id = ?', client.organizationId);
  where.add('u.used_at >= ?', dateOf(filter.since));
  where.add('u.used_at < ?', dateOf(filter.until));
  where.add('u.purpose = ?', filter.action);
  where.add('u.actor = ?', filter.actor);
  // Services use credentials under their own names; a principal uses them only to read evidence.
  if (filter.actor !== undefined && isUuid(filter.actor)) where.add(`u.purpose = 'evidence'`);
  where.add(
    object !== undefined && isUuid(object)
      ? 'u.credential_id = ?'
      : 'u.credential_id in (select credential_id from credential where organization_id = u.organization_id and seller = ?)',
    object,
  );
  const sort = filter.sort ?? 'newest';
  if (after?.kind === 'act') where.add(`u.used_at ${isOldest(filter) ? '>' : '<='} ?`, new Date(after.at));
  if (after?.kind === 'credential_use')
    where.add(`(u.used_at, u.id) ${comparedBy(sort)} (?, ?)`, new Date(after.at), after.id);
  const { rows } = await client.query<Row>(
    `select u.id, u.used_at as at, u.credential_id, u.credential_version, u.operation_id, u.purpose, u.actor, c.seller
     from credential_use u left join credential c
       on c.credential_id = u.credential_id and c.version = u.credential_version
     where ${where.text} order by u.used_at ${directionOf(sort)}, u.id ${directionOf(sort)} limit $${where.values.length + 1}`,
    [...where.values, filter.limit],
  );
  return rows.map((row) => ({ kind: 'credential_use', ...readUse(row), id: Number(row['id']) }));
}

const readAct = rowReader<Omit<RecordedAct, 'kind' | 'id'>>()(
  'at, actor_id, actor_name, action, object_kind, object_id, object_name, outcome, code, detail, request_id, ended_at, actor_held_by',
);

const readUse = rowReader<Omit<RecordedUse, 'kind' | 'id'>>()(
  'at, credential_id, credential_version, operation_id, purpose, actor, seller',
);
