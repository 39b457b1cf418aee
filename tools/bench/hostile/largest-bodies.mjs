/** The largest bodies that a route takes, made from its description in `/openapi.json`. */

const roomBytes = 1_000_000;
const roomMembers = 18_800;

/** For each route with a body: one request for each list, open object and long text in it, and for unknown members. */
export function largestRequests({ paths, components }) {
  return Object.entries(paths).flatMap(([route, methods]) => {
    const sent = methods.post?.requestBody?.content?.['application/json']?.schema;
    if (sent === undefined) return [];
    const schema = inPlace(sent, components.schemas);
    const path = route.replaceAll(/\{\w+\}/g, 'x');
    const large = [...placesIn(schema, [])].map(({ at, kind, make }) => ({
      name: `${route}: ${[...at, kind].join('.')}`,
      path,
      body: () => JSON.stringify(placed(schema, at, make())),
    }));
    const unknown = () => JSON.stringify({ ...leastOf(schema), ...members() });
    return [...large, { name: `${route}: unknown members`, path, body: unknown }];
  });
}

/** A schema with what it refers to in place. One that refers to itself takes anything there. */
function inPlace(value, schemas, within = []) {
  if (Array.isArray(value)) return value.map((item) => inPlace(item, schemas, within));
  if (typeof value !== 'object' || value === null) return value;
  const name = value.$ref?.split('/').at(-1);
  if (name !== undefined)
    return within.includes(name) ? {} : inPlace(schemas[name], schemas, [...within, name]);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, inPlace(inner, schemas, within)]),
  );
}

function* placesIn(schema, at) {
  const { properties, items, maxItems, maxLength, ...said } = formOf(schema);
  const type = typeOf(said, properties);
  if (at.length > 6) return;
  if (type === 'object') {
    for (const [name, inner] of Object.entries(properties ?? {})) yield* placesIn(inner, [...at, name]);
    if (said.additionalProperties !== false) yield { at, kind: 'members', make: members };
  } else if (type === 'array') {
    yield { at, kind: 'items', make: () => itemsOf(items ?? {}, maxItems) };
    yield* placesIn(items ?? {}, [...at, 0]);
  } else if (type === 'string' && said.enum === undefined && (maxLength ?? roomBytes) > 100_000)
    yield { at, kind: 'text', make: () => 'a,\n'.repeat(Math.floor(roomBytes / 4)) };
}

const members = () => Object.fromEntries(Array.from({ length: roomMembers }, (_, at) => [`m${at}`, at]));

function itemsOf(schema, most = Infinity) {
  const one = leastOf(schema);
  const bytes = JSON.stringify(one).length + 1;
  const many = Math.min(most, Math.floor(roomMembers / (1 + weightOf(one))), Math.floor(roomBytes / bytes));
  return Array.from({ length: many }, () => one);
}

const weightOf = (value) =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum, one) => sum + 1 + weightOf(one), 0)
    : 0;

/** The smallest value of a schema: required members alone. */
function leastOf(schema) {
  const form = formOf(schema);
  const type = typeOf(form, form.properties);
  if (form.const !== undefined) return form.const;
  if (form.enum !== undefined) return form.enum[0];
  if (type === 'object')
    return Object.fromEntries(
      (form.required ?? []).map((name) => [name, leastOf(form.properties?.[name] ?? {})]),
    );
  if (type === 'array') return Array.from({ length: form.minItems ?? 1 }, () => leastOf(form.items ?? {}));
  if (type === 'number' || type === 'integer') return form.minimum ?? 1;
  if (type === 'boolean') return false;
  return formats[form.format] ?? 'x'.repeat(Math.max(1, form.minLength ?? 1));
}

const formats = {
  date: '2026-11-01',
  'date-time': '2026-11-01T00:00:00Z',
  email: 'a@a.example',
  uri: 'https://a.example/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** The smallest value of a schema with another one at a place in it. */
function placed(schema, [name, ...rest], value) {
  if (name === undefined) return value;
  const form = formOf(schema);
  if (name === 0) return [placed(form.items ?? {}, rest, value)];
  return { ...leastOf(schema), [name]: placed(form.properties[name], rest, value) };
}

/** A schema with its first alternative. */
function formOf(schema) {
  const [first] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  return first === undefined ? schema : { ...schema, ...formOf(first) };
}

const typeOf = ({ type }, properties) => (Array.isArray(type) ? type[0] : (type ?? (properties && 'object')));
