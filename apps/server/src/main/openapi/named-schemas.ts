import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** The JSON of one request or answer. */
export interface DocumentBody {
  readonly operationId: string;
  readonly method: string;
  readonly part: 'request' | 'answer';
  readonly schema: JsonObject;
}

/** The schemas of a document by name, and each body as a reference to one. */
export interface NamedSchemas {
  readonly schemas: JsonObject;
  readonly referenceOf: ReadonlyMap<DocumentBody, JsonObject>;
}

const prefix = '#/components/schemas/';
const referTo = (name: string): JsonObject => ({ $ref: `${prefix}${name}` });

/** The words about a schema, which differ where it stands. */
const words = new Set(['description', 'example']);

/** A schema as text, without the words about it: two places of one object have the same. */
const shapeOf = (schema: JsonObject): string =>
  JSON.stringify(Object.fromEntries(Object.entries(schema).filter(([name]) => !words.has(name))));

/**
 * Names the schemas of a document, so that no object is written twice: what a list holds and what one address shows is
 * named after its noun, every other body after its operation (`add_team_request`), and an object that several of these
 * hold after the first and its member (`invoice_line`). `given` are schemas that have a name already.
 */
export function nameSchemas(bodies: readonly DocumentBody[], given: JsonObject): NamedSchemas {
  const schemas = new Map<string, JsonObject>(Object.entries(given) as [string, JsonObject][]);
  const nouns = new Map<string, string>([...schemas].map(([name, schema]) => [shapeOf(schema), name]));
  const name = (wanted: string, otherwise: string, schema: JsonObject): void => {
    if (!isObject(schema) || nouns.has(shapeOf(schema))) return;
    const free = schemas.has(wanted) ? otherwise : wanted;
    if (schemas.has(free)) throw new Error(`Two schemas of the document would be called ${free}.`);
    schemas.set(free, schema);
    nouns.set(shapeOf(schema), free);
  };
  for (const { noun, schema } of rowsOf(bodies)) name(noun, `${noun}_row`, schema);
  for (const { noun, schema } of shownOf(bodies)) name(noun, `${noun}_details`, schema);
  const referenceOf = new Map<DocumentBody, JsonObject>();
  for (const body of bodies) {
    const known = nouns.get(shapeOf(body.schema));
    const own = `${body.operationId}_${body.part}`;
    if (known === undefined && typeof body.schema['$ref'] !== 'string') schemas.set(own, body.schema);
    referenceOf.set(body, body.schema['$ref'] === undefined ? referTo(known ?? own) : body.schema);
  }
  for (const [own, schema] of schemas) if (!nouns.has(shapeOf(schema))) nouns.set(shapeOf(schema), own);
  return { schemas: withoutRepeats(schemas, nouns), referenceOf };
}

interface Noun {
  readonly noun: string;
  readonly schema: JsonObject;
}

/** The rows of lists: `list_teams` has `team`. */
function rowsOf(bodies: readonly DocumentBody[]): readonly Noun[] {
  return bodies.flatMap(({ operationId, part, schema }) => {
    const [, plural] = /^list_(?:all_)?(\w+)$/.exec(operationId) ?? [];
    if (part !== 'answer' || plural === undefined || !isJsonObject(schema['properties'])) return [];
    const rows = Object.entries(schema['properties']).find(([member]) => plural.endsWith(member))?.[1];
    const item = isJsonObject(rows) ? rows['items'] : undefined;
    return isJsonObject(item) ? [{ noun: singular(plural), schema: item }] : [];
  });
}

/** What an address shows: `show_team` has `team`. */
function shownOf(bodies: readonly DocumentBody[]): readonly Noun[] {
  return bodies.flatMap(({ operationId, method, part, schema }) => {
    const [, noun] = /^show_(\w+)$/.exec(operationId) ?? [];
    return method === 'get' && part === 'answer' && noun !== undefined ? [{ noun, schema }] : [];
  });
}

