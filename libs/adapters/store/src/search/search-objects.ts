import type { Reach, TenantScope } from '@switchyard/tenancy';
import { isUuid } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { partOf } from '../core/list-of-operations.js';
import { placed, type Part } from '../core/list-statement.js';
import { withinReach } from '../core/within-reach.js';
import { rowReader, type Row } from '../core/row-mapper.js';

type FoundKind =
  | 'brand'
  | 'campaign'
  | 'client'
  | 'creative'
  | 'dispute'
  | 'event'
  | 'invoice'
  | 'media_buy'
  | 'operation'
  | 'package'
  | 'payment'
  | 'payment_run'
  | 'principal'
  | 'seller'
  | 'team';

/** An object that matches a text, and the member that matches. */
export interface Found {
  readonly kind: FoundKind;
  readonly id: string;
  readonly name: string;
  readonly matched: string;
  readonly clientId?: string;
  readonly clientName?: string;
  readonly brandDomain?: string;
  readonly campaignId?: string;
  readonly campaignName?: string;
}

/** The reach in which each kind is searched; an absent kind is not searched. */
export interface SearchReach {
  readonly buys?: Reach;
  readonly creatives?: Reach;
  readonly events?: Reach;
  /** Documents, cases and payments: an invoice bills all clients of a seller together. */
  readonly finance?: Reach;
  readonly principals?: Reach;
  readonly sellers?: Reach;
  readonly teams?: Reach;
  /** Operations by their tasks. */
  readonly operations: readonly { readonly tasks: readonly string[]; readonly reach: Reach }[];
}

export interface ObjectSearch {
  /** At most `limit` objects: ids first, then whole names, then names that start with the text. Case is ignored. */
  find(
    scope: TenantScope,
    query: { readonly text: string; readonly limit: number },
    within: SearchReach,
  ): Promise<readonly Found[]>;
}

/** Each arm of the search uses its own index and stops after a page, so no table is scanned, however large. */
export function objectSearch(store: Store): ObjectSearch {
  return {
    find: (scope, { text, limit }, within) =>
      store.inTenant(scope, async (client) => {
        const arms = armsOf(text, within);
        if (arms.length === 0) return [];
        const union = arms.map(([arm]) => `(${arm} limit ?)`).join(' union all ');
        const statement = `
          select distinct on (rank, kind, name, id) x.*, c.name as client_name, k.name as campaign_name
          from (${union}) x
          left join client c on c.id = x.client_id left join campaign k on k.id = x.campaign_id
          order by rank, kind, name, id limit ?`;
        const values = [...arms.flatMap(([, ...own]) => [...own, limit]), limit];
        const { rows } = await client.query<Row>(placed(statement), values);
        return firstOfEach(rows.map(foundOf));
      }),
  };
}

/** A way to find an object: a condition on its table and the matching member. */
interface Way {
  readonly rank: 0 | 1 | 2;
  readonly matched: string;
  readonly condition: Part;
}

interface Source {
  readonly kind: FoundKind;
  readonly id: string;
  readonly name: string;
  readonly from: string;
  readonly reach: Reach | undefined;
  readonly also?: Part;
  readonly ways: readonly Way[];
}

const ofOperation = (id: string): string => `join operation o on o.id = ${id}`;

