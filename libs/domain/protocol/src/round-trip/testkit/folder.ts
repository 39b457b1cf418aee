import type { JsonObject } from '@switchyard/values';
import { folders, schemasOf, type Release, type Schemas } from './schemas.js';

/** The functions of `node:fs` that read the schemas. Suites pass them in: this library has no input or output. */
interface Files {
  existsSync(path: string): boolean;
  readdirSync(path: string, options: { readonly recursive: true; readonly encoding: 'utf8' }): string[];
  readFileSync(path: string, encoding: 'utf8'): string;
}

/** The published schemas. */
interface Published {
  /** True if they are beside this repository. They are read there and never copied. */
  readonly areThere: boolean;
  /** The schemas of a release, each read once. Call it only if they are there. */
  readonly of: (release: Release) => Schemas;
}

const root = `${process.env['SWITCHYARD_PUBLISHED_FOLDER'] ?? '-'}/schemas`;

/** Finds the published schemas beside this repository, if they are there. */
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