const singular = (plural: string): string =>
  plural
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch)es$/, '$1')
    .replace(/([^s])s$/, '$1');

/** An object with members of its own. */
const isObject = (schema: JsonObject): boolean =>
  isJsonObject(schema['properties']) && Object.keys(schema['properties']).length > 0;

/** Gives a name to each object with two members or more that stands in several places, and refers to it there. */
function withoutRepeats(
  schemas: ReadonlyMap<string, JsonObject>,
  nouns: ReadonlyMap<string, string>,
): JsonObject {
  const places = new Map<string, { readonly schema: JsonObject; readonly at: string; count: number }>();
  for (const [owner, schema] of schemas)
    eachObject(schema, baseOf(owner), (inner, at) => {
      if (nouns.has(shapeOf(inner))) return false;
      const seen = places.get(shapeOf(inner));
      if (seen === undefined) places.set(shapeOf(inner), { schema: inner, at, count: 1 });
      else seen.count += 1;
      return seen === undefined;
    });
  const names = new Map(nouns);
  const all = new Map(schemas);
  for (const [shape, { schema, at, count }] of places) {
    if (count < 2) continue;
    names.set(shape, freeName(all, at));
    all.set(names.get(shape) ?? at, schema);
  }
  return Object.fromEntries([...all].map(([name, schema]) => [name, replaced(schema, names, true)]));
}

const baseOf = (owner: string): string => owner.replace(/_(request|answer|details|row)$/, '');

function freeName(taken: ReadonlyMap<string, unknown>, wanted: string): string {
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number += 1)
    if (!taken.has(`${wanted}_${String(number)}`)) return `${wanted}_${String(number)}`;
}

/** Keywords that hold values and no schemas. */
const values = new Set(['const', 'default', 'enum', 'example', 'examples', 'required']);

/**
 * Visits each object below a schema that has two members or more, with the names of the members that lead to it after
 * `at`. `visit` says whether to look inside.
 */
function eachObject(
  schema: JsonObject,
  at: string,
  visit: (schema: JsonObject, at: string) => boolean,
): void {
  const inside = (value: JsonValue, path: string): void => {
    if (Array.isArray(value)) for (const item of value) inside(item, path);
    if (!isJsonObject(value)) return;
    if (value !== schema && membersOf(value) > 1 && !visit(value, path)) return;
    for (const [key, below] of Object.entries(value)) {
      if (values.has(key)) continue;
      if (key === 'properties' && isJsonObject(below))
        for (const [member, one] of Object.entries(below)) inside(one, `${path}_${memberName(member, one)}`);
      else inside(below, path);
    }
  };
  inside(schema, at);
}

const membersOf = ({ properties }: JsonObject): number =>
  isJsonObject(properties) ? Object.keys(properties).length : 0;

/** `line` for the member `lines` with a list, and the member's own name otherwise. */
const memberName = (member: string, schema: JsonValue): string =>
  isJsonObject(schema) && schema['type'] === 'array' ? singular(member) : member;

/** The same schema, with a reference wherever an object with a name stands. The words about it stay there. */
function replaced(value: JsonValue, names: ReadonlyMap<string, string>, isWhole = false): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => replaced(item, names));
  if (!isJsonObject(value)) return value;
  const name = isWhole || !isObject(value) ? undefined : names.get(shapeOf(value));
  if (name !== undefined)
    return {
      ...Object.fromEntries(Object.entries(value).filter(([key]) => words.has(key))),
      ...referTo(name),
    };
  return Object.fromEntries(
    Object.entries(value).map(([key, below]) => {
      if (values.has(key)) return [key, below];
      if (key !== 'properties' || !isJsonObject(below)) return [key, replaced(below, names)];
      const members = Object.entries(below).map(([member, one]) => [member, replaced(one, names)]);
      return [key, Object.fromEntries(members)];
    }),
  );
}