function armsOf(text: string, within: SearchReach): readonly Part[] {
  const uuid = isUuid(text) ? text.toLowerCase() : undefined;
  const byUuid = (column: string, matched: string): readonly Way[] =>
    uuid === undefined ? [] : [{ rank: 0, matched, condition: [`${column} = ?`, uuid] }];
  const byId = (column: string, matched: string): readonly Way[] => [
    { rank: 0, matched, condition: [`${column} = ?`, text] },
  ];
  const start = `${text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  const byName = (column: string, matched: string): readonly Way[] => [
    { rank: 1, matched, condition: [`lower(${column}) = lower(?)`, text] },
    { rank: 2, matched, condition: [`lower(${column}) like lower(?)`, start] },
  ];
  // Numbers of cases and proposals: D-7, P-3.
  const byCount = (alias: string, letter: string): readonly Way[] => {
    const number = new RegExp(`^${letter}-([1-9]\\d{0,8})$`, 'i').exec(text)?.[1];
    return number === undefined
      ? []
      : [{ rank: 0, matched: 'number', condition: [`${alias}.number = ?`, Number(number)] }];
  };
  // A bank shows our payment id without its hyphens.
  const bankId = /^[0-9a-f]{32}$/i.test(text)
    ? text.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    : uuid;
  const ofNobody = belonging('null::uuid', 'null::uuid', 'null::text', 'null::uuid');
  const colon = text.indexOf(':');
  const packageOf: Part =
    colon < 1
      ? ['p.seller_package_id = ?', text]
      : ['p.seller = ? and p.seller_package_id = ?', text.slice(0, colon), text.slice(colon + 1)];
  const buyName = `coalesce(o.buyer_ref, o.id)`;
  const sources: readonly Source[] = [
    {
      ...{ kind: 'media_buy', id: 'o.id', name: buyName, from: 'media_buy o', reach: within.buys },
      ways: [
        ...byId('o.id', 'media_buy_id'),
        ...byUuid('o.operation_id', 'operation_id'),
        ...byName('o.buyer_ref', 'buyer_ref'),
      ],
    },
    {
      ...{ kind: 'media_buy', id: 'o.id', name: buyName, reach: within.buys },
      from: 'seller_buy s join media_buy o on o.id = s.media_buy_id',
      ways: byId('s.seller_media_buy_id', 'seller_media_buy_id'),
    },
    {
      ...{ kind: 'package', id: `p.seller || ':' || p.seller_package_id`, name: buyName, reach: within.buys },
      from: 'buy_package p join media_buy o on o.id = p.media_buy_id',
      ways: [{ rank: 0, matched: 'package_id', condition: packageOf }],
    },
    ...within.operations.flatMap(({ tasks, reach }): readonly Source[] => {
      const also: Part = ['o.task = any(?::text[])', tasks];
      const operation = { kind: 'operation', id: 'o.id::text', name: 'o.task', reach, also } as const;
      return [
        {
          ...{ ...operation, from: 'operation o' },
          ways: [
            ...byUuid('o.id', 'operation_id'),
            ...byId('o.task_id', 'task_id'),
            ...byId('o.idempotency_key', 'idempotency_key'),
          ],
        },
        {
          ...{ ...operation, from: `leg l ${ofOperation('l.operation_id')}` },
          ways: byId('l.seller_task_id', 'seller_task_id'),
        },
      ];
    }),
    {
      ...{ kind: 'creative', id: 'c.creative_id', name: 'c.name', reach: within.creatives },
      from: `creative c ${ofOperation('coalesce(c.first_operation_id, c.operation_id)')}`,
      ways: byId('c.creative_id', 'creative_id'),
    },
    {
      ...{ kind: 'creative', id: 'c.creative_id', name: 'c.name', reach: within.creatives },
      from: `creative_assignment a join creative c on c.creative_id = a.creative_id
             join media_buy o on o.id = a.media_buy_id`,
      ways: byId('a.creative_id', 'creative_id'),
    },
    {
      ...{ kind: 'event', id: 'e.id::text', name: 'e.kind', reach: within.events },
      from: `inbox_event e join webhook_registration r on r.id = e.registration_id ${ofOperation('r.operation_id')}`,
      ways: byUuid('e.id', 'event_id'),
    },
    {
      ...{ kind: 'campaign', id: 'k.id::text', name: 'k.name', reach: within.buys },
      from: `campaign k ${belonging('k.owner_id', 'k.client_id', 'k.brand_domain', 'k.id')}`,
      ways: [
        ...byUuid('k.id', 'campaign_id'),
        ...byName('k.name', 'name'),
        ...byName('k.reference', 'reference'),
        ...byName('k.po_number', 'po_number'),
      ],
    },
    {
      ...{ kind: 'client', id: 'c.id::text', name: 'c.name', reach: within.buys },
      from: `client c ${belonging('null::uuid', 'c.id', 'null::text', 'null::uuid')}`,
      ways: [...byUuid('c.id', 'client_id'), ...byName('c.name', 'name')],
    },
    {
      ...{ kind: 'brand', id: 'b.domain', name: 'b.name', reach: within.buys },
      from: `brand b ${belonging('null::uuid', 'b.client_id', 'b.domain', 'null::uuid')}`,
      ways: [
        ...byUuid('b.id', 'id'),
        ...byName('b.domain', 'domain'),
        ...byName('b.brand_id', 'brand_id'),
        ...byName('b.name', 'name'),
      ],
    },
    {
      ...{ kind: 'invoice', id: 'i.id::text', name: 'i.number', reach: within.finance },
      from: `invoice i ${ofNobody}`,
      ways: [...byUuid('i.id', 'invoice_id'), ...byName('i.number', 'number')],
    },
    {
      ...{ kind: 'dispute', id: 'd.id::text', name: `'D-' || d.number`, reach: within.finance },
      from: `dispute d ${ofNobody}`,
      ways: [...byUuid('d.id', 'dispute_id'), ...byCount('d', 'D')],
    },
    {
      ...{ kind: 'payment_run', id: 'r.id::text', name: `'P-' || r.number`, reach: within.finance },
      from: `payment_run r ${ofNobody}`,
      ways: [...byUuid('r.id', 'payment_run_id'), ...byCount('r', 'P')],
    },
    {
      ...{ kind: 'payment', id: 'f.id::text', name: 'f.seller', reach: within.finance },
      from: `payment_order f ${ofNobody}`,
      ways: bankId === undefined ? [] : [{ rank: 0, matched: 'payment_id', condition: ['f.id = ?', bankId] }],
    },
    {
      ...{ kind: 'principal', id: 'p.id::text', name: 'p.name', reach: within.principals },
      from: `principal p ${belonging('p.id', 'null::uuid', 'p.brand_domain', 'null::uuid')}`,
      ways: [...byUuid('p.id', 'principal_id'), ...byName('p.name', 'name')],
    },
    {
      ...{ kind: 'seller', id: 's.slug', name: 's.name', reach: within.sellers },
      from: `connection s ${belonging('null::uuid', 'null::uuid', 'null::text', 'null::uuid')}`,
      ways: [...byUuid('s.id', 'connection_id'), ...byName('s.slug', 'slug'), ...byName('s.name', 'name')],
    },
    {
      ...{ kind: 'team', id: 't.id::text', name: 't.name', reach: within.teams },
      from: `team t ${belonging('null::uuid', 'null::uuid', 'null::text', 'null::uuid')}`,
      ways: [...byUuid('t.id', 'team_id'), ...byName('t.name', 'name')],
    },
  ];
  return sources.flatMap(selectsOf);
}

/** The owner columns of a row, under the alias of a reach. */
function belonging(principal: string, client: string, brand: string, campaign: string): string {
  return `cross join lateral (select ${principal} as principal_id, ${client} as client_id,
    ${brand} as brand_domain, ${campaign} as campaign_id) o`;
}

function selectsOf({ kind, id, name, from, reach, also, ways }: Source): readonly Part[] {
  if (reach === undefined) return [];
  const [inReach, ...reachValues] = partOf(withinReach('o', reach, 1));
  const [beside, ...besideValues] = also ?? (['true'] as const);
  return ways.map(({ rank, matched, condition: [text, ...values] }) => [
    `select ${rank} as rank, '${kind}' as kind, ${id} as id, ${name} as name, '${matched}' as matched,
            o.client_id, o.brand_domain, o.campaign_id
     from ${from} where ${text} and ${beside} and ${inReach}`,
    ...values,
    ...besideValues,
    ...reachValues,
  ]);
}

/** An object found in several ways is shown with the first, which is the closest. */
function firstOfEach(found: readonly Found[]): readonly Found[] {
  const seen = new Set<string>();
  return found.filter(({ kind, id }) => {
    const key = `${kind} ${id}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

const foundOf = rowReader<Found>()(
  'kind, id, name, matched, client_id, client_name, brand_domain, campaign_id, campaign_name',
);
