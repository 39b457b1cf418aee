type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object without `undefined` members, as exact optional properties require. */
export function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Runs for each product and each seller of a call: a loop takes a third of the time of `Object.fromEntries`.
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries<unknown>(members as Record<string, unknown>)) {
    if (value === undefined) continue;
    // Assigned, it would set the prototype.
    if (name === '__proto__') Object.defineProperty(kept, name, { value, ...plain });
    else kept[name] = value;
  }
  return kept as { [K in keyof T]?: Exclude<T[K], undefined> };
}

const plain = { enumerable: true, writable: true, configurable: true };
