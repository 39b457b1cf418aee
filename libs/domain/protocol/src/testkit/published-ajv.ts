import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@switchyard/values';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import type { Form } from '../versions/wire-profile.js';

const addFormats = addFormatsModule as unknown as (ajv: Ajv) => void;
const root = join(process.env['SWITCHYARD_PUBLISHED_FOLDER'] ?? '-', 'schemas');
const releases: Readonly<Record<string, string>> = { '2.5': '2.5.3', '3.0': '3.0.26', '3.1': '3.1.19' };
const compiled = new Map<Form, Ajv>();

/** Whether the published schemas lie beside the repository. */
export const schemasAreThere: boolean = existsSync(join(root, '3.1.19'));

/** The published schema at a path of a form's release; nothing where none is published, or none lies here. */
export function publishedValidator(form: Form, path: string): ValidateFunction | undefined {
  const release = releases[form];
  if (release === undefined || !schemasAreThere) return undefined;
  const ajv = compiled.get(form) ?? new Ajv({ strict: false, allErrors: true, logger: false });
  if (!compiled.has(form)) {
    addFormats(ajv);
    registerAll(ajv, release);
    compiled.set(form, ajv);
  }
  return ajv.getSchema(`/schemas/${release}/${path}`);
}

/** Every published schema under the path it lies at. */
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
