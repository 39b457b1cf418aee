import { describe, expect, it } from '@jest/globals';
import { tasks, type AnyTaskSpec } from '@switchyard/protocol';
import { allPermissions, authorize, permissionTable, type Permissions } from '@switchyard/tenancy';

/**
 * Who may call what: the tier of a task, and the one permission that opens it to a principal. The rule is written here
 * a second time on purpose, so that no row of the tasks' table changes, or is added, without somebody deciding it.
 */
const cells: Readonly<Record<string, readonly [AnyTaskSpec['access'], `${string}.${string}`]>> = {
  get_ads_capabilities: ['public', 'products.read'],
  list_creative_formats: ['public', 'creatives.read'],
  get_products: ['limited', 'products.read'],
  get_signals: ['credentials', 'signals.read'],
  activate_signal: ['credentials', 'signals.write'],
  create_media_buy: ['credentials', 'media_buys.write'],
  update_media_buy: ['credentials', 'media_buys.write'],
  get_media_buys: ['credentials', 'media_buys.read'],
  get_media_buy_delivery: ['credentials', 'reports.read'],
  sync_creatives: ['credentials', 'creatives.write'],
  list_creatives: ['credentials', 'creatives.read'],
  get_task: ['credentials', 'of_its_task.read'],
  list_tasks: ['credentials', 'of_its_task.read'],
  cancel_task: ['credentials', 'of_its_task.write'],
  list_authorized_properties: ['public', 'products.read'],
  list_accounts: ['credentials', 'media_buys.read'],
  sync_accounts: ['credentials', 'media_buys.write'],
  provide_performance_feedback: ['credentials', 'media_buys.write'],
  report_usage: ['credentials', 'signals.write'],
};

const every = Object.entries(permissionTable).flatMap(([area, kinds]) =>
  kinds.map((kind) => [area, kind] as const),
);

const holding = (pairs: readonly (readonly [string, string])[]): Permissions => {
  const held: Record<string, string[]> = {};
  for (const [area, kind] of pairs) (held[area] ??= []).push(kind);
  return held;
};
const may = (permissions: Permissions, spec: AnyTaskSpec) =>
  authorize({ kind: 'principal', permissions }, spec).ok;

/** What asks about another task is open to its kind of permission in any area: that task's own decides afterwards. */
const opens = (spec: AnyTaskSpec, [area, kind]: readonly [string, string]): boolean =>
  kind === spec.permission && (spec.area === 'of_its_task' || area === spec.area);

describe('access to every task', () => {
  it.each(tasks.map((spec) => [spec.name, spec] as const))(
    '%s has its cell, which equals the rule',
    (name, spec) => {
      expect(Object.keys(cells)).toContain(name);
      expect([name, spec.access, `${spec.area}.${spec.permission}`]).toEqual([name, ...(cells[name] ?? [])]);
    },
  );

  it.each(tasks.map((spec) => [spec.name, spec] as const))(
    '%s needs its tier and its permission',
    (_, spec) => {
      const isOpen = spec.access === 'public';
      const withoutCredentials = authorize({ kind: 'public' }, spec);
      expect(withoutCredentials.ok).toBe(spec.access !== 'credentials');
      if (!withoutCredentials.ok) expect(withoutCredentials.error.code).toBe('AUTH_REQUIRED');
      for (const [area, kind] of every) {
        const isNeeded = opens(spec, [area, kind]);
        expect([area, kind, may(holding([[area, kind]]), spec)]).toEqual([area, kind, isOpen || isNeeded]);
        const others = every.filter((item) => item[0] !== area || item[1] !== kind);
        const isStillHeld = others.some((other) => opens(spec, other));
        expect([area, kind, may(holding(others), spec)]).toEqual([area, kind, isOpen || isStillHeld]);
      }
      expect(may({}, spec)).toBe(isOpen);
      expect(may(allPermissions, spec)).toBe(true);
    },
  );

  it('needs a permission that exists: a similar text allows nothing', () => {
    for (const spec of tasks.filter(({ access }) => access !== 'public')) {
      const odd = { constructor: ['read', 'write'], __proto__: { [spec.area]: [spec.permission] } };
      expect([spec.name, may(odd as Permissions, spec)]).toEqual([spec.name, false]);
    }
  });
});
