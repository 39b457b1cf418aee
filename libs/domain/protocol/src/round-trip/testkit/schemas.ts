import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';

/** The releases whose schemas are published; the `service` form has none. */
export type Release = '2.5' | '3.0' | '3.1';

const addFormats = addFormatsModule as unknown as (ajv: Ajv) => void;
/** The folder of each release in the published schemas. */
export const folders: Readonly<Record<Release, string>> = {
  '2.5': '2.5.3',
  '3.0': '3.0.26',
  '3.1': '3.1.19',
};

export const releases: readonly Release[] = ['2.5', '3.0', '3.1'];

/** Shared schemas are compiled once and compiled code is not optimized: half the work, the same results. */
const quickToCompile = { inlineRefs: false, code: { optimize: false } } as const;

/** The schemas of one release by reference, with a validator for each. */
export interface Schemas {
  /** Returns the schema of a reference in any of its files. */
  at(reference: string): JsonValue;
  validatorOf(path: string): ValidateFunction;
  /** Returns the reference to the file at a path within the release. */
  reference(path: string): string;
}

/** Reads a release's schemas from its files by path. References between files start at the root of all releases. */
export function schemasOf(release: Release, files: ReadonlyMap<string, JsonObject>): Schemas {
  const folder = folders[release];
  const byName = new Map<string, JsonObject>();
  for (const [path, { $id: _named, ...schema }] of files) {
    // The index files of a release use another meta-schema than draft-07.
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

/** Replaces references within a file by references from the root, so that each part can be read alone. */
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
