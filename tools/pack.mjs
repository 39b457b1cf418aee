/**
 * `node tools/pack.mjs FOLDER`
 *
 * Packs the command line for npm, as a file in FOLDER: what talks to an instance from elsewhere, without the server in it.
 * It has no dependencies and no install script.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [to] = process.argv.slice(2);
if (to === undefined) {
  console.error('Name the folder for the packed file.');
  process.exit(2);
}
const read = (name) => readFileSync(join(root, name), 'utf8');
const { version, license, engines } = JSON.parse(read('package.json'));

/** Parts of the bundle that only an installation of the server needs. What V8 has compiled is of one Node. */
const ofServer = /^(of-server|play-history|verify-worker|table-worker|load-compiled|dropped$)|\.compiled$/;

const bin = `#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(\`switchyard needs Node 20.19 or later; this is \${process.versions.node}.\`);
  process.exit(1);
}
const { main } = await import('../bundle/index.js');
process.exitCode = await main(process.argv.slice(2));
setTimeout(() => process.exit(), 1_000).unref();
`;
const noServer = `throw new Error('this command works on the installation itself: run it there, from the image or a checkout');
`;

const folder = mkdtempSync(join(tmpdir(), 'switchyard-pack-'));
try {
  mkdirSync(join(folder, 'apps/cli/bin'), { recursive: true });
  cpSync(join(root, 'apps/cli/bundle'), join(folder, 'apps/cli/bundle'), {
    recursive: true,
    filter: (path) => !ofServer.test(path.split('/').at(-1)),
  });
  writeFileSync(join(folder, 'apps/cli/bundle/of-server.js'), noServer);
  writeFileSync(join(folder, 'apps/cli/bin/switchyard.mjs'), bin);
  chmodSync(join(folder, 'apps/cli/bin/switchyard.mjs'), 0o755);
  for (const name of ['LICENSE', 'NOTICE']) cpSync(join(root, name), join(folder, name));
  writeFileSync(
    join(folder, 'README.md'),
    `# Switchyard\n\nThe command line of Switchyard, for an instance that runs elsewhere:\n\n\`\`\`\nexport SWITCHYARD_TOKEN=...\nswitchyard sellers list --url https://switchyard.agency.example\n\`\`\`\n`,
  );
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify(
      {
        name: '@switchyard/cli',
        version,
        license,
        type: 'module',
        engines,
        bin: { switchyard: 'apps/cli/bin/switchyard.mjs' },
        files: ['apps'],
      },
      undefined,
      2,
    ),
  );
  mkdirSync(resolve(to), { recursive: true });
  const made = execFileSync('npm', ['pack', '--silent', '--pack-destination', resolve(to)], {
    cwd: folder,
    encoding: 'utf8',
  });
  console.log(join(resolve(to), made.trim().split('\n').at(-1)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
