/**
 * Bundles everything that a program runs into few files beside its `dist`, foreign packages included: finding, reading
 * and linking some 2,700 small modules is most of the cost of a start. See docs/decisions/build-and-bundles.md.
 */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Each program, and its entry module. `whole` is the module under which nearly everything is needed at once: it is one
 * file of CommonJS, because Node can cache V8's compiled code for CommonJS, but not for ES modules.
 */
const programs = [
  {
    folder: 'apps/cli',
    entry: 'index.js',
    // Entry modules of separate threads: they are beside the entry, under their own names.
    threads: [
      'libs/adapters/store/dist/ledger/verify-worker.js',
      'libs/adapters/tables/dist/table-worker.js',
    ],
    whole: 'up/of-server.js',
  },
  { folder: 'apps/sandbox', entry: 'main.js', whole: 'main.js' },
];

/** Packages that are loaded from node_modules when needed, and optional ones that Nest requires and does without. */
const external = [
  '@aws-sdk/*',
  '@node-rs/argon2',
  '@prisma/client/runtime/*',
  // It reads font metrics from files beside itself.
  'pdfkit',
  'pg-native',
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'class-transformer',
  'class-validator',
];

const entryOf = (root, { folder, entry }) => join(root, folder, 'bundle', entry);
const modifiedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Whether every program has a bundle, made after npm installed packages and after this file was changed. */
export function areBundlesCurrent(root) {
  const installed = modifiedAt(join(root, 'node_modules/.package-lock.json'));
  const newest = Math.max(installed, modifiedAt(fileURLToPath(import.meta.url)));
  return programs.every((program) => modifiedAt(entryOf(root, program)) > newest);
}

/**
 * A bundle without its entry is invalid. Call it before the sources of the bundle change, because a builder may die
 * half way, and after it, because another builder may have bundled a half changed state.
 */
export function dropBundles(root) {
  for (const program of programs) rmSync(entryOf(root, program), { force: true });
  mkdirSync(dirname(dropNote(root)), { recursive: true });
  writeFileSync(dropNote(root), randomUUID());
}

/** Tells a running builder that the sources it has read are outdated. */
const dropNote = (root) => join(root, 'apps/cli/bundle/dropped');
const lastDrop = (root) => (existsSync(dropNote(root)) ? readFileSync(dropNote(root), 'utf8') : '');

export async function bundlePrograms(root) {
  const { build } = await import('esbuild');
  for (;;) {
    const dropped = lastDrop(root);
    const bundles = await Promise.all(programs.map((program) => bundleOne(build, root, program)));
    if (lastDrop(root) !== dropped) continue;
    for (const bundle of bundles) putInPlace(bundle);
    return;
  }
}

