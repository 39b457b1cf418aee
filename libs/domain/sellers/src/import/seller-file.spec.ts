import { describe, expect, it } from '@jest/globals';
import { readAdsTxt, readSellerDocument, readSellerTable, type SellerFile } from './seller-file.js';

const now = Date.parse('2026-11-29T00:00:00Z');
const codes = (file: SellerFile | undefined): readonly unknown[] =>
  file?.leftOut.map(({ at, code }) => [at, code]) ?? [];

describe('the configuration of an MCP client', () => {
  it('gives each server over HTTP with its token or pair, also one behind mcp-remote', () => {
    const file = readSellerDocument(
      {
        mcpServers: {
          harbor: {
            type: 'http',
            url: 'https://sales.harbor.example/mcp',
            headers: { Authorization: 'Bearer secret-1' },
          },
          'basic/desk': {
            url: 'https://desk.example/mcp',
            headers: { authorization: `Basic ${Buffer.from('me:secret-2').toString('base64')}` },
          },
          remote: {
            command: 'npx',
            args: [
              '-y',
              'mcp-remote@1.2',
              'https://far.example/mcp',
              '--header',
              'Authorization: Bearer secret-3',
            ],
          },
          open: { serverUrl: 'https://open.example/mcp' },
        },
      },
      now,
    );
    expect(file).toEqual({
      format: 'mcp',
      leftOut: [],
      sellers: [
        {
          at: '/mcpServers/harbor',
          input: 'https://sales.harbor.example/mcp',
          name: 'harbor',
          protocol: 'mcp',
          token: 'secret-1',
        },
        {
          at: '/mcpServers/basic~1desk',
          input: 'https://desk.example/mcp',
          name: 'basic/desk',
          protocol: 'mcp',
          token: 'me:secret-2',
          tokenScheme: 'basic',
        },
        {
          at: '/mcpServers/remote',
          input: 'https://far.example/mcp',
          name: 'remote',
          protocol: 'mcp',
          token: 'secret-3',
        },
        { at: '/mcpServers/open', input: 'https://open.example/mcp', name: 'open', protocol: 'mcp' },
      ],
    });
  });

  it('leaves out what cannot be called as it stands there, and says that a variable is no token', () => {
    const file = readSellerDocument(
      {
        mcpServers: {
          files: { command: 'npx', args: ['-y', 'some-program'] },
          old: { type: 'sse', url: 'https://old.example/sse' },
          keyed: { url: 'https://keyed.example/mcp', headers: { 'X-Api-Key': 'secret-4' } },
          digest: { url: 'https://digest.example/mcp', headers: { Authorization: 'Digest secret-5' } },
          insecure: { url: 'http://plain.example/mcp' },
          nothing: {},
          variable: {
            url: 'https://var.example/mcp',
            headers: { Authorization: 'Bearer ${input:token}' },
          },
        },
      },
      now,
    );
    expect(codes(file)).toEqual([
      ['/mcpServers/files', 'local_process'],
      ['/mcpServers/old', 'older_transport'],
      ['/mcpServers/keyed', 'other_credential'],
      ['/mcpServers/digest', 'other_credential'],
      ['/mcpServers/insecure', 'not_an_address'],
      ['/mcpServers/nothing', 'no_address'],
    ]);
    expect(file?.sellers.map(({ name, token, note }) => [name, token, note])).toEqual([
      ['variable', undefined, expect.stringContaining('variable of the client')],
    ]);
    expect(JSON.stringify(file?.leftOut)).not.toContain('secret');
  });
});

describe('documents of publishers', () => {
  it('name the agents of an adagents.json whose window is not over, each address once', () => {
    const file = readSellerDocument(
      {
        authorized_agents: [
          { url: 'https://sales.harbor.example', authorized_for: 'all', property_ids: ['p1'] },
          { url: 'https://sales.harbor.example', authorized_for: 'again' },
          { url: 'https://gone.example/mcp', authorized_for: 'x', effective_until: '2026-10-31T00:00:00Z' },
          { authorized_for: 'x' },
          7,
        ],
      },
      now,
    );
    expect(file?.sellers).toEqual([{ at: '/authorized_agents/0', input: 'https://sales.harbor.example' }]);
    expect(codes(file)).toEqual([
      ['/authorized_agents/1', 'twice'],
      ['/authorized_agents/2', 'window_over'],
      ['/authorized_agents/3', 'no_address'],
      ['/authorized_agents/4', 'not_readable'],
    ]);
  });

  it('name the domains of a sellers.json that are not confidential', () => {
    const file = readSellerDocument(
      {
        version: 1,
        sellers: [
          { seller_id: '1001', name: 'Harbor Example', domain: 'harbor.example', seller_type: 'PUBLISHER' },
          { seller_id: '1002', is_confidential: 1 },
          { seller_id: '1003', name: 'No domain' },
        ],
      },
      now,
    );
    expect(file?.sellers).toEqual([{ at: '/sellers/0', input: 'harbor.example', name: 'Harbor Example' }]);
    expect(codes(file)).toEqual([
      ['/sellers/1', 'confidential'],
      ['/sellers/2', 'no_address'],
    ]);
  });

  it('name each advertising system of an ads.txt once', () => {
    const text =
      '# ads.txt\nharbor.example, 1001, DIRECT, f08c\nHarbor.example, 1002, RESELLER\ncontact=a@b.example\n';
    expect(readAdsTxt(text)?.sellers).toEqual([{ at: 'line 2', input: 'harbor.example' }]);
    expect(readAdsTxt('name,agent url\nA,https://a.example/mcp\n')).toBeUndefined();
  });

  it('are undefined where a document names no sellers', () => {
    expect([readSellerDocument({ other: [] }, now), readSellerDocument(null, now)]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('a table of sellers', () => {
  it('is read by the names of its columns, whatever their order and spelling', () => {
    const cells = {
      name: 'Harbor Example',
      'Agent URL': 'https://sales.harbor.example/mcp',
      protocol: 'MCP',
      token: 'Bearer secret-1',
      contact: 'ops@harbor.example',
    };
    const pair = { ...cells, 'Agent URL': 'desk.example', token: 'no pair', 'token scheme': 'basic' };
    const file = readSellerTable([
      { row: 1, cells },
      { row: 2, cells: { name: 'Nothing' } },
      { row: 3, cells: pair },
    ]);
    expect(file?.sellers).toEqual([
      {
        at: 'row 1',
        input: 'https://sales.harbor.example/mcp',
        name: 'Harbor Example',
        protocol: 'mcp',
        token: 'secret-1',
      },
    ]);
    expect(codes(file)).toEqual([
      ['row 2', 'no_address'],
      ['row 3', 'other_credential'],
    ]);
  });

  it('is none without a column of addresses or domains', () => {
    expect(readSellerTable([{ row: 1, cells: { amount: '1' } }])).toBeUndefined();
  });
});
