import type { Instant, JsonValue } from '@switchyard/values';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';

/** Settings that an installation stores about itself. They belong to no tenant, so they hold no tenant's data. */
export interface InstanceNotes {
  get(key: string): Promise<JsonValue | undefined>;
  set(key: string, value: JsonValue, at: Instant): Promise<void>;
  /** Stores the value if there is none. Returns the stored value: of two processes, the first one's. */
  setOnce(key: string, value: JsonValue, at: Instant): Promise<JsonValue>;
}

export function instanceNotes(store: Store): InstanceNotes {
  const get: InstanceNotes['get'] = async (key) => {
    const { rows } = await run<{ value: JsonValue }>(
      store.pool,
      'select value from instance_note where key = $1',
      [key],
    );
    return rows[0]?.value;
  };
  return {
    get,
    setOnce: async (key, value, at) => {
      await run(
        store.pool,
        `insert into instance_note (key, value, updated_at) values ($1, $2, $3) on conflict (key) do nothing`,
        [key, JSON.stringify(value), new Date(at)],
      );
      return (await get(key)) ?? value;
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
