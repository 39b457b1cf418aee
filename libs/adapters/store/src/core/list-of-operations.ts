import type { ObjectFilter } from '@switchyard/tenancy';
import type { PageRead } from '@switchyard/values';
import type { QueryResultRow } from 'pg';
import { allOf, behind, orderOf, placed, type KeyColumn, type Part } from './list-statement.js';
import type { TenantClient } from './tenant-client.js';
import { withinReach } from './within-reach.js';

/** A list whose rows belong to operations, which hold the owner. */
interface ListOfOperations {
  /** Columns to select a page: the row's id and those of the order. */
  readonly picked: string;
  readonly from: string;
  /** The text after `from` for the rows of the operation `one.id`. */
  readonly fromOperation: string;
  /** The id of a row's operation, as an expression that is evaluated row by row. */
  readonly operation: string;
  readonly where: readonly (Part | undefined)[];
  readonly order: readonly KeyColumn[];
  /** Shown columns of the selected rows, from `x` and its joins. */
  readonly columns: string;
  readonly beside: string;
  /** The result of `fewOperationsOf`, if several lists of one page share it. */
  readonly few?: Promise<Part | undefined>;
}

/** Rows of these kinds, each with the objects of which it is shown. */
export interface Alternative {
  readonly filter: ObjectFilter;
  readonly also?: Part;
}

/** Up to so many operations, their rows are collected and sorted; for more, the order's index is read. */
const fewOperations = 1_000;

/**
 * One page of the rows whose operations are in reach and match the filters.
 *
 * The matching operations are counted first, up to a limit. For few, their rows are collected by index and sorted,
 * because a scan in order would skip nearly all rows. For many, the order's index is read, and a good part of it is
 * shown. Both are written so that the planner has no choice: it assumes an organization of average size.
 */
export async function listOfOperations<Row extends QueryResultRow>(
  client: TenantClient,
  list: ListOfOperations,
  alternatives: readonly Alternative[],
  { after, limit }: PageRead,
): Promise<readonly Row[]> {
  const few = await (list.few ?? fewOperationsOf(client, alternatives));
  const order = orderOf(list.order);
  const isExact = few !== undefined && alternatives.every(isExactly);
  const shown = isExact ? undefined : anyOf(list, alternatives);
  const conditions = [...list.where, shown, behind(list.order, after)];
  const [text, ...values] = few === undefined ? allOf(conditions) : ofFew(list, few, conditions);
  const rows =
    few === undefined
      ? `select ${list.picked} from ${list.from} where ${text} order by ${order} limit ?`
      : `${text} limit ?`;
  const statement = `select ${list.columns} from (${rows}) x ${list.beside} order by ${order}`;
  return (await client.query<Row>({ text: placed(statement), values: [...values, limit] })).rows;
}

/** The rows of some operations: `offset 0` makes PostgreSQL read them operation by operation. */
function ofFew(list: ListOfOperations, few: Part, conditions: readonly (Part | undefined)[]): Part {
  const [operations, ...ids] = few;
  const [text, ...values] = allOf(conditions);
  const order = orderOf(list.order.map((key) => ({ ...key, column: key.column.replace(/^.*\./, 'own.') })));
  return [
    `with listed as materialized (${operations})
     select own.* from listed cross join lateral (
       select ${list.picked} from ${list.fromOperation} and ${text} offset 0) own
     order by ${order}`,
    ...ids,
    ...values,
  ];
}

/** Whether an alternative is exactly the operations that `armsOf` selects for it. */
function isExactly({ filter, also }: Alternative): boolean {
  const { reach, operationId, mediaBuyId, clientId, brandDomain, campaignId } = filter;
  const limits = [also, reach, operationId, mediaBuyId, clientId, brandDomain, campaignId];
  return limits.filter((limit) => limit !== undefined).length <= 1;
}

/** The rows of one alternative. A select of one value is no join, so rows are tested in the list's order. */
function anyOf(list: ListOfOperations, alternatives: readonly Alternative[]): Part {
  const parts = alternatives.map(({ filter, also }): Part => {
    const condition = conditionOf(filter);
    return allOf([also, condition && inOperation(list.operation, condition)]);
  });
  const text = parts.map(([condition]) => `(${condition})`).join(' or ');
  return [text === '' ? 'false' : text, ...parts.flatMap(([, ...values]) => values)];
}

/** True if the operation with that id fulfils a condition on `o`, evaluated row by row. */
export function inOperation(operation: string, [text, ...values]: Part): Part {
  return [`(select ${text} from operation o where o.id = ${operation})`, ...values];
}

