import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freePort } from '@switchyard/testing';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { startInstance, type Instance } from './harness/instance.js';
import { plainProduct, plainSeller } from './harness/plain-seller.js';
import { runSwitchyard } from './harness/run-switchyard.js';

const folder = dataFolder();
const servers: Server[] = [];
let instance: Instance;
let added = 0;

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

const answering = async (answer: (response: ServerResponse) => void): Promise<string> =>
  `http://${await listening(createServer((_, response) => answer(response)))}/mcp`;

const status = (code: number) => (response: ServerResponse) => response.writeHead(code).end('{}');

async function add(url: string, protocol: 'mcp' | 'a2a' = 'mcp'): Promise<string> {
  added += 1;
  const options = ['--slug', `seller-${String(added)}`, '--protocol', protocol, '--dialect', 'adcp'];
  const data = ['--token-stdin', '--data', folder.path];
  const { code, stderr } = await runSwitchyard(['sellers', 'add', url, ...options, ...data], 'a-token\n');
  expect(code).toBe(1);
  return stderr;
}

beforeAll(async () => {
  instance = await startInstance(folder.path, ['--no-sandbox', '--port', String(await freePort())]);
  // Required before any seller beyond loopback is tried.
  const owner = new pg.Client(ownerUrlOf(folder.path));
  await owner.connect();
  await owner.query("update organization set domain_proof = 'dns', domain_proved_at = now()");
  await owner.end();
});

afterAll(async () => {
  await instance.kill();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await folder.remove();
});

describe('the reason why a seller is not live', () => {
  it('names an unknown host, and an address that refuses connections', async () => {
    expect(await add('https://no-such-host.invalid/mcp')).toContain(
      'The host name of the seller is unknown.',
    );
    const nobody = `http://127.0.0.1:${String(await freePort())}/mcp`;
    expect(await add(nobody)).toContain("The seller's address refuses connections.");
  });

  it('names the TLS check that failed', async () => {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder.path, name)) as [string, string];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '1',
    ];
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert, '-subj', '/CN=127.0.0.1'], {
      stdio: 'ignore',
    });
    const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) });
    const url = `https://${await listening(server)}/mcp`;
    expect(await add(url)).toContain("The seller's TLS certificate was issued by nobody whom we trust.");
    expect(await add(`https://${await listening(createServer())}/mcp`)).toContain('The TLS connection');
  });

  it.each([
    [401, 'The seller did not accept our credential (401).'],
    [403, 'The seller forbids this call (403).'],
    [404, 'No MCP agent is at this path (404): check the address.'],
    [500, 'The seller answered with an HTTP error (500).'],
  ])('names the status %i', async (code, text) => {
    expect(await add(await answering(status(code)))).toContain(text);
  });

  it.each(['mcp', 'a2a'] as const)('says that the server does not speak %s', async (protocol) => {
    const page = await answering((response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hello</html>'),
    );
    expect(await add(page, protocol)).toContain(
      `What answers at this address does not speak ${protocol.toUpperCase()}.`,
    );
  });

  it('says at once that a seller refuses the replacement of its token', async () => {
    const seller = await plainSeller(() => ({
      json: JSON.stringify({ products: [plainProduct], media_buys: [] }),
    }));
    const options = ['--slug', 'rotating', '--protocol', 'mcp', '--dialect', 'adcp', '--token-stdin'];
    const data = ['--data', folder.path, '--json'];
    const made = await runSwitchyard(['sellers', 'add', seller.agentUrl, ...options, ...data], 'first\n');
    expect(made.code).toBe(0);
    const listed = await runSwitchyard(['credentials', 'list', ...data]);
    const credentials = JSON.parse(listed.stdout) as {
      credential_id: string;
      seller: string;
      kind: string;
    }[];
    const id =
      credentials.find(({ seller: of, kind }) => of === 'rotating' && kind === 'bearer')?.credential_id ?? '';
    const accepted = await runSwitchyard(['credentials', 'rotate', id, ...data], 'second\n');
    expect([accepted.code, JSON.parse(accepted.stdout)]).toMatchObject([0, { seller_check: { ok: true } }]);
    seller.refuseCredentials();
    const refused = await runSwitchyard(['credentials', 'rotate', id, ...data], 'third\n');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('The seller did not accept our credential (401).');
    await seller.close();
  });
});
