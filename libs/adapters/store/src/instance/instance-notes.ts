import type { Instant, JsonValue } from '@switchyard/values';
import { run } from '../core/in-tenant.js';
import type { Store } from '../core/open-store.js';

/** What an installation remembers about itself. Belongs to no tenant, so nothing of a tenant goes in. */
export interface InstanceNotes {
  get(key: string): Promise<JsonValue | undefined>;
  set(key: string, value: JsonValue, at: Instant): Promise<void>;
}

export function instanceNotes(store: Store): InstanceNotes {
  return {
    get: async (key) => {
      const { rows } = await run<{ value: JsonValue }>(
        store.pool,
        'select value from instance_note where key = $1',
        [key],
      );
      return rows[0]?.value;
    },
    set: async (key, value, at) => {
      await run(
        store.pool,
        `insert into instance_note (key, value, updated_at) values ($1, $2, $3)
         on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
        [key, JSON.stringify(value), new Date(at)],
      );
    },
  };
}
