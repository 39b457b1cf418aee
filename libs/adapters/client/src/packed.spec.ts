import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'switchyard-packed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, args: readonly string[]): string {
  const done = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${args.join(' ')}:\n${done.stdout}\n${done.stderr}`);
  return done.stdout;
}

const program = `import { ApiError, SwitchyardClient } from '@switchyard/client';
const client = new SwitchyardClient({ url: process.argv[2] ?? '', token: 'sy_token' });
const names: string[] = [];
for await (const team of client.each('GET /v1/teams', {})) names.push(team.name);
const refused = await client.call('DELETE /v1/teams/{name}', { params: { name: 'x' } }).catch((error: unknown) => error);
console.log(JSON.stringify([names, refused instanceof ApiError && refused.code]));
`;

it('packed by npm, installs into an empty folder, compiles strictly there and reads from a server', async () => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const file = run(process.execPath, [join(root, 'tools/pack-client.mjs'), folder]).trim();
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', file]);
  writeFileSync(join(folder, 'program.ts'), program);
  const node = join(root, 'node_modules/@types');
  run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    ...['program.ts', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--types', 'node'],
    ...['--module', 'nodenext', '--moduleResolution', 'nodenext', '--typeRoots', node],
  ]);
  const server = createServer((request, response) => {
    const [status, body] =
      request.method === 'GET'
        ? [200, { teams: [{ team_id: 'a', name: 'North' }] }]
        : [404, { errors: [{ code: 'NOT_FOUND', message: 'There is no such team.' }] }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    expect(JSON.parse(await output(['program.js', `http://127.0.0.1:${String(port)}`]))).toEqual([
      ['North'],
      'NOT_FOUND',
    ]);
  } finally {
    server.close();
  }
});

async function output(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  await new Promise((resolve) => child.once('close', resolve));
  return text;
}
