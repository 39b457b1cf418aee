import type { KnownAdmission } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf } from '@switchyard/values';
import { arrayPlaces, arrayTexts, namesOf, type Cells } from '../core/array-text.js';
import type { Statement } from '../core/tenant-client.js';

export interface AdmissionRequest {
  readonly scope: TenantScope;
  readonly admission: KnownAdmission;
}

export interface Verdict {
  readonly request: string;
  readonly verdict: 'admitted' | 'changed' | 'exceeded' | 'replayed';
}

/** All of one tenant, in the order of their nonces, so that two processes cannot deadlock. */
export function admitStatements(requested: readonly AdmissionRequest[]): Statement {
  const [only] = requested;
  if (requested.length === 1 && only !== undefined) return admitStatement(only);
  const organizationId = only?.scope.organizationId;
  const rows = requested.map(({ admission }) => rowOf(admission));
  rows.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  return {
    name: 'relay_admit_many',
    text: admitMany,
    values: [organizationId, ...arrayTexts(columns, rows)],
  };
}

/** For one request. */
export function admitStatement({ scope, admission }: AdmissionRequest) {
  const row = rowOf(admission);
  const values = [scope.organizationId, ...namesOf(columns).map((column) => row[column])];
  return { name: 'relay_admit', text: admitOne, values };
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

/** Parameters of the function after the tenant, in order, by the names of the columns. */
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

/** Most requests come alone: their values are sent directly, which is less work than lists of one. */
const admitOne = `select ${callOf((column) => `$${namesOf(columns).indexOf(column) + 2}::${columns[column]}`)}`;
const admitMany = `select ${callOf((column) => `a.${column}`)}
  from unnest(${arrayPlaces(columns)}) as a(${namesOf(columns).join(', ')})`;

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
