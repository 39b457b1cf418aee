import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';

/** The releases whose schemas are published; the `service` form has none. */
export type Release = '2.5' | '3.0' | '3.1';

const addFormats = addFormatsModule as unknown as (ajv: Ajv) => void;
/** The folder of each, among the published schemas. */
export const folders: Readonly<Record<Release, string>> = {
  '2.5': '2.5.3',
  '3.0': '3.0.26',
  '3.1': '3.1.19',
};

export const releases: readonly Release[] = ['2.5', '3.0', '3.1'];

/** What schemas share is compiled once, and what is compiled is not gone over again: half the work, and the same verdicts. */
const quickToCompile = { inlineRefs: false, code: { optimize: false } } as const;

/** The schemas of one release: each by the name that others refer to it by, and a validator of each. */
export interface Schemas {
  /** The schema behind a reference of any of its files. */
  at(reference: string): JsonValue;
  validatorOf(path: string): ValidateFunction;
  /** How the file at a path within the release is referred to. */
  reference(path: string): string;
}

/** The schemas of a release, from its files by their paths. References between files are paths from the root of all releases. */
export function schemasOf(release: Release, files: ReadonlyMap<string, JsonObject>): Schemas {
  const folder = folders[release];
  const byName = new Map<string, JsonObject>();
  for (const [path, { $id: _named, ...schema }] of files) {
    // The listings of a release name a schema of their own instead of draft-07.
    if (!JSON.stringify(schema['$schema'] ?? '').includes('draft-07')) continue;
    byName.set(`/schemas/${path}`, fromRoot(schema, `/schemas/${path}`) as JsonObject);
  }
  const ajv = new Ajv({
    ...quickToCompile,
    strict: false,
    allErrors: true,
    verbose: true,
    validateFormats: true,
  });
  addFormats(ajv);
  for (const [name, schema] of byName) ajv.addSchema(schema, name);
  const reference = (path: string): string => `/schemas/${folder}/${path}.json`;
  return {
    reference,
    at(name) {
      const [file = '', pointer = ''] = name.split('#');
      const steps = pointer.split('/').slice(1);
      const found = steps.reduce<JsonValue | undefined>(
        (inner, step) => (inner as Record<string, JsonValue> | undefined)?.[step],
        byName.get(file),
      );
      if (found === undefined) throw new Error(`There is no schema ${name}.`);
      return found;
    },
    validatorOf(path) {
      const validate = ajv.getSchema(reference(path));
      if (validate === undefined) throw new Error(`There is no schema ${path} of ${release}.`);
      return validate;
    },
  };
}

/** References within a file become references from the root, so that a part of it can be read anywhere. */
function fromRoot(value: JsonValue, file: string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => fromRoot(item, file));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, JsonValue] =>
    name === '$ref' && typeof inner === 'string' && inner.startsWith('#')
      ? [name, `${file}${inner}`]
      : [name, fromRoot(inner, file)],
  );
  return Object.fromEntries(entries);
}
