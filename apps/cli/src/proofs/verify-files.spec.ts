import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createEntry } from '@switchyard/ledger';
import type { CustodyRecord } from '@switchyard/relay';
import {
  generateSigningKey,
  publicJwk,
  requestProfile,
  signRequest,
  verifySignature,
  memoryReplayStore,
  noRevocations,
} from '@switchyard/signing';
import { must, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import {
  besideOf,
  custodyChain,
  custodyText,
  ledgerText,
  proofSigner,
  sealed,
  sha256,
  signedStatement,
  spendEntry,
  statementOf,
  written,
} from '../testkit/signed-files.js';
import type { SignerOptions } from './signer-options.js';
import { verifyFiles } from './verify-files.js';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-proofs-'));
const deps = { cwd: folder } as CliDeps;
afterAll(() => rmSync(folder, { recursive: true }));

const agency = proofSigner('agency.example');
/** Somebody who names the agency in documents of their own. */
const attacker = proofSigner('attacker.example', 'k1');

const jwks = written(folder, 'jwks.json', agency.keySet);

interface Result {
  readonly exit: number;
  readonly text: string;
  readonly json: JsonObject;
}

async function run(files: readonly string[], options: SignerOptions = {}): Promise<Result> {
  const outcome = await verifyFiles(deps, files, { data: 'data', ...options });
  if (!outcome.ok) return { exit: 1, text: outcome.error.message, json: {} };
  const { json, text, failed, exit = 0 } = outcome.value;
  return { exit: failed === undefined ? exit : 1, text: failed ?? text, json: json as JsonObject };
}

const entries = [spendEntry(1, 'acme', 'mb_1', 1_500_000n), spendEntry(2, 'acme', 'mb_1', 500_000n)];
const ledger = sealed(
  'ledger:o',
  entries.map((entry) => [entry]),
);
const lines = [{ seller: 'acme', buy: 'mb_1', micros: 2_000_000n }];
const statement = statementOf('agency.example', lines, ledger.head);

describe('a statement', () => {
  it('that anybody signed in the name of an organization is consistent, and never valid', async () => {
    const file = written(folder, 'forged.json', signedStatement(attacker, statement));
    const alone = await run([file]);
    expect([alone.exit, alone.json['verdict'], alone.json['ok']]).toEqual([3, 'consistent', false]);
    expect(alone.text).toContain('consistent, signer unknown');
    const theirs = written(folder, 'theirs.json', attacker.keySet);
    for (const options of [{ jwks }, { jwks: theirs }, { fingerprint: agency.fingerprint }])
      expect(await run([file], options)).toMatchObject({ exit: 3, json: { verdict: 'consistent' } });
    expect((await run([file], { jwks: theirs })).text).toContain(
      'Its key belongs to attacker.example, and not to agency.example.',
    );
  });

  it('is valid with the key set or the fingerprint of its organization, and says how the signer was found', async () => {
    const file = written(folder, 'statement.json', signedStatement(agency, statement));
    expect((await run([file])).exit).toBe(3);
    expect(await run([file], { jwks })).toMatchObject({
      exit: 0,
      json: { verdict: 'valid', signer: { organization: 'agency.example', found: 'key set' } },
    });
    expect(await run([file], { fingerprint: agency.fingerprint })).toMatchObject({
      exit: 0,
      json: { signer: { found: 'fingerprint' } },
    });
  });

  it('is not valid by a key for requests, nor by one of an organization that only claims its domain', async () => {
    const file = written(folder, 'statement.json', signedStatement(agency, statement));
    for (const owner of [
      { organization: 'agency.example', signs: ['requests'] },
      { signs: ['proofs'] },
      'agency.example',
    ]) {
      const set = written(folder, 'other.json', { keys: [{ ...agency.key, switchyard: owner }] });
      expect((await run([file], { jwks: set })).exit).toBe(3);
    }
  });

  it('is invalid once it is changed, whoever signed', async () => {
    const signed = signedStatement(agency, statement);
    const file = written(folder, 'changed.json', {
      ...signed,
      statement: { ...statement, period: '2026-08' },
    });
    expect(await run([file], { jwks })).toMatchObject({ exit: 1, json: { verdict: 'invalid' } });
  });

  it('keeps the fingerprint of a key that was found before, and says when another key signs', async () => {
    const file = written(folder, 'statement.json', signedStatement(agency, statement));
    const stored = { 'agency.example': { [agency.fingerprint]: '2026-10-01T00:00:00.000Z' } };
    written(folder, 'signers.json', stored);
    expect(await run([file], { data: '.' })).toMatchObject({
      exit: 0,
      json: { signer: { found: 'stored' } },
    });
    const other = written(folder, 'other.json', signedStatement(attacker, statement));
    const changed = await run([other], { data: '.' });
    expect([changed.exit, changed.text]).toEqual([
      3,
      expect.stringContaining('another key than the one that is stored'),
    ]);
    expect(JSON.parse(readFileSync(join(folder, 'signers.json'), 'utf8'))).toEqual(stored);
  });

  it('names no address that is read unless it is asked for, and refuses one on this machine', async () => {
    const local = statementOf('localhost', lines, ledger.head);
    const file = written(folder, 'local.json', signedStatement(agency, local));
    expect((await run([file], { fetch: true })).text).toContain(
      'localhost is no domain that publishes keys.',
    );
  });
});

describe('an address in --jwks', () => {
  let server: Server;
  let answer: (path: string) => { readonly status: number; readonly body: string };
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { status, body } = answer(request.url ?? '');
      response.writeHead(status, { location: '/jwks.json' }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  const url = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

  it('is read once and within limits: no redirect is followed, and no large answer taken', async () => {
    const file = written(folder, 'statement.json', signedStatement(agency, statement));
    answer = () => ({ status: 200, body: JSON.stringify(agency.keySet) });
    expect((await run([file], { jwks: url('/jwks.json') })).exit).toBe(0);
    answer = (path) =>
      path === '/jwks.json'
        ? { status: 200, body: JSON.stringify(agency.keySet) }
        : { status: 302, body: '' };
    expect((await run([file], { jwks: url('/moved') })).text).toContain('redirect_refused');
    answer = () => ({ status: 200, body: ' '.repeat(5_000_000) });
    expect((await run([file], { jwks: url('/large') })).text).toContain('too_large');
  });
});

describe('an export of a ledger', () => {
  const exported = (signer = agency, more: JsonObject = {}) =>
    ledgerText({ ...ledger, beside: besideOf(signer, ledger.head, 'agency.example', more) });

  it('is valid under a head that its organization signed, and consistent under another or none', async () => {
    const file = written(folder, 'ledger.json', await exported());
    expect(await run([file], { jwks })).toMatchObject({
      exit: 0,
      json: { verdict: 'valid', entries: 2, signer: { organization: 'agency.example' } },
    });
    expect((await run([written(folder, 'forged.json', await exported(attacker))], { jwks })).exit).toBe(3);
    const formatted = JSON.stringify(JSON.parse(await exported()), null, 2);
    expect((await run([written(folder, 'formatted.json', formatted)], { jwks })).exit).toBe(0);
    const old = await run([written(folder, 'old.json', await ledgerText(ledger))], { jwks });
    expect([old.exit, old.text]).toEqual([3, expect.stringContaining('consistent, signer unknown')]);
  });

  it('is consistent if blocks follow the newest head of a known signer, and invalid if the head is not in it', async () => {
    const longer = sealed(
      'ledger:o',
      [...entries, spendEntry(3, 'acme', 'mb_1', 1n)].map((entry) => [entry]),
    );
    const beside = besideOf(agency, ledger.head, 'agency.example');
    const after = await run([written(folder, 'after.json', await ledgerText({ ...longer, beside }))], {
      jwks,
    });
    expect([after.exit, after.text]).toEqual([
      3,
      expect.stringContaining('up to 2 alone, and the chain has 3'),
    ]);
    const rewritten = sealed('ledger:o', [[entries[0]!], [spendEntry(2, 'acme', 'mb_1', 9n)]]);
    const file = written(folder, 'rewritten.json', await ledgerText({ ...rewritten, beside }));
    expect(await run([file], { jwks })).toMatchObject({ exit: 1, json: { code: 'anchor_mismatch' } });
  });

  it('is invalid if the keys of sellers in it are not those that were signed with its head', async () => {
    const keys = [{ sender: 'https://s.example', keyid: 's1', jwk: { kty: 'OKP', x: 'a' } }];
    const file = written(folder, 'keys.json', await exported(agency, { keys }));
    expect((await run([file], { jwks })).exit).toBe(0);
    const forged = (await exported(agency, { keys })).replace('"x":"a"', '"x":"b"');
    expect((await run([written(folder, 'keys.json', forged)], { jwks })).exit).toBe(1);
  });

  it('carries a statement: its lines must be the sums of the entries, and its head in the chain', async () => {
    const file = written(folder, 'ledger.json', await exported());
    const good = written(folder, 'statement.json', signedStatement(agency, statement));
    const both = await run([good, file], { jwks });
    expect([both.exit, both.text]).toEqual([
      0,
      expect.stringContaining('Its lines are the sums of the entries'),
    ]);
    const more = statementOf('agency.example', [{ ...lines[0]!, micros: 2_000_001n }], ledger.head);
    const wrong = await run([written(folder, 'more.json', signedStatement(agency, more)), file], { jwks });
    expect([wrong.exit, wrong.text]).toEqual([
      1,
      expect.stringContaining('The statement says 2.000001 USD for acme, mb_1, and the ledger 2.'),
    ]);
    const none = statementOf('agency.example', [], ledger.head);
    expect(
      (await run([written(folder, 'none.json', signedStatement(agency, none)), file], { jwks })).exit,
    ).toBe(1);
    const elsewhere = statementOf('agency.example', lines, { number: 2n, hash: 'f'.repeat(64) });
    const foreign = await run([written(folder, 'foreign.json', signedStatement(agency, elsewhere)), file], {
      jwks,
    });
    expect([foreign.exit, foreign.text]).toEqual([1, expect.stringContaining('anchor_mismatch')]);
  });

  it('of any size is read line by line, and one that is none is named', async () => {
    const big = Array.from({ length: 100 }, (_, block) =>
      Array.from({ length: 10 }, (__, place) => {
        const id = `00000000-0000-4000-8000-${(block * 10 + place).toString().padStart(12, '0')}`;
        const fixed = { kind: 'observation', operationId: id, mediaBuyId: 'mb_1', seller: 'acme' } as const;
        return must(
          createEntry({ ...fixed, id, occurredAt: 0, postings: [], facts: { note: 'x'.repeat(20_000) } }),
        );
      }),
    );
    const file = written(folder, 'big.json', await ledgerText(sealed('ledger:o', big)));
    expect(await run([file])).toMatchObject({ exit: 3, json: { entries: 1_000 } });
    expect((await run(['nowhere.json'])).text).toBe('nowhere.json: there is no such file.');
    expect((await run([written(folder, 'other.json', { format: 'another' })])).text).toContain(
      'no statement',
    );
  });

  it('counts the messages whose bytes are present, and finds those that were changed', async () => {
    const file = written(folder, 'ledger.json', await exported());
    const row = (number: number, body = `message ${number}`): string =>
      JSON.stringify({
        event_id: `e${number}`,
        body_sha256: sha256(`message ${number}`),
        body_base64: Buffer.from(body).toString('base64'),
      });
    const messages = (...rows: readonly string[]): string =>
      written(folder, 'messages.json', `{"messages":[\n${rows.join(',\n')}\n]}\n`);
    expect((await run([file, messages(row(1))], { jwks })).json).toMatchObject({
      verdict: 'valid',
      files: [{}, { messages: { named: 2, proven: 1, changed: [] } }],
    });
    expect(await run([file, messages(row(1), row(2, 'forged'))], { jwks })).toMatchObject({
      exit: 1,
      text: expect.stringContaining('Changed since they were received: e2.'),
    });
    written(folder, 'messages.json', `{"messages":[\n${row(1)}`);
    expect((await run([file, 'messages.json'])).exit).toBe(1);
  });
});

describe('a webhook of a seller in exported messages', () => {
  const seller = generateSigningKey('s1');
  const published = publicJwk(seller, ['ads_use'], 'webhook-signing');
  const names = { requestTag: '', webhookTag: 'ads/webhook-signing/v1', useMember: 'ads_use' };
  const url = 'https://us.example/webhooks/r1';
  const body = Buffer.from('{"a":1}');
  const received = Date.UTC(2026, 8, 10);
  const signed = signRequest({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body,
    keyid: seller.kid,
    alg: seller.alg,
    privateKey: seller.privateKey,
    tag: names.webhookTag,
    created: received / 1_000,
    expires: received / 1_000 + 300,
    nonce: 'nonce-of-sixteen-bytes',
  });
  const messageOf = (keys: readonly JsonObject[], of = body): JsonObject => ({
    event_id: 'e1',
    sender: 'https://s.example',
    keyid: 's1',
    operation_id: 'o1',
    received_at: new Date(received).toISOString(),
    body_sha256: sha256(of.toString()),
    body_base64: of.toString('base64'),
    request: {
      method: 'POST',
      url,
      headers: Object.entries({ host: 'us.example', 'content-type': 'application/json', ...signed }),
    },
    keys: [...keys],
  });
  const message = (keys: readonly JsonObject[], of = body): string =>
    `{"messages":[\n${JSON.stringify(messageOf(keys, of))}\n]}\n`;
  const verified = async (text: string, ledgerFile?: string) => {
    const files = [...(ledgerFile === undefined ? [] : [ledgerFile]), written(folder, 'webhook.json', text)];
    return run(files, { jwks });
  };

  const ledgerWith = async (...keys: readonly JsonObject[]): Promise<string> => {
    const rows = keys.map((jwk) => ({ sender: 'https://s.example', keyid: 's1', jwk }));
    const beside = besideOf(agency, ledger.head, 'agency.example', { keys: rows });
    return written(folder, 'ledger.json', await ledgerText({ ...ledger, beside }));
  };
  const other = publicJwk(generateSigningKey('s1'), ['ads_use'], 'webhook-signing');

  it('verifies offline, years later, with the key that its seller published then', async () => {
    const found = await verified(message([]), await ledgerWith(published));
    expect([found.exit, found.json]).toMatchObject([0, { files: [{}, { messages: { signed: 1 } }] }]);
    // A seller that used one key id for two keys.
    expect((await verified(message([]), await ledgerWith(other, published))).exit).toBe(0);
    const changed = await verified(message([], Buffer.from('{"a":2}')), await ledgerWith(published));
    expect([changed.exit, changed.text]).toEqual([1, expect.stringContaining('Not signed by the key')]);
  });

  it('does not verify with a key that only its own file names, if the ledger names another', async () => {
    expect((await verified(message([published]), await ledgerWith(other))).exit).toBe(1);
  });

  it('is consistent, signer unknown, without a valid ledger: anybody may have signed it', async () => {
    const alone = await verified(message([published]));
    expect(alone).toMatchObject({ exit: 3, json: { verdict: 'consistent', messages: { signed: 1 } } });
    expect(await verified(message([other]))).toMatchObject({
      exit: 1,
      json: { messages: { forged: ['e1'] } },
    });
    expect(await verified(message([]))).toMatchObject({ exit: 3, json: { messages: { signed: 0 } } });
  });

  it('verifies in an export of custody with the keys beside the chain, and is a fault there where it was changed', async () => {
    const record: CustodyRecord = {
      ...{ id: 'r1', way: 'resigned', principalId: 'p', principal: 'brand', seller: 'acme' },
      ...{ operationId: 'o1', outcome: 'answered' },
      arrived: { at: received, bodyHash: sha256('{}'), bytes: 2, steps: [] },
    };
    const chain = custodyChain([record]);
    const inChain = async (jwk: JsonObject, ...messages: readonly JsonObject[]) => {
      const keys = [{ sender: 'https://s.example', keyid: 's1', jwk }];
      const beside = besideOf(agency, chain.head, 'agency.example', { keys });
      const text = await custodyText({ ...chain, beside, messages });
      return run([written(folder, 'custody.json', text)], { jwks });
    };
    const about = { ...messageOf([]), operation_id: 'another' };
    expect(await inChain(published, messageOf([]), about)).toMatchObject({
      exit: 0,
      text: expect.stringContaining('It holds 2 messages of sellers, 1 about operations'),
      json: { verdict: 'valid', messages: { sent: 2, named: 1, signed: 2, changed: [], forged: [] } },
    });
    const changed = { ...messageOf([]), body_base64: Buffer.from('{"a":2}').toString('base64') };
    for (const [jwk, sent] of [
      [other, messageOf([published])],
      [published, changed],
    ] as const)
      expect(await inChain(jwk, sent)).toMatchObject({ exit: 1, json: { messages: { forged: ['e1'] } } });
  });
});

describe('an export of custody', () => {
  const brand = generateSigningKey('b1');
  const published = publicJwk(brand, ['ads_use']);
  const names = { requestTag: 'ads/request-signing/v1', webhookTag: '', useMember: 'ads_use' };
  const body = Buffer.from('{"tool":"create_media_buy"}');
  const url = 'https://seller.example/mcp';
  let record: CustodyRecord;

  beforeAll(async () => {
    const content = { 'content-type': 'application/json' };
    const created = Date.UTC(2026, 8, 1) / 1_000;
    const signature = signRequest({
      method: 'POST',
      url,
      headers: content,
      body,
      keyid: brand.kid,
      alg: brand.alg,
      privateKey: brand.privateKey,
      tag: names.requestTag,
      created,
      expires: created + 300,
      nonce: 'nonce-of-sixteen-bytes',
    });
    const headers = { host: 'seller.example', ...content, ...signature };
    const verdict = await verifySignature(
      { method: 'POST', url, headers: Object.entries<string>(headers), body },
      requestProfile(names),
      {
        keys: { resolve: () => Promise.resolve(ok({ jwk: published, agentUrl: 'https://brand.example' })) },
        replays: memoryReplayStore(10, () => created * 1_000),
        revocations: noRevocations,
      },
      created * 1_000,
    );
    if (!verdict.ok) throw new Error(verdict.code);
    record = {
      id: 'r1',
      way: 'sealed',
      principalId: 'p',
      principal: 'brand',
      seller: 'acme',
      operationId: entries[0]!.operationId,
      arrived: {
        at: created * 1_000,
        bodyHash: sha256(body.toString()),
        bytes: body.length,
        signature: signature.Signature,
        keyid: 'b1',
        signedBase: verdict.base,
        publicKey: published,
        steps: [],
      },
      outcome: 'answered',
    };
  });

  const exported = async (records: readonly CustodyRecord[], signer = agency): Promise<string> => {
    const chain = custodyChain(records);
    const beside = besideOf(signer, chain.head, 'agency.example');
    return written(folder, 'custody.json', await custodyText({ ...chain, beside }));
  };

  it('that somebody invented is consistent, signer unknown, and never intact without more words', async () => {
    const invented = written(folder, 'invented.json', await custodyText(custodyChain([record])));
    for (const options of [{}, { jwks }])
      expect(await run([invented], options)).toMatchObject({
        exit: 3,
        text: expect.stringContaining('consistent, signer unknown'),
        json: { verdict: 'consistent', ok: false },
      });
    expect(await run([await exported([record], attacker)], { jwks })).toMatchObject({ exit: 3 });
  });

  it('is valid under a signed head, and its records verify with the key that the brand had then', async () => {
    expect(await run([await exported([record])], { jwks })).toMatchObject({
      exit: 0,
      json: { verdict: 'valid', records: 1, signatures: { verified: 1, wrong: 0 } },
    });
  });

  it('is invalid with a signature of another key, text or body in it, even under a signed head', async () => {
    const { arrived } = record;
    const other = publicJwk(generateSigningKey('b1'), ['ads_use']);
    for (const forged of [
      { ...arrived, publicKey: other },
      { ...arrived, signedBase: arrived.signedBase!.replace('seller.example', 'another.example') },
      { ...arrived, bodyHash: sha256('{}') },
    ]) {
      const verdict = await run([await exported([{ ...record, arrived: forged }])], { jwks });
      expect([verdict.exit, verdict.text]).toEqual([1, expect.stringContaining('in the record r1')]);
    }
  });

  it('is held against the ledger: how many of its operations have entries there', async () => {
    const beside = besideOf(agency, ledger.head, 'agency.example');
    const file = written(folder, 'ledger.json', await ledgerText({ ...ledger, beside }));
    const elsewhere = { ...record, id: 'r2', operationId: 'another' };
    expect((await run([await exported([record, elsewhere]), file], { jwks })).json).toMatchObject({
      verdict: 'valid',
      files: [{ kind: 'ledger' }, { kind: 'custody', operations: { named: 2, in_ledger: 1 } }],
    });
  });
});
