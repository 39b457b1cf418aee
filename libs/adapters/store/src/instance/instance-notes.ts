import type { Instant, JsonValue } from '@switchyard/values';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';
import { storableValue } from '../core/storable.js';
import { Prisma } from '../generated/client.js';

/** Settings that an installation stores about itself. They belong to no tenant, so they hold no tenant's data. */
export interface InstanceNotes {
  get(key: string): Promise<JsonValue | undefined>;
  set(key: string, value: JsonValue, at: Instant): Promise<void>;
  /** Stores the value if there is none. Returns the stored value: of two processes, the first one's. */
  setOnce(key: string, value: JsonValue, at: Instant): Promise<JsonValue>;
}

export function instanceNotes({ models: { instance_note }, pool }: Store): InstanceNotes {
  const get: InstanceNotes['get'] = async (key) => {
    // Each call of a seller asks for one of them, so it is no call of Prisma.
    const text = 'select value from instance_note where key = $1';
    return (await run<{ value: JsonValue }>(pool, text, [key])).rows[0]?.value;
  };
  return {
    get,
    setOnce: async (key, value, at) => {
      const data = { key, value: storedNote(value), updated_at: new Date(at) };
      await instance_note.createMany({ data, skipDuplicates: true });
      return (await get(key)) ?? value;
    },
    set: async (key, value, at) => {
      const set = { value: storedNote(value), updated_at: new Date(at) };
      await instance_note.upsert({ where: { key }, create: { key, ...set }, update: set });
    },
  };
}

const storedNote = (value: JsonValue) => (value === null ? Prisma.JsonNull : storableValue(value));