async function bundleOne(build, root, program) {
  const entry = entryOf(root, program);
  const whole = await bundleWhole(build, root, program);
  const modules = [join(program.folder, 'dist', program.entry), ...(program.threads ?? [])];
  const apart = program.whole === program.entry ? modules.slice(1) : modules;
  const { outputFiles, metafile } = await build({
    ...optionsOf(root, entry),
    entryPoints: apart.map((module) => ({ in: join(root, module), out: basename(module, '.js') })),
    // Dynamic imports of a command stay in separate files, so that other commands load little.
    splitting: true,
    format: 'esm',
    plugins: [leaveOut(program.whole)],
    // CommonJS packages use `require` for Node's own modules, which an ES module does not have.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
  // The modules of each file, since the files no longer show them.
  const madeOf = Object.entries({ ...metafile.outputs, ...whole.outputs }).map(([path, { inputs }]) => [
    basename(path),
    Object.keys(inputs).filter((input) => inputs[input].bytesInOutput > 0),
  ]);
  const note = {
    path: join(dirname(entry), 'made-of.json'),
    contents: JSON.stringify(Object.fromEntries(madeOf)),
  };
  // The packages that the files load from node_modules: an image must have them (docker/lazy-packages.mjs).
  const packages = {
    path: join(dirname(entry), 'packages.json'),
    contents: JSON.stringify(packagesIn({ ...metafile.outputs, ...whole.outputs })),
  };
  return { entry, outputFiles: [note, packages, ...whole.outputFiles, ...outputFiles] };
}

/** What the outputs import from outside: neither files of the bundle nor Node's own modules. */
function packagesIn(outputs) {
  const imported = Object.values(outputs).flatMap(({ imports }) => imports.filter((each) => each.external));
  const names = imported
    .map(({ path }) => path)
    .filter((path) => !/^(\.|node:)/.test(path) && !isBuiltin(path));
  return [...new Set(names)].sort();
}

const optionsOf = (root, entry) => ({
  absWorkingDir: root,
  outdir: dirname(entry),
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  target: 'node20',
  // Error handling and Nest use class names.
  keepNames: true,
  // Node reads and compiles text without comments, and of ASCII alone, in about half the time.
  minifyWhitespace: true,
  lineLimit: 200,
  legalComments: 'external',
  external,
  logLevel: 'error',
});

/** The files of a module that is bundled whole: its text, and under its own name the loader of it. */
async function bundleWhole(build, root, program) {
  const folder = dirname(entryOf(root, program));
  const module = join(root, program.folder, 'dist', program.whole);
  const name = basename(program.whole, '.js');
  const { outputFiles, metafile } = await build({
    ...optionsOf(root, entryOf(root, program)),
    entryPoints: [{ in: module, out: name }],
    entryNames: '[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    define: { 'import.meta.url': 'moduleUrl' },
    // Code from V8's cache cannot call `import`: external packages are required.
    supported: { 'dynamic-import': false },
    plugins: [ofCommonJs],
    banner: { js: "const moduleUrl=require('node:url').pathToFileURL(__filename).href;" },
  });
  const exported = await build({
    entryPoints: [module],
    write: false,
    metafile: true,
    outdir: folder,
    format: 'esm',
  });
  const names = Object.values(exported.metafile.outputs)[0].exports.join(', ');
  const text = basename(outputFiles.find(({ path }) => path.endsWith('.cjs')).path);
  const load = `loadCompiled(new URL('./${text}', import.meta.url))`;
  const loader = `import { loadCompiled } from './load-compiled.js';\nexport const { ${names} } = ${load};\n`;
  const compiled = readFileSync(new URL('./load-compiled.mjs', import.meta.url), 'utf8');
  return {
    outputs: metafile.outputs,
    outputFiles: [
      ...outputFiles.map((file) =>
        file.path.endsWith('.cjs')
          ? { path: file.path, contents: asAscii(namingClassesAlone(file.text)) }
          : file,
      ),
      { path: join(folder, 'load-compiled.js'), contents: compiled },
      { path: join(folder, `${name}.js`), contents: loader },
    ],
  };
}

/**
 * esbuild writes the name of a function again each time one is made, which for the closures of a request costs more than
 * what many of them do. Only names of classes are read, and these are written once.
 */
function namingClassesAlone(text) {
  const helper = /__name=\((\w+),(\w+)\)=>(__defProp\(\1,"name",\{value(?::\2)?,configurable:true\}\))/;
  if (!/\b__name\b/.test(text)) return text;
  if (!helper.test(text)) throw new Error('esbuild writes names in another way: see namingClassesAlone.');
  return text
    .replace(helper, '__name=$1=>$1,__nameClass=($1,$2)=>$3')
    .replaceAll(/static\s*\{\s*__name\s*\(\s*this\s*,/g, 'static{__nameClass(this,');
}

/**
 * esbuild escapes the letters of other scripts in strings, and leaves them in regular expressions, where the escape of each
 * UTF-16 unit means the same. The loader reads one byte as one letter.
 */
const asAscii = (text) =>
  text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Prisma has each of its files in both module formats, and its client names the other one. */
const ofCommonJs = {
  name: 'of-common-js',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^@prisma\/client\/runtime\/.*\.mjs$/ }, ({ path }) => ({
      path: path.replace(/\.mjs$/, '.js'),
      external: true,
    })),
};

/** An import of the module that is bundled whole is resolved to its loader beside the importer. */
const leaveOut = (whole) => ({
  name: 'leave-out',
  setup: ({ onResolve }) => {
    const path = `./${basename(whole)}`;
    onResolve({ filter: new RegExp(`/${basename(whole).replace('.', '\\.')}$`) }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path, external: true },
    );
  },
});

function putInPlace({ entry, outputFiles }) {
  const folder = dirname(entry);
  mkdirSync(folder, { recursive: true });
  const isEntry = ({ path }) => path === entry;
  // The entry is written last: from then on the bundle is complete, and the files of the previous one are unused.
  const inOrder = [...outputFiles.filter((file) => !isEntry(file)), ...outputFiles.filter(isEntry)];
  for (const { path, contents } of inOrder) {
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, contents);
    renameSync(draft, path);
  }
  const wanted = new Set(outputFiles.map(({ path }) => basename(path)));
  const isOfBundle = (name) => /\.(c?js|txt|compiled)$/.test(name);
  const isStale = (name) => isOfBundle(name) && !wanted.has(name.replace(/\.compiled$/, ''));
  for (const name of readdirSync(folder).filter(isStale)) rmSync(join(folder, name), { force: true });
}