/** A select of the ids of all possible operations; undefined if there are many. */
export async function fewOperationsOf(
  client: TenantClient,
  alternatives: readonly Alternative[],
): Promise<Part | undefined> {
  const arms = operationsOf(alternatives);
  if (arms === undefined) return undefined;
  const [text, ...values] = arms;
  const { rows } = await client.query<{ found: number }>(
    `select count(*)::int as found from (select from (${placed(text)}) listed limit ${fewOperations + 1}) counted`,
    values,
  );
  return (rows[0]?.found ?? 0) <= fewOperations ? arms : undefined;
}

/** The condition on an operation `o`; undefined if every operation fulfils it. */
export function conditionOf({ reach, ...filter }: ObjectFilter): Part | undefined {
  const { operationId, mediaBuyId, clientId, brandDomain, campaignId } = filter;
  const parts: Part[] = [];
  if (reach !== undefined && reach.kind !== 'everything') parts.push(partOf(withinReach('o', reach, 1)));
  if (operationId !== undefined) parts.push(['o.id = ?', operationId]);
  if (mediaBuyId !== undefined)
    parts.push([
      'o.media_buy_id = ? or o.id = (select b.operation_id from media_buy b where b.id = ?)',
      mediaBuyId,
      mediaBuyId,
    ]);
  if (clientId !== undefined) parts.push(['o.client_id = ?', clientId]);
  if (brandDomain !== undefined) parts.push(['o.brand_domain = ?', brandDomain]);
  if (campaignId !== undefined) parts.push(['o.campaign_id = ?', campaignId]);
  if (parts.length === 0) return undefined;
  return [parts.map(([text]) => `(${text})`).join(' and '), ...parts.flatMap(([, ...values]) => values)];
}

/** Whether an operation is in reach; without an operation, only a caller with the whole reach is shown its rows. */
export async function isOperationInReach(
  client: TenantClient,
  operationId: string | null,
  filter: Pick<ObjectFilter, 'reach'>,
): Promise<boolean> {
  const { reach } = filter;
  if (reach === undefined || reach.kind === 'everything') return true;
  if (operationId === null) return false;
  const { text, values } = withinReach('o', reach, 2);
  const { rowCount } = await client.query(`select from operation o where o.id = $1 and ${text}`, [
    operationId,
    ...values,
  ]);
  return rowCount > 0;
}

/** A condition of `withinReach` as a part of a list. */
export function partOf({
  text,
  values,
}: {
  readonly text: string;
  readonly values: readonly unknown[];
}): Part {
  return [text.replaceAll(/\$\d+/g, '?'), ...values];
}

/** A select of the possible operations, each arm by its own index; undefined if all are possible. */
function operationsOf(alternatives: readonly Alternative[]): Part | undefined {
  const arms: Part[] = [];
  for (const { filter } of alternatives) {
    const own = armsOf(filter);
    if (own === undefined) return undefined;
    arms.push(...own);
  }
  if (arms.length === 0) return ['select id from operation where false'];
  return [arms.map(([text]) => text).join(' union '), ...arms.flatMap(([, ...values]) => values)];
}

function armsOf({ reach, ...filter }: ObjectFilter): readonly Part[] | undefined {
  const { operationId, mediaBuyId, clientId, brandDomain, campaignId } = filter;
  if (operationId !== undefined) return [['select ?::uuid as id', operationId]];
  if (mediaBuyId !== undefined)
    return [
      ['select id from operation where media_buy_id = ?', mediaBuyId],
      ['select operation_id from media_buy where id = ?', mediaBuyId],
    ];
  if (campaignId !== undefined) return [['select id from operation where campaign_id = ?', campaignId]];
  if (brandDomain !== undefined) return [['select id from operation where brand_domain = ?', brandDomain]];
  if (clientId !== undefined) return [['select id from operation where client_id = ?', clientId]];
  if (reach === undefined || reach.kind === 'everything') return undefined;
  const { principalId, clientIds, brandDomains, campaignIds } = reach;
  const arms: Part[] = [];
  if (principalId !== undefined) arms.push(['select id from operation where principal_id = ?', principalId]);
  if (clientIds.length > 0)
    arms.push(['select id from operation where client_id = any(?::uuid[])', clientIds]);
  if (brandDomains.length > 0)
    arms.push(['select id from operation where brand_domain = any(?::text[])', brandDomains]);
  if (campaignIds.length > 0)
    arms.push(['select id from operation where campaign_id = any(?::uuid[])', campaignIds]);
  return arms;
}
