import { mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { commands } from './commands.js';
import { switchyardProgram } from './program.js';
import { run, runAlone } from './testkit/run-command.js';
import { reply, usingInstance } from './testkit/instance.js';

const instance = await usingInstance();
let here: string;
const at = (...args: string[]): string[] => [...args, '--data', instance.dataFolder];

beforeEach(() => {
  here = mkdtempSync(join(tmpdir(), 'switchyard-cwd-'));
  instance.calls.length = 0;
  instance.secrets.length = 0;
  instance.verdict = { ok: true, entries: 2, head: 'abc' };
  instance.sellerState = 'live';
});

const row = (seller: string, items: number) =>
  ({ seller, status: 'answered', reason: 'ok', elapsed_ms: 12, items }) as const;
const merged = {
  products: [
    {
      product_id: 'acme:tea',
      name: 'Tea\u001b[31m time',
      seller: 'acme',
      pricing_options: [{ pricing_option_id: 'p', pricing_model: 'cpm', price: 4.5 }],
    },
  ],
  sellers: [row('acme', 1)],
};

describe('wrong usage', () => {
  it.each([
    ['no command', []],
    ['an unknown command', ['asks', 'tea']],
    ['a missing argument', ['ask']],
    ['an argument too many', ['ask', 'tea', 'please']],
    ['an unknown option', ['ledger', 'spend', '--yaml']],
    [
      'a dialect that does not exist',
      ['sellers', 'add', 'http://x', '--slug', 's', '--protocol', 'mcp', '--dialect', 'smtp'],
    ],
    ['a seller without anything to find it', ['sellers', 'add', '--slug', 's']],
    ['both a folder and an address', ['buys', '--data', 'x', '--url', 'http://127.0.0.1:1']],
    ['a group without its command', ['ledger']],
    ['a time to live that is no number', ['token', '--ttl', 'soon']],
  ])('ends with 2 for %s and leaves standard output empty', async (_what, args) => {
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toBe('');
    expect(stderr).not.toContain('    at ');
  });

  it('is reported as JSON if --json is set', async () => {
    const { code, stdout, stderr } = await runAlone(['custody', 'list', '--outcome', 'lost', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([
      2,
      { errors: [{ code: 'WRONG_USAGE', message: expect.stringContaining('refused, unreachable') }] },
    ]);
    expect(stderr).toContain('--help says how');
  });

  it('does not include a group called with options only: it lists', async () => {
    const [short, long] = [await run(at('custody', '--json')), await run(at('custody', 'list', '--json'))];
    expect(short).toEqual(long);
    expect(short.code).not.toBe(2);
    expect((await run(['custody', '--help'])).stdout).toContain('Commands:');
  });

  it.each([['--help'], ['help']])('ends with 0 for %s', async (word) => {
    const { code, stdout } = await run([word]);
    expect(code).toBe(0);
    for (const name of ['ask', 'buy', 'buys', 'sellers', 'ledger', 'token', 'credentials']) {
      expect(stdout).toContain(name);
    }
  });
});

describe('the order of options', () => {
  it('does not matter for global options: they may come before the command', async () => {
    const after = await run(at('sellers', 'list', '--json'));
    const before = await run(['--json', `--data=${instance.dataFolder}`, 'sellers', 'list']);
    const apart = await run(['--data', instance.dataFolder, '--json', 'sellers', 'list']);
    expect(after.code).toBe(0);
    expect([before, apart]).toEqual([after, after]);
    expect((await run(['--json', 'nothing'])).code).toBe(2);
    expect((await run(['--data'])).code).toBe(2);
  });

  it('does not matter for any command: no option takes the argument after its value', () => {
    const variadic = everyCommand().flatMap((command) =>
      command.options
        .filter((option) => option.variadic)
        .map(({ long }) => `${command.name()} ${long ?? ''}`),
    );
    expect(variadic).toEqual([]);
  });

  it('allows a brief after its channels', async () => {
    instance.answerWith(() => reply(merged));
    const { code } = await run(at('ask', '--channel', 'olv', '--channel', 'display', 'tea'));
    expect([code, instance.calls.length]).toEqual([0, 1]);
    expect(JSON.stringify(instance.calls[0])).toContain('["olv","display"]');
  });

  it.each([[['a=1', 'a=2']], [['a']], [['=1']]])(
    'takes each client code once, as NAME=VALUE: not %j',
    async (codes) => {
      const { code } = await run(at('clients', 'add', 'Nova', ...codes.flatMap((text) => ['--code', text])));
      expect(code).toBe(2);
    },
  );
});

describe('the version', () => {
  it('is printed without other text', async () => {
    expect(await runAlone(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });
});

describe('finding the running server', () => {
  it('finds the server of the current folder and creates a token with its admin secret', async () => {
    mkdirSync(join(here, '.data'));
    for (const name of ['instance.json', 'admin.secret']) {
      writeFileSync(join(here, '.data', name), await readBack(name));
    }
    const { code, stdout } = await run(['ledger', 'spend', '--json'], { cwd: here });
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      [{ seller: 'acme', currency: 'USD', spend: '12.500001' }],
    ]);
  });

  it('says how to start a server when none runs', async () => {
    const { code, stdout, stderr } = await run(['buys'], { cwd: here });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(join(here, '.data'));
    expect(stderr).toContain('npx switchyard up');
  });

  it('prints the reason as JSON if --json is set', async () => {
    const { code, stdout } = await run(['buys', '--json'], { cwd: here });
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { errors: [{ code: 'COMMAND_FAILED', suggestion: expect.stringContaining('npx') }] },
    ]);
  });

  it('says that the server has ended when its process is gone', async () => {
    mkdirSync(join(here, '.data'));
    writeFileSync(join(here, '.data/instance.json'), '{"pid": 4194303, "url": "http://127.0.0.1:1"}');
    const { code, stderr } = await run(['buys'], { cwd: here });
    expect(code).toBe(1);
    expect(stderr).toContain('no longer running');
  });

  it('accepts an address and a token instead, also from the environment', async () => {
    const given = await run(['ledger', 'verify', '--json', '--url', instance.url, '--token', instance.token]);
    expect([given.code, JSON.parse(given.stdout)]).toEqual([0, { ok: true, entries: 2, head: 'abc' }]);
    const env = { SWITCHYARD_TOKEN: instance.token };
    expect((await run(['ledger', 'verify', '--url', `${instance.url}/`], { env })).code).toBe(0);
  });

  it('says that nothing answers at the address', async () => {
    const { code, stderr } = await run(['buys', '--url', 'http://127.0.0.1:1', '--token', 'x']);
    expect(code).toBe(1);
    expect(stderr).toContain('Nothing answers at http://127.0.0.1:1 (ECONNREFUSED)');
  });

  it.each([
    ['a wrong token', ['--token', `sy_${'x'.repeat(43)}`], 'AUTH_INVALID'],
    ['no token', [], 'AUTH_REQUIRED'],
  ])('says how to resolve %s', async (_what, more, code) => {
    const ran = await run(['buys', '--url', instance.url, ...more]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(code);
    expect(ran.stderr).toContain('npx switchyard token');
  });

  it('says that another program answers', async () => {
    const other = createServer((_request, response) => response.end('<html>hello</html>'));
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await run(['buys', '--url', `http://127.0.0.1:${port}`, '--token', 'x']);
    expect(code).toBe(1);
    expect(stderr).toContain('is not Switchyard');
    other.close();
  });
});

describe('ask', () => {
  beforeEach(() => {
    instance.answerWith((call) => {
      call.onSeller?.(row('acme', 1), 1, 2);
      call.onSeller?.({ ...row('globex', 0), status: 'slow', reason: 'too late' }, 2, 2);
      return reply(merged);
    });
  });

  it('prints only the merged answer with --json, and each seller’s progress on standard error', async () => {
    const { code, stdout, stderr } = await run(at('ask', 'tea lovers', '--json'));
    expect([code, JSON.parse(stdout)]).toEqual([0, merged]);
    expect(stderr.trim().split('\n')).toHaveLength(2);
    expect(stderr).toMatch(/\[1\/2\].*acme.*answered/);
    expect(stderr).toMatch(/\[2\/2\].*globex.*slow.*too late/);
    expect(instance.calls[0]).toMatchObject({ task: 'get_products', args: { brief: 'tea lovers' } });
  });

  it('prints a readable table, without a seller’s terminal escape sequences', async () => {
    const { stdout } = await run(at('ask', 'tea'));
    expect(stdout).toMatch(/acme:tea\s+Tea\[31m time\s+p\s+USD 4.5 cpm/);
    expect(stdout).not.toContain('\u001b[31m');
  });

  it('ends with 1 when no seller answered', async () => {
    const sellers = [{ ...row('acme', 0), status: 'slow', reason: 'too late' }];
    instance.answerWith(() => reply({ products: [], sellers }));
    const { code, stderr } = await run(at('ask', 'tea'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('No seller answered.')]);
  });

  it('waits for sellers as long as --timeout says', async () => {
    await run(at('ask', 'tea', '--timeout', '3'));
    expect(instance.calls[0]).toMatchObject({ args: { time_budget: { interval: 3, unit: 'seconds' } } });
    expect((await run(at('ask', 'tea', '--timeout', 'soon'))).code).toBe(2);
  });

  it('ends with 1 and the reason when the task failed', async () => {
    const errors = [{ code: 'VALIDATION_ERROR', message: 'The brief is empty.', field: 'brief' }];
    instance.answerWith(() => reply({ errors }, { isError: true, httpStatus: 422, errors }));
    const { code, stdout, stderr } = await run(at('ask', '', '--json'));
    expect([code, JSON.parse(stdout)]).toEqual([1, { errors }]);
    expect(stderr).toContain('The brief is empty. (VALIDATION_ERROR, at brief)');
  });
});

describe('buy', () => {
  it('ends with 1 and names the seller that refused its part, beside the buy that was made', async () => {
    const refusal = { ...row('globex', 0), status: 'refused', reason: 'Budget below the minimum.' };
    instance.answerWith(() =>
      reply({ media_buy_id: 'mb_1', status: 'active', sellers: [row('acme', 1), refusal] }),
    );
    const file = join(here, 'buy.json');
    writeFileSync(file, '{"packages": []}');
    const { code, stdout, stderr } = await run(at('buy', file));
    expect([code, stderr]).toEqual([1, 'globex refused: Budget below the minimum.\n']);
    expect(stdout).toContain('Media buy mb_1: active');
  });

  it('sends the file unchanged, numbers included', async () => {
    const file = join(here, 'buy.json');
    writeFileSync(file, '{"packages": [{"budget": 0.1000000000000000055}]}');
    instance.answerWith(() => reply({ media_buy_id: 'mb_1', status: 'active' }));
    const { code, stdout } = await run(at('buy', file, '--json'));
    expect([code, JSON.parse(stdout)]).toEqual([0, { media_buy_id: 'mb_1', status: 'active' }]);
    expect([...(instance.calls[0]?.exact ?? [])]).toEqual([['/packages/0/budget', '0.1000000000000000055']]);
  });

  it('with --dry-run prints what the request would do, and sends no task', async () => {
    const file = join(here, 'buy.json');
    writeFileSync(file, '{"packages": []}');
    const { code, stdout } = await run(at('buy', file, '--dry-run'));
    expect([code, stdout.trim().split('\n')]).toEqual([
      0,
      [
        'The buy would wait for an internal approval. Total: 2500 USD.',
        'A buy above 2000 USD needs an internal approval.',
        'Campaign: none',
        'acme: ok, 2500 USD',
        'Limit each-buy: exceeded',
      ],
    ]);
    expect(instance.calls).toHaveLength(0);
  });

  it.each([
    ['is not there', undefined, 'there is no such file'],
    ['is not JSON', '{"a":', 'not usable JSON'],
    ['names a member twice', '{"a":1,"a":2}', 'occurs twice'],
    ['holds no object', '[1]', 'no JSON object'],
  ])('says what is wrong with a file that %s, and sends nothing', async (_what, content, reason) => {
    const file = join(here, 'buy.json');
    if (content !== undefined) writeFileSync(file, content);
    const { code, stderr } = await run(at('buy', file));
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
    expect(instance.calls).toHaveLength(0);
  });
});

describe('a list', () => {
  it('accepts --all for every noun', () => {
    const lists = everyCommand().filter((command) => ['list', 'buys'].includes(command.name()));
    const without = lists.filter(({ options }) => !options.some(({ long }) => long === '--all'));
    expect([lists.length > 20, without.map((command) => command.parent?.name())]).toEqual([true, []]);
  });

  it('prints an array of rows with --json --all, even if --json alone prints an object', async () => {
    const limit = expect.objectContaining({
      limit: '50000',
      committed: '29900.5',
      pending: '0',
      left: '20099.5',
    });
    const page = await run(at('limits', 'list', '--json'));
    expect([JSON.parse(page.stdout), page.stderr]).toEqual([{ limits: [limit], next_cursor: 'more' }, '']);
    const all = await run(at('limits', 'list', '--json', '--all'));
    expect([JSON.parse(all.stdout), all.stderr]).toEqual([[limit, limit], '']);
  });

  it('of entries names the month before which entries are archived', async () => {
    const { code, stdout, stderr } = await run(at('ledger', 'entries', 'mb_1'));
    expect([code, stderr, stdout]).toEqual([0, '', expect.stringContaining('before 2025-01 are archived')]);
  });

  it('prints how to get the next page beside the JSON of a page', async () => {
    const page = await run(at('buys', '--json', '--limit', '1'));
    expect([JSON.parse(page.stdout), page.stderr]).toEqual([
      [expect.objectContaining({ media_buy_id: 'mb_1' })],
      'More rows: add --cursor more, or --all.\n',
    ]);
    expect(JSON.parse((await run(at('buys', '--json', '--all'))).stdout)).toHaveLength(1);
  });
});

describe('the other commands', () => {
  it('prints the four members of a token', async () => {
    const { code, stdout } = await run(at('token', '--json'));
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        url: instance.url,
        mcp_url: `${instance.url}/mcp`,
        a2a_url: `${instance.url}/a2a`,
        token: instance.token,
      },
    ]);
  });

  it.each([
    ['buys', [expect.objectContaining({ media_buy_id: 'mb_1' })]],
    ['sellers list', []],
    ['credentials list', []],
  ])('prints only a list for %s --json', async (command, expected) => {
    const { code, stdout, stderr } = await run(at(...command.split(' '), '--json'));
    expect([code, JSON.parse(stdout), stderr]).toEqual([0, expected, '']);
  });

  it('says that a media buy does not exist', async () => {
    const { code, stdout, stderr } = await run(at('buys', 'show', 'mb_9', '--json'));
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { errors: [{ code: 'NOT_FOUND' }] }]);
    expect(stderr).toContain('There is no such media buy. (NOT_FOUND, at id)');
  });

  it('prints no head for a ledger without entries', async () => {
    instance.verdict = { ok: true, entries: 0, head: '' };
    expect((await run(at('ledger', 'verify'))).stdout).toBe('The ledger is intact: 0 entries.\n');
  });

  it('ends with 1 when the ledger fails verification', async () => {
    instance.verdict = { ok: false, entries: 2, head: 'abc', reason: 'block 2 was changed' };
    const { code, stdout, stderr } = await run(at('ledger', 'verify', '--json'));
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { ok: false, entries: 2, head: 'abc' }]);
    expect(stderr).toContain('block 2 was changed');
  });

  it('names the problems of a ledger that fails verification, and counts those over the limit', async () => {
    const problems = [
      { code: 'chain', message: 'block 2 was changed', at: '2' },
      { code: 'sum', message: 'one balance is off', at: 'acme EUR' },
    ];
    const verdict = { ok: false, entries: 2, head: 'abc', reason: 'block 2 was changed' };
    instance.verdict = { ...verdict, problems, problem_total: 5 };
    const shown = await run(at('ledger', 'verify'));
    expect([shown.code, shown.stdout]).toEqual([
      1,
      'chain at 2: block 2 was changed\nsum at acme EUR: one balance is off\nand 3 more\n',
    ]);
    const received = await run(at('ledger', 'verify', '--json'));
    expect(JSON.parse(received.stdout)).toEqual({ ...verdict, problems, problem_total: 5 });
  });

  const add = [
    'sellers',
    'add',
    'http://127.0.0.1:9/mcp',
    '--slug',
    'acme',
    '--protocol',
    'mcp',
    '--dialect',
    'ads',
  ];

  it('reads the token of a seller from standard input and never shows it', async () => {
    const ran = await run(at(...add, '--token-stdin', '--json'), { input: 'seller-token\n' });
    expect([ran.code, instance.secrets]).toEqual([0, ['seller-token']]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ slug: 'acme', state: 'live' });
    expect(ran.stdout + ran.stderr).not.toContain('seller-token');
  });

  it('ends with 1 and the reason when a seller is not live', async () => {
    instance.sellerState = 'failed';
    const { code, stderr } = await run(at(...add));
    expect(code).toBe(1);
    expect(stderr).toContain('acme is not live: nobody answers[2J there');
    expect(stderr).not.toContain('\u001b');
  });

  it('names the sellers of an import that are not live', async () => {
    const seller = { agent_url: 'http://127.0.0.1:9/mcp', protocol: 'mcp', dialect: 'ads' };
    const file = join(here, 'sellers.json');
    writeFileSync(
      file,
      JSON.stringify([
        { ...seller, slug: 'acme' },
        { ...seller, slug: 'dead' },
      ]),
    );
    const { code, stdout, stderr } = await run(at('sellers', 'import', file, '--json'));
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual([
      { slug: 'acme', state: 'live' },
      { slug: 'dead', state: 'failed', reason: 'unreachable' },
    ]);
    expect(stderr).toContain('dead: unreachable');
    writeFileSync(file, JSON.stringify([{ ...seller, slug: 'acme' }]));
    expect((await run(at('sellers', 'import', file))).code).toBe(0);
  });

  it('lists Switchyard’s signing keys, and rotates one to a key service on request', async () => {
    const listed = await run(at('keys', 'list', '--json'));
    expect([listed.code, JSON.parse(listed.stdout)]).toMatchObject([0, [{ kid: 'k1', state: 'live' }]]);
    const rotated = await run(at('keys', 'rotate', '--kms-key', 'arn:aws:kms:x', '--json'));
    expect([rotated.code, JSON.parse(rotated.stdout)]).toMatchObject([
      0,
      { kid: 'k2', state: 'published', kms_key_id: 'arn:aws:kms:x' },
    ]);
    const nobody = await run(at('keys', 'rotate', '--principal', 'nobody'));
    expect([nobody.code, nobody.stderr]).toMatchObject([
      1,
      expect.stringContaining('There is no principal with this name'),
    ]);
  });

  it('rotates with the secret from standard input and refuses an empty secret', async () => {
    const good = await run(at('credentials', 'rotate', 'c1'), { input: 'new-one' });
    expect([good.code, instance.secrets]).toEqual([0, ['new-one']]);
    const bad = await run(at('credentials', 'rotate', 'c1'), { input: '\n' });
    expect([bad.code, bad.stderr]).toMatchObject([1, expect.stringContaining('No secret was given')]);
    expect((await run(at('credentials', 'rewrap'))).stdout).toContain('3 records rewrapped with k2');
  });
});

describe('the data folder', () => {
  it('lets only its owner read the admin secret', () => {
    expect(statSync(join(instance.dataFolder, 'admin.secret')).mode & 0o777).toBe(0o600);
  });
});

async function readBack(name: string): Promise<Buffer> {
  const { readFile } = await import('node:fs/promises');
  return readFile(join(instance.dataFolder, name));
}

/** Every command of the program, with the groups that commands stand in. */
function everyCommand(): readonly Command[] {
  const nowhere = new PassThrough();
  const deps = {
    ...{ stdout: nowhere, stderr: nowhere, stdin: nowhere },
    ...{ env: {}, cwd: here, color: false, layout: {} },
  };
  const within = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(within)];
  return within(switchyardProgram({ ...deps, exitWith: () => undefined }, commands));
}
