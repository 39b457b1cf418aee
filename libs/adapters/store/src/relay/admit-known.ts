import type { OperationDraft } from '@switchyard/buys';
import type { KnownAdmission, PathRows, RelayLog } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf } from '@switchyard/values';
import { insertOperation, insertParts } from '../buys/begin-operation.js';
import { arrayPlaces, arrayTexts, namesOf, type Cells } from '../core/array-text.js';
import { inBatches } from '../core/in-batches.js';
import { run } from '../core/in-tenant.js';
import type { Store } from '../core/open-store.js';
import { claimCreatives } from '../creatives/claim-creatives.js';
import { keepCreatives } from '../creatives/keep-creatives.js';
import type { Statement, TenantClient } from '../core/tenant-client.js';

/**
 * Admits requests by one statement each, or, where several come at once, by one for all of them: it names its tenant
 * itself and is a transaction of its own. What changes something has rows besides, and one transaction around them.
 */
export function admitKnown(store: Store): RelayLog['admitKnown'] {
  const together = inBatches(
    async (asked: readonly Asked[]) => {
      const { rows } = await run<Verdict>(store.pool, statementOf(asked));
      return verdictsOf(asked, rows);
    },
    { most: 32, lanes: 2, groupOf: ({ scope }) => scope.organizationId },
  );
  return async (scope, admission) => {
    const { draft } = admission;
    if (draft === undefined) return together({ scope, admission });
    try {
      await store.inTenant(scope, (client) => admitChange(client, { scope, admission }, draft));
      return true;
    } catch (error) {
      if (error instanceof NotAsKnown) return false;
      throw error;
    }
  };
}

interface Asked {
  readonly scope: TenantScope;
  readonly admission: KnownAdmission;
}

/** Rolls everything back: the request is to be judged where there is time to say why. */
class NotAsKnown extends Error {}

/** Sent in one go, with the verdict read at its end: what was written beside a refusal is rolled back with it. */
async function admitChange(client: TenantClient, asked: Asked, draft: OperationDraft): Promise<void> {
  const [claimed, judged, begun, parts] = await Promise.allSettled([
    // First here as everywhere, so that two never wait for each other.
    claimCreatives(client, draft.creatives?.placements ?? []),
    client.query<Verdict>(statementOf([asked])),
    insertOperation(client, draft.operation),
    insertParts(client, draft),
  ]);
  if (verdictsOf([asked], done(judged).rows)[0] !== true) throw new NotAsKnown('not admitted');
  if (done(claimed) !== undefined) throw new NotAsKnown('another tenant has the id of a creative');
  // It repeats an earlier one, which has the rows that this one brings.
  if (!done(begun)) throw new NotAsKnown('begun before');
  done(parts);
  if (draft.creatives !== undefined) await keepCreatives(client, draft.operation, draft.creatives);
}

function done<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

interface Verdict {
  readonly request: string;
  readonly verdict: 'admitted' | 'changed' | 'exceeded' | 'replayed';
}

function verdictsOf(asked: readonly Asked[], rows: readonly Verdict[]): readonly boolean[] {
  const admitted = new Set(
    rows.filter(({ verdict }) => verdict === 'admitted').map(({ request }) => request),
  );
  return asked.map(({ admission }) => admitted.has(admission.record.id));
}

const columns = {
  mark: 'text',
  token: 'uuid',
  brand: 'uuid',
  conn: 'uuid',
  slug: 'text',
  signer: 'uuid',
  durable: 'boolean',
  key: 'text',
  nonce: 'text',
  until: 'timestamptz',
  credential: 'uuid',
  version: 'int',
  actor: 'text',
  request: 'uuid',
  task: 'text',
  delegation: 'uuid',
  operation: 'uuid',
  hold: 'bigint',
  said: 'text',
  keyid: 'text',
  hashed: 'text',
  arrived: 'timestamptz',
} as const;

/** What the function takes after the tenant, in its order, by the names of the columns. */
const taken = [
  ...([
    'mark',
    'token',
    'brand',
    'conn',
    'slug',
    'signer',
    'durable',
    'key',
    'nonce',
    'until',
    'credential',
  ] as const),
  ...([
    'version',
    'actor',
    'request',
    'task',
    'delegation',
    'operation',
    'hold',
    'said',
    'keyid',
    'hashed',
  ] as const),
  ...(['nonce', 'arrived'] as const),
];
const callOf = (placeIn: (column: keyof typeof columns) => string): string =>
  `${placeIn('request')} as request, relay_admit($1, ${taken.map(placeIn).join(', ')}) as verdict`;

/** Most come alone: their values are sent as they are, which is less work for both sides than lists of one. */
const admitOne = `select ${callOf((column) => `$${namesOf(columns).indexOf(column) + 2}::${columns[column]}`)}`;
const admitMany = `select ${callOf((column) => `a.${column}`)}
  from unnest(${arrayPlaces(columns, 2)}) as a(${namesOf(columns).join(', ')})`;

/** All of one tenant, in the order of their nonces, so that two processes never wait for each other. */
function statementOf(asked: readonly Asked[]): Statement {
  const organizationId = asked[0]?.scope.organizationId;
  const rows = asked.map(({ admission }) => rowOf(admission));
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) {
    const values = [organizationId, ...namesOf(columns).map((column) => only[column])];
    return { name: 'relay_admit', text: admitOne, values };
  }
  rows.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  return {
    name: 'relay_admit_many',
    text: admitMany,
    values: [organizationId, ...arrayTexts(columns, rows)],
  };
}

const placeOf = ({ key, nonce }: Cells<keyof typeof columns>): string => `${key} ${nonce}`;

function rowOf({
  rows,
  mark,
  signerId,
  record,
  claim,
  use,
  hold,
  durable,
  draft,
}: KnownAdmission): Cells<keyof typeof columns> {
  return {
    mark,
    token: rows.tokenId,
    brand: rows.principalId,
    conn: rows.connectionId,
    slug: rows.seller,
    signer: signerId,
    durable,
    key: claim.key,
    nonce: claim.nonce,
    until: isoOf(claim.expiresAt),
    credential: use?.credentialId ?? null,
    version: use?.version ?? null,
    actor: use?.actor ?? null,
    request: record.id,
    task: record.task ?? null,
    delegation: record.delegationId,
    operation: draft?.operation.id ?? null,
    hold: hold?.toString() ?? null,
    said: JSON.stringify(record),
    keyid: record.arrived.keyid ?? null,
    hashed: record.arrived.bodyHash,
    arrived: isoOf(record.arrived.at),
  };
}

/** Read before the rows that it stands for, so that a change in between makes it an old one. */
export async function pathMark(store: Store, scope: TenantScope, rows: PathRows): Promise<string> {
  const found = await store.onceInTenant<{ mark: string }>(scope, {
    name: 'relay_mark',
    text: 'select relay_mark(scope.organization_id, $1, $2, $3, $4) as mark',
    values: [rows.tokenId, rows.principalId, rows.connectionId, rows.seller],
  });
  const [row] = found.rows;
  if (row === undefined) throw new Error('A function that answers one text answered none.');
  return row.mark;
}
