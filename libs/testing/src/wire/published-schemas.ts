import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Form } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { Ajv } from 'ajv';
import addFormatsModule from 'ajv-formats';

const addFormats = addFormatsModule as unknown as (ajv: Ajv) => void;
const root = join(process.env['SWITCHYARD_PUBLISHED_FOLDER'] ?? '-', 'schemas');
const releases: Readonly<Record<string, string>> = { '2.5': '2.5.3', '3.0': '3.0.26', '3.1': '3.1.19' };

/** Whether the published schemas are beside the repository. */
export const schemasAreThere: boolean = existsSync(join(root, '3.1.19'));

export interface PublishedSchemas {
  /** Each fault with its place; empty for a message that conforms, `undefined` if no schema is published. */
  faults(form: Form, path: string, message: unknown): readonly string[] | undefined;
}

/**
 * Every suite compiles schemas itself, and uses most of them for few messages. These options compile shared parts once
 * and skip the optimizer: half the time, with the same results.
 */
const quickToCompile = { inlineRefs: false, code: { optimize: false } } as const;

/** All published schemas, compiled at first use. */
export function publishedSchemas(): PublishedSchemas {
  const compiled = new Map<Form, Ajv>();
  const ajvOf = (form: Form, release: string): Ajv => {
    const known = compiled.get(form);
    if (known !== undefined) return known;
    const ajv = new Ajv({ ...quickToCompile, strict: false, allErrors: true, logger: false });
    addFormats(ajv);
    registerAll(ajv, release);
    compiled.set(form, ajv);
    return ajv;
  };
  return {
    faults: (form, path, message) => {
      const release = releases[form];
      if (release === undefined || !existsSync(join(root, release, path))) return undefined;
      const validate = ajvOf(form, release).getSchema(`/schemas/${release}/${path}`);
      if (validate === undefined) throw new Error(`The schema ${release}/${path} does not compile.`);
      void validate(message);
      return (validate.errors ?? []).map(
        (error) => `${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`,
      );
    },
  };
}

function registerAll(ajv: Ajv, folder: string): void {
  for (const name of readdirSync(join(root, folder))) {
    const path = `${folder}/${name}`;
    if (statSync(join(root, path)).isDirectory()) registerAll(ajv, path);
    else if (name.endsWith('.json')) {
      const schema = JSON.parse(readFileSync(join(root, path), 'utf8')) as JsonObject;
      // The listings of a release name a schema of their own instead of draft-07.
      if (!JSON.stringify(schema['$schema'] ?? '').includes('draft-07')) continue;
      Reflect.deleteProperty(schema, '$id');
      ajv.addSchema(schema, `/schemas/${path}`);
    }
  }
}
