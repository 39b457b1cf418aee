import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { readErrors } from '../../errors/read-errors.js';
import type { taskTable } from '../../task-table.js';
import type { Form } from '../../versions/wire-profile.js';

/*
 * Members of our answers that no seller's answer has, and that no reader of ours reads. This reader finds them where a
 * buyer does.
 */

const isList = (value: JsonValue | undefined): value is JsonValue[] => Array.isArray(value);
const objects = (value: JsonValue | undefined): JsonObject[] =>
  isList(value) ? value.filter(isJsonObject) : [];
const object = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** Our own members: at the top level in the `service` form, under `ext.switchyard` in other forms. */
const oursOf = (item: JsonObject, form: Form): JsonObject =>
  form === 'service' ? item : object(object(item['ext'])['switchyard']);

const houseNames: Readonly<Record<string, string>> = {
  approval_status: 'status',
  rejection_reason: 'reason',
};

const withSellers = (payload: JsonObject, form: Form): JsonValue =>
  objects(payload['creatives']).map((creative) => {
    const { sellers } = oursOf(creative, form);
    return sellers === undefined ? {} : { sellers: inHouseNames(sellers) };
  });

const sortIn = (payload: JsonObject): JsonObject => {
  const sort = object(object(payload['query_summary'])['sort_applied']);
  return { ...sort, ...(sort['field'] === 'domain' ? { field: 'protocol' } : {}) };
};

/** Members that sellers report for their legs, and open cases of governance. */
const partsOf = (buy: JsonObject, form: Form): JsonObject => {
  const { parts, cases } = oursOf(buy, form);
  const others = defined({ cases });
  return parts === undefined
    ? others
    : {
        ...others,
        parts: objects(parts).map(({ rejection_reason: reason, ...one }) => ({
          ...object(inHouseNames(one)),
          ...(reason === undefined ? {} : { rejectionReason: reason }),
        })),
      };
};

/** Members of packages that only our own buys have. */
const requestedChange = (packages: JsonValue | undefined, form: Form): JsonValue =>
  objects(packages).map((item) => {
    const { asked } = oursOf(item, form);
    return asked === undefined ? {} : { asked };
  });
const timesOf = ({ created_at: created, updated_at: updated }: JsonObject): JsonObject =>
  defined({ createdAt: created, updatedAt: updated });

export const beside: Readonly<
  Partial<Record<keyof typeof taskTable, (payload: JsonObject, form: Form) => JsonObject>>
> = {
  createMediaBuy: (payload, form) => ({ packages: requestedChange(payload['packages'], form) }),
  updateMediaBuy: (payload, form) => ({
    affectedPackages: requestedChange(payload['affected_packages'], form),
  }),
  getMediaBuys: (payload, form) => ({
    mediaBuys: objects(payload['media_buys']).map((buy) => ({
      ...timesOf(buy),
      ...partsOf(buy, form),
      packages: requestedChange(buy['packages'], form),
    })),
  }),
  syncCreatives: (payload, form) => ({
    findings: oursOf(payload, form)['findings'] ?? [],
    creatives: withSellers(payload, form),
  }),
  listCreatives: (payload, form) => ({
    findings: oursOf(payload, form)['findings'] ?? [],
    creatives: withSellers(payload, form),
    sort: sortIn(payload),
    statusSummary: payload['status_summary'] ?? {},
  }),
  activateSignal: (payload, form) => ({
    warnings: readErrors({ errors: oursOf(payload, form)['warnings'] ?? [] }) as unknown as JsonValue,
  }),
  listTasks: (payload) => ({ sort: sortIn(payload) }),
  cancelTask: (payload, form) => ({ refusals: inHouseNames(oursOf(payload, form)['refused']) }),
  listAuthorizedProperties: (payload, form) => {
    const { properties, portfolios, other_channels: others } = oursOf(payload, form);
    const channels = payload['primary_channels'];
    return {
      properties: inHouseNames(properties),
      portfolios: portfolios === undefined ? ofTheOnly(objects(properties)) : inHouseNames(portfolios),
      channels: [...(isList(channels) ? channels : []), ...(isList(others) ? others : [])],
    };
  },
};

/** The same with internal names. */
function inHouseNames(value: JsonValue | undefined): JsonValue {
  if (isList(value)) return value.map(inHouseNames);
  if (!isJsonObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      houseNames[name] ?? name.replaceAll(/_[a-z]/g, (pair) => pair.slice(1).toUpperCase()),
      inHouseNames(inner),
    ]),
  );
}

/** Values without a seller belong to the only seller. */
function ofTheOnly(properties: readonly JsonObject[]): JsonValue {
  const sellers = new Set(properties.flatMap(({ sellers: of }) => (isList(of) ? of : [])));
  return sellers.size === 1 ? [...sellers].map((seller) => ({ seller })) : [];
}
