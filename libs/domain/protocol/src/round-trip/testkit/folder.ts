import type { JsonObject } from '@switchyard/values';
import { folders, schemasOf, type Release, type Schemas } from './schemas.js';

/** The functions of `node:fs` that the schemas are read by: a suite hands them in, because nothing here reads by itself. */
export interface Files {
  existsSync(path: string): boolean;
  readdirSync(path: string, options: { readonly recursive: true; readonly encoding: 'utf8' }): string[];
  readFileSync(path: string, encoding: 'utf8'): string;
}

/** What the published schemas are to a suite. */
export interface Published {
  /** Whether they lie beside this repository: they are read where they are and never copied. */
  readonly areThere: boolean;
  /** Those of a release, each read once. Ask only where they are there. */
  readonly of: (release: Release) => Schemas;
}

const root = `${process.env['SWITCHYARD_PUBLISHED_FOLDER'] ?? '-'}/schemas`;

/** The published schemas that lie beside this repository, or that they do not. */
export function publishedBeside(files: Files): Published {
  const known = new Map<Release, Schemas>();
  const read = (release: Release): Schemas => {
    const folder = folders[release];
    const names = files.readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' });
    const texts = names.filter((name) => name.endsWith('.json'));
    const parsed = texts.map((name): [string, JsonObject] => [
      `${folder}/${name}`,
      JSON.parse(files.readFileSync(`${root}/${folder}/${name}`, 'utf8')) as JsonObject,
    ]);
    return schemasOf(release, new Map(parsed));
  };
  return {
    areThere: files.existsSync(`${root}/${folders['3.1']}`),
    of: (release) => {
      const schemas = known.get(release) ?? read(release);
      known.set(release, schemas);
      return schemas;
    },
  };
}
