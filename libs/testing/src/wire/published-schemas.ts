import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseNames, type Form, type ReleaseName } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';

/** The releases whose schemas are published; the `service` form has none. */
export type Release = Exclude<Form, 'service'>;
export const releases: readonly Release[] = ['2.5', '3.0', '3.1'];

const addFormats = addFormatsModule as unknown as (ajv: Ajv) => void;
/** The same, and releases that are spoken only by their exact names. */
export type Published = Release | ReleaseName;
export const publishedReleases: readonly Published[] = [...releases, ...releaseNames];

const root = join(process.env['SWITCHYARD_PUBLISHED_FOLDER'] ?? '-', 'schemas');
const folders: Readonly<Record<Release, string>> = { '2.5': '2.5.3', '3.0': '3.0.26', '3.1': '3.1.19' };

/** A prerelease has a patch number in the name of its folder. */
function folderOf(release: Published): string {
  return isRelease(release) ? folders[release] : release.replace(/^(\d+\.\d+)-/, '$1.0-');
}

function isRelease(release: Published): release is Release {
  return release in folders;
}

/** Whether the published schemas are beside the repository. They are read there and never copied. */
export const schemasAreThere: boolean = existsSync(join(root, folders['3.1']));

/** The schemas of one release by reference, with a validator for each. */
export interface Schemas {
  /** Returns the schema of a reference in any of its files. */
  at(reference: string): JsonValue;
  /** The validator of the file at a path within the release, without its ending. */
  validatorOf(path: string): ValidateFunction;
  /** Returns the reference to the file at a path within the release. */
  reference(path: string): string;
}

/**
 * Most schemas are used for few messages. These options compile shared parts once and skip the optimizer: half the
 * time, with the same results.
 */
const quickToCompile = { inlineRefs: false, code: { optimize: false } } as const;
const known = new Map<Published, Schemas>();

/** The published schemas of a release, read once in a process and compiled at first use. Call it only if they are there. */
export function schemasOf(release: Published): Schemas {
  const schemas = known.get(release) ?? readSchemas(release);
  known.set(release, schemas);
  return schemas;
}

/** What a message speaks: a form, or a release that is spoken only by its exact name. */
export type Spoken = Form | ReleaseName;

export interface PublishedSchemas {
  /** Each fault with its place; empty for a message that conforms, `undefined` if no schema is published. */
  faults(form: Spoken, path: string, message: unknown): readonly string[] | undefined;
}

/** Judges messages by the published schemas. */
export function publishedSchemas(): PublishedSchemas {
  return {
    faults: (form, path, message) => {
      if (form === 'service' || !existsSync(join(root, folderOf(form), path))) return undefined;
      const validate = schemasOf(form).validatorOf(path.replace(/\.json$/, ''));
      void validate(message);
      return (validate.errors ?? []).map(
        (error) => `${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`,
      );
    },
  };
}

/** Newer releases refer to files by address: the place in the folder is the same. */
const publisher = /^https:\/\/[^/]+(?=\/schemas\/)/;

/** References between files start at the root of all releases. */
function readSchemas(release: Published): Schemas {
  const folder = folderOf(release);
  const byName = new Map<string, JsonObject>();
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.json')) continue;
    const text = readFileSync(join(root, folder, name), 'utf8');
    const { $id: _named, ...schema } = JSON.parse(text) as JsonObject;
    // The listings of a release name a schema of their own instead of draft-07.
    if (!JSON.stringify(schema['$schema'] ?? '').includes('draft-07')) continue;
    const file = `/schemas/${folder}/${name}`;
    byName.set(file, fromRoot(schema, file) as JsonObject);
  }
  const ajv = new Ajv({ ...quickToCompile, strict: false, allErrors: true, verbose: true, logger: false });
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
    name === '$ref' && typeof inner === 'string'
      ? [name, inner.startsWith('#') ? `${file}${inner}` : inner.replace(publisher, '')]
      : [name, fromRoot(inner, file)],
  );
  return Object.fromEntries(entries);
}
