/**
 * The bill of materials of an assembled folder (CycloneDX 1.6, JSON): what its bundles contain, and what stands in its
 * node_modules. The same folder gives the same bytes.
 *
 *   node docker/sbom.mjs FOLDER > sbom.json
 *   node docker/sbom.mjs FOLDER --notices > THIRD-PARTY-NOTICES
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [target = '', form] = process.argv.slice(2);
const folder = resolve(target);
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const product = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Folders of packages, as the lock names them. */
const found = new Set();
for (const program of ['apps/cli', 'apps/sandbox']) {
  const note = join(folder, program, 'bundle/made-of.json');
  if (!existsSync(note)) continue;
  for (const module of Object.values(JSON.parse(readFileSync(note, 'utf8'))).flat())
    if (module.includes('node_modules/')) found.add(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)[0]);
}
// The console's builder keeps no list: what it may import, and what that depends on.
if (existsSync(join(folder, 'apps/console')))
  for (const name of Object.keys(packages['apps/console'].devDependencies))
    if (!/^(vite|@vitejs\/.*|@types\/.*)$/.test(name)) add(name, 'apps/console');
collect('node_modules');

/** A package as npm finds it from a folder, and what it depends on. */
function add(name, from) {
  const parts = from.split('/node_modules/');
  const places = parts.map(
    (_, at) => `${parts.slice(0, parts.length - at).join('/node_modules/')}/node_modules/${name}`,
  );
  const path = [...places, `node_modules/${name}`].find((place) => packages[place] !== undefined);
  if (path === undefined || found.has(path)) return;
  found.add(path);
  for (const dependency of Object.keys(packages[path].dependencies ?? {})) add(dependency, path);
}

function collect(place) {
  if (!existsSync(join(folder, place))) return;
  for (const entry of readdirSync(join(folder, place), { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(place, entry.name);
    if (entry.name.startsWith('@')) collect(path);
    else {
      if (packages[path] !== undefined) found.add(path);
      collect(join(path, 'node_modules'));
    }
  }
}

const components = [...found].sort().map((path) => {
  const known = packages[path];
  if (known === undefined) throw new Error(`${path} is not in the lock file.`);
  const name = path.split('node_modules/').at(-1);
  const { version, integrity = '', license } = known;
  const [algorithm, hash] = integrity.split('-');
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { path, name, version, license, purl, ...(algorithm === 'sha512' && { hash }) };
});

function licenceText(path) {
  const file = readdirSync(join(root, path)).find((name) => /^(licen[cs]e|copying)/i.test(name));
  return file === undefined ? undefined : readFileSync(join(root, path, file), 'utf8').trim();
}

if (form === '--notices') {
  const texts = new Map();
  for (const { path, name, version, license } of components) {
    const text = licenceText(path) ?? `Licence: ${license} (the package has no file of it)`;
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
  }
  const rule = '-'.repeat(80);
  for (const [text, names] of texts) console.log(`${rule}\n${names.join('\n')}\n${rule}\n\n${text}\n`);
} else {
  const unique = new Map(components.map((component) => [component.purl, component]));
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': 'switchyard',
        name: product.name,
        version: product.version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components: [...unique.values()].map(({ name, version, license, purl, hash }) => ({
      type: 'library',
      'bom-ref': purl,
      name,
      version,
      purl,
      ...(license && {
        licenses: [
          / (and|or) /i.test(license)
            ? { expression: license.replace(/ and /gi, ' AND ') }
            : { license: { id: license } },
        ],
      }),
      ...(hash && { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] }),
    })),
  };
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  const id = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-5$3-8$4-$5');
  console.log(JSON.stringify({ ...document, serialNumber: `urn:uuid:${id}` }, undefined, 2));
}
