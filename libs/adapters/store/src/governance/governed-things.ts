import { thingKey, thingsIn, type OwnedThing, type ThingRead } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { storableJson } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { governed_thingModel } from '../generated/models.js';

/** What is stored of a thing. */
export interface StoredThing extends OwnedThing {
  /** Absent: it was not read yet. */
  readonly read?: ThingRead;
  readonly readAt?: Instant;
  /** Its owner has ended the use of every copy, and it was not read again since. */
  readonly isEnded: boolean;
  /** Since when content of buys was not answered yet, by seller and buy. */
  readonly unanswered: Unanswered;
}

/** Instants by what was asked about. */
export type Unanswered = Readonly<Record<string, Instant>>;

const mostAtOnce = 20;

/** Has what these targetings name read soon, if nobody reads it yet: a later change can then be compared. */
export async function noteThings(client: TenantClient, targetings: readonly JsonObject[]): Promise<void> {
  const named = new Map(targetings.flatMap(thingsIn).map((thing) => [thingKey(thing), thing]));
  if (named.size === 0) return;
  // In one order, so that two transactions cannot wait for each other.
  const things = [...named.keys()].toSorted().flatMap((key) => named.get(key) ?? []);
  await client.query(
    `insert into governed_thing (organization_id, kind, subject, agent_url, due_at)
     select $1, t.kind, t.subject, t.agent_url, now() from unnest($2::text[], $3::text[], $4::text[]) as t (kind, subject, agent_url)
     on conflict (organization_id, kind, subject, agent_url) do update set due_at = excluded.due_at
     where governed_thing.due_at is null`,
    [
      client.organizationId,
      things.map(({ kind }) => kind),
      things.map(({ subject }) => subject),
      things.map(({ agentUrl }) => agentUrl),
    ],
  );
}

/** Lists and content standards of agents that decide, as they were read last. */
export function governedThings(store: Store) {
  return {
    /** Takes things that are due to be read; nobody else gets them until the lease is over. */
    take: (scope: TenantScope, at: Instant, leaseUntil: Instant): Promise<readonly StoredThing[]> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<ThingRow>(
          `with due as materialized (
             select kind, subject, agent_url from governed_thing where organization_id = $1 and due_at <= $2
             order by due_at limit $4 for update skip locked)
           update governed_thing t set due_at = $3 from due
           where t.organization_id = $1 and t.kind = due.kind and t.subject = due.subject and t.agent_url = due.agent_url
           returning t.kind, t.subject, t.agent_url, t.entries, t.version, t.valid_until, t.read_at, t.unanswered`,
          [client.organizationId, new Date(at), new Date(leaseUntil), mostAtOnce],
        );
        return rows.map(storedOf);
      }),
    find: (scope: TenantScope, { kind, subject, agentUrl }: OwnedThing): Promise<StoredThing | undefined> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<ThingRow>(
          `select kind, subject, agent_url, entries, version, valid_until, read_at, unanswered from governed_thing
           where organization_id = $1 and kind = $2 and subject = $3 and agent_url = $4`,
          [client.organizationId, kind, subject, agentUrl],
        );
        return rows.map(storedOf)[0];
      }),
    /** Its owner has ended the use of every copy: none counts until it was read again. */
    end: (scope: TenantScope, { kind, subject, agentUrl }: OwnedThing, at: Instant): Promise<void> =>
      store.inTenant(scope, async (client) => {
        await client.query(
          `insert into governed_thing as t (organization_id, kind, subject, agent_url, valid_until, due_at)
           values ($1, $2, $3, $4, $5, $5)
           on conflict (organization_id, kind, subject, agent_url) do update
             set valid_until = least(excluded.valid_until, t.read_at), due_at = least(excluded.due_at, t.due_at)`,
          [client.organizationId, kind, subject, agentUrl, new Date(at)],
        );
      }),
    /** Of these, those that were ended and not read again since. */
    ended: (scope: TenantScope, things: readonly OwnedThing[]): Promise<readonly OwnedThing[]> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<ThingRow>(
          `select t.* from unnest($2::text[], $3::text[], $4::text[]) as n (kind, subject, agent_url)
           join governed_thing t on t.organization_id = $1 and t.kind = n.kind and t.subject = n.subject
             and t.agent_url = n.agent_url
           where t.valid_until <= coalesce(t.read_at, t.valid_until)`,
          [
            client.organizationId,
            things.map(({ kind }) => kind),
            things.map(({ subject }) => subject),
            things.map(({ agentUrl }) => agentUrl),
          ],
        );
        return rows.map(storedOf);
      }),
    /** Stores what was read, and when it is read next; without `unanswered` that stays as it is. */
    save: (
      scope: TenantScope,
      { kind, subject, agentUrl }: OwnedThing,
      { entries, version, validUntil }: ThingRead,
      {
        at,
        nextAt,
        unanswered,
      }: { readonly at: Instant; readonly nextAt: Instant; readonly unanswered?: Unanswered },
    ): Promise<void> =>
      store.inTenant(scope, async (client) => {
        await client.query(
          `insert into governed_thing as t
             (organization_id, kind, subject, agent_url, entries, version, valid_until, read_at, due_at, unanswered)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10::jsonb, '{}'))
           on conflict (organization_id, kind, subject, agent_url) do update set entries = excluded.entries,
             version = excluded.version, valid_until = excluded.valid_until, read_at = excluded.read_at,
             due_at = excluded.due_at, problem = null, unanswered = coalesce($10::jsonb, t.unanswered)`,
          [
            client.organizationId,
            kind,
            subject,
            agentUrl,
            [...entries],
            version,
            validUntil === undefined ? null : new Date(validUntil),
            new Date(at),
            new Date(nextAt),
            unanswered === undefined ? null : storableJson(unanswered),
          ],
        );
      }),
    /** It was not read: why, and when it is tried again; absent: nothing runs with it. */
    put: (
      scope: TenantScope,
      { kind, subject, agentUrl }: OwnedThing,
      problem: string | undefined,
      nextAt: Instant | undefined,
    ): Promise<void> =>
      store.inTenantModels(scope, async ({ governed_thing }) => {
        await governed_thing.updateMany({
          where: { organization_id: scope.organizationId, kind, subject, agent_url: agentUrl },
          data: { problem: problem ?? null, due_at: nextAt === undefined ? null : new Date(nextAt) },
        });
      }),
  };
}

export type GovernedThings = ReturnType<typeof governedThings>;

type ThingRow = Pick<
  governed_thingModel,
  'subject' | 'agent_url' | 'entries' | 'version' | 'valid_until' | 'read_at'
> & { readonly kind: OwnedThing['kind']; readonly unanswered: Unanswered };

function storedOf({ kind, subject, entries, version, unanswered, ...row }: ThingRow): StoredThing {
  const { agent_url: agentUrl, valid_until: until, read_at: readAt } = row;
  const isEnded = until !== null && until.getTime() <= (readAt ?? until).getTime();
  const thing = {
    kind,
    subject,
    agentUrl,
    isEnded,
    unanswered,
    ...(readAt !== null && { readAt: readAt.getTime() }),
  };
  if (version === null) return thing;
  return { ...thing, read: { entries, version, ...(until !== null && { validUntil: until.getTime() }) } };
}
