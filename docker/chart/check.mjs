/**
 * Checks the chart where there is no Helm: three sets of values are rendered by render.go and compared with the files in
 * golden/, every object with the types of Kubernetes, every variable with the settings of the product, and values that
 * are wrong or missing are refused.
 *
 *   node docker/chart/check.mjs              WRITE=1 writes the files in golden/
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import Ajv from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { settingsTable } from '../../apps/server/dist/main/settings/settings.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const read = (name) => readFileSync(join(folder, name), 'utf8');
const work = mkdtempSync(join(tmpdir(), 'switchyard-chart-'));
const problems = [];
const sets = ['smallest', 'kms', 'all'];
const objectsOf = (text) =>
  parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((object) => object !== null);

/** Where an object's types are, by its apiVersion. */
const typesOf = {
  v1: 'v1',
  'apps/v1': 'apps/v1',
  'batch/v1': 'batch/v1',
  'policy/v1': 'policy/v1',
  'autoscaling/v2': 'autoscaling/v2',
  'networking.k8s.io/v1': 'networking.k8s.io/v1',
};

function merged(under, over) {
  const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = Object.entries(over).map(([name, value]) => [
    name,
    isMap(value) && isMap(under[name]) ? merged(under[name], value) : value,
  ]);
  return { ...under, ...Object.fromEntries(entries) };
}

const isValid = new Ajv({ allErrors: true, strict: false }).compile(JSON.parse(read('values.schema.json')));
const defaults = parse(read('values.yaml'));
const valuesOf = (set) => merged(defaults, parse(read(`golden/${set}.values.yaml`)));

function render(values) {
  const file = join(work, 'values.yaml');
  writeFileSync(file, JSON.stringify(values));
  return spawnSync(join(work, 'render'), [folder, file, 'switchyard'], { encoding: 'utf8' });
}

function checkRendered() {
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOPATH: '/usr/share/gocode',
    GOCACHE: join(work, 'cache'),
  };
  const built = spawnSync('go', ['build', '-o', join(work, 'render'), join(folder, 'render.go')], {
    env,
    encoding: 'utf8',
  });
  if (built.status !== 0) {
    console.log(
      `not run: ${sets.length} renders of the chart (golang-go, golang-github-masterminds-sprig-dev) are not here`,
    );
    return;
  }
  for (const set of sets) {
    const { status, stdout, stderr } = render(valuesOf(set));
    if (status !== 0) problems.push(`${set}: ${stderr.trim()}`);
    else if (process.env.WRITE !== undefined) writeFileSync(join(folder, `golden/${set}.yaml`), tidy(stdout));
    else if (!isDeepStrictEqual(objectsOf(stdout), objectsOf(read(`golden/${set}.yaml`))))
      problems.push(`golden/${set}.yaml is not what the chart makes now. WRITE=1 writes it.`);
  }
  const missing = { publicUrl: '', trustedProxies: [], 'database.secret': '', 'keys.keyringSecret': '' };
  for (const [path, value] of Object.entries(missing)) {
    const values = valuesOf('smallest');
    const [first, second] = path.split('.');
    if (second === undefined) values[first] = value;
    else values[first][second] = value;
    const { status, stderr } = render(values);
    if (status === 0 || !stderr.includes(first)) problems.push(`${path} may be left out.`);
  }
}

const tidy = (text) =>
  `${text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trim()}\n`;

function checkTypes() {
  const got = spawnSync(
    'npm',
    [
      'install',
      '--prefix',
      work,
      '--no-audit',
      '--no-fund',
      '--no-save',
      '--silent',
      'kubernetes-models@4.5.1',
    ],
    { encoding: 'utf8' },
  );
  if (got.status !== 0 || !existsSync(join(work, 'node_modules/kubernetes-models'))) {
    console.log(
      `not run: ${sets.length} comparisons with the types of Kubernetes (kubernetes-models) are not here`,
    );
    return;
  }
  const lines = [];
  for (const set of sets)
    for (const object of objectsOf(read(`golden/${set}.yaml`))) {
      const from = typesOf[object.apiVersion];
      if (from === undefined) continue;
      const type = `import('kubernetes-models/${from}').I${object.kind}`;
      lines.push(`export const o${lines.length}: ${type} = ${JSON.stringify(object)};`);
    }
  writeFileSync(join(work, 'objects.ts'), lines.join('\n'));
  const tsc = join(folder, '../../node_modules/typescript/bin/tsc');
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, module: 'nodenext', types: [] };
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['objects.ts'] }));
  const judge = () => spawnSync(process.execPath, [tsc, '-p', work], { encoding: 'utf8' });
  const judged = judge();
  if (judged.status !== 0) problems.push(judged.stdout.trim());
  else console.log(`${lines.length} objects have the types of Kubernetes.`);
  // What finds nothing proves nothing: an unknown member has to be found.
  writeFileSync(join(work, 'objects.ts'), lines.join('\n').replace('"targetPort"', '"tragetPort"'));
  if (judge().status === 0) problems.push('An unknown member of an object was not found.');
}

function checkValues() {
  for (const set of sets)
    if (!isValid(valuesOf(set))) problems.push(`${set}: ${JSON.stringify(isValid.errors)}`);
  const wrong = [
    { publicUrl: 'http://x' },
    { image: { digest: 'latest' } },
    { replicas: 2 },
    { trustedProxies: [] },
    { reports: { to: '/srv/reports' } },
  ];
  for (const values of wrong)
    if (isValid(merged(valuesOf('smallest'), values)))
      problems.push(`${JSON.stringify(values)} is accepted.`);
}

function checkSettings() {
  for (const set of sets)
    for (const object of objectsOf(read(`golden/${set}.yaml`)))
      for (const container of (object.spec?.jobTemplate ?? object).spec?.template?.spec?.containers ?? []) {
        for (const { name } of container.env)
          if (!(name in settingsTable) && name !== 'AWS_REGION')
            problems.push(`${set}: ${name} is no setting.`);
        if (container.securityContext.readOnlyRootFilesystem !== true)
          problems.push(`${set}: ${object.metadata.name} has a root that can be written.`);
      }
  const { version } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8'));
  if (parse(read('Chart.yaml')).appVersion !== version)
    problems.push(`Chart.yaml is not of version ${version}.`);
}

try {
  checkValues();
  checkRendered();
  checkTypes();
  checkSettings();
} finally {
  rmSync(work, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
console.log(`Chart: ${sets.length} sets of values, ${problems.length} problems.`);
process.exit(problems.length === 0 ? 0 : 1);
