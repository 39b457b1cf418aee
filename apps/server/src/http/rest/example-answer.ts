import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** Values of members by their names, as the written examples have them. */
type ExampleValues = ReadonlyMap<string, JsonValue>;

/** The plain values of examples by the names of their members. A name that means several things has none. */
export function valuesOf(examples: readonly unknown[]): ExampleValues {
  const found = new Map<string, JsonValue[]>();
  const collect = (value: unknown, name = ''): void => {
    if (Array.isArray(value)) for (const item of value) collect(item, singular(name));
    else if (isJsonObject(value)) for (const [member, one] of Object.entries(value)) collect(one, member);
    else found.set(name, [...(found.get(name) ?? []), value as JsonValue]);
  };
  for (const example of examples) collect(example);
  return new Map(
    [...found].flatMap(([name, all]) => {
      const [first = null] = all;
      const isPlain = /_(?:id|at)$/.test(name) || all.filter((one) => one === first).length * 2 > all.length;
      return first !== null && isPlain ? [[name, first]] : [];
    }),
  );
}

const singular = (name: string): string => name.replace(/s$/, '');

/** An example of an answer whose route has none: required members, and the others that examples have a value of. */
export function exampleAnswer(schema: JsonObject, values: ExampleValues, name = ''): JsonValue {
  const { const: only, enum: options, anyOf, oneOf = anyOf, type } = schema;
  if (only !== undefined) return only;
  const known = values.get(name);
  if (known !== undefined && isOf(schema, known)) return known;
  if (Array.isArray(options)) return options[0] ?? null;
  if (Array.isArray(oneOf)) return exampleAnswer(oneOf.find(isJsonObject) ?? {}, values, name);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'array':
      return isJsonObject(schema['items']) ? [exampleAnswer(schema['items'], values, singular(name))] : [];
    case 'string':
      return exampleText(schema);
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema['minimum'] ?? 1));
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return exampleObject(schema, values);
  }
}

function exampleObject({ properties, required }: JsonObject, values: ExampleValues): JsonObject {
  if (!isJsonObject(properties)) return {};
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      if (!isJsonObject(schema)) return [];
      const known = values.get(name);
      const isShown = needed.has(name) || (known !== undefined && isOf(schema, known));
      return isShown ? [[name, exampleAnswer(schema, values, name)]] : [];
    }),
  );
}

/** Whether a plain value fits a schema, as far as its type, its options and its pattern say. */
function isOf({ type, enum: options, pattern }: JsonObject, value: JsonValue): boolean {
  if (Array.isArray(options) && !options.includes(value)) return false;
  if (typeof pattern === 'string' && typeof value === 'string' && !new RegExp(pattern, 'u').test(value))
    return false;
  const types = Array.isArray(type) ? type : [type];
  return types.includes(typeof value) || (types.includes('integer') && Number.isInteger(value));
}

function exampleText({ format, pattern }: JsonObject): string {
  const text = [
    '2026-11-21T12:00:00.000Z',
    '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    '2026-11-21',
    '2026-11',
    '12.5',
  ];
  if (format === 'date-time') return text[0] ?? '';
  if (format === 'uuid') return text[1] ?? '';
  const matches = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  return (matches && text.find((one) => matches.test(one))) ?? 'text';
}
