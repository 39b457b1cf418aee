import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyCustody } from '@switchyard/relay';
import { openStore, relayLog, type Store } from '@switchyard/store';
import { isWholeMatrix, seededRandom, wholeStream } from '@switchyard/testing';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { ownerView, type OwnerView } from './harness/database.js';
import { startInstance, type Instance } from './harness/instance.js';
import { waitUntil } from './harness/wait-until.js';
import { attack, sendAlone, type Sent } from './relay-hostile/attack.js';
import { bodyFaults } from './relay-hostile/body-faults.js';
import { delegationFaults } from './relay-hostile/delegation-faults.js';
import { forgeOf, type Fault, type Forge } from './relay-hostile/fault.js';
import { headerFaults } from './relay-hostile/header-faults.js';
import { makeHostileWorld, type HostileWorld } from './relay-hostile/hostile-world.js';
import { recordingSeller, type Reached, type RecordingSeller } from './relay-hostile/recording-seller.js';
import { signatureFaults } from './relay-hostile/signature-faults.js';

const seed = Number(process.env['E2E_SEED'] ?? 471_101);
/** `npm run soak` sends two hundred of each. */
const ofEach = Number(process.env['RELAY_HOSTILE_OF_EACH'] ?? (isWholeMatrix ? 50 : 8));
const faults = [...headerFaults, ...signatureFaults, ...bodyFaults, ...delegationFaults];
const chance = seededRandom(seed);
const marker = `hush-${String(seed)}-`;
const folder = dataFolder();
const rates = Object.fromEntries(
  ['READS', 'WRITES', 'PUBLIC', 'FAILURES'].map((name) => [`SWITCHYARD_RATE_${name}`, '100000/1000000']),
);

let instance: Instance;
let seller: RecordingSeller;
let database: OwnerView;
let store: Store;
let world: HostileWorld;
let forge: Forge;
let port: number;
/** Requests that were relayed a moment ago, for replays. */
let settled: readonly Sent[] = [];
const sent: Sent[] = [];

beforeAll(async () => {
  seller = await recordingSeller();
  instance = await startInstance(folder.path, ['--no-sandbox'], rates);
  port = Number(new URL(instance.url).port);
  database = await ownerView(folder.path);
  store = openStore(ownerUrlOf(folder.path));
  const [local] = await database.rows<{ id: string }>(`select id from organization where slug = 'local'`);
  world = await makeHostileWorld(store, local?.id ?? '', seller.origin, seller.revoke);
  forge = forgeOf(world, chance, instance.url, marker, () => chance.pick(settled).message);
});

afterAll(async () => {
  await store.close();
  await database.close();
  await instance.stop();
  await seller.close();
  await folder.remove();
});

describe(`hostile requests to the relay (E2E_SEED=${String(seed)})`, () => {
  it('are each refused with the code of their one fault, while valid ones pass', async () => {
    const began = Date.now();
    sent.push(await spend(4000));
    const jobs = shuffled(faults.flatMap((fault) => Array<Fault>(ofEach).fill(fault)));
    // In small groups, so that earlier requests are still in the nonce store when the last one repeats them.
    for (let from = 0; from < jobs.length; from += 1000) {
      const honest = await attack(Array<'honest'>(40).fill('honest'), forge, port, 8);
      sent.push(...honest);
      await waitUntil('the honest ones are sealed', () => areSealed(honest));
      settled = honest;
      const wave = jobs
        .slice(from, from + 1000)
        .flatMap((job, at) => (at % 25 === 0 ? [job, 'honest' as const] : [job]));
      sent.push(...(await attack(wave, forge, port, 24)));
    }
    // Up to the last micro of the budget.
    sent.push(await spend(5999.9999));
    process.stderr.write(
      `relay-hostile: seed ${String(seed)}, ${String(Date.now() - began)} ms\n${countsOf()}\n`,
    );
    const wrong = sent.filter(({ fault, code }) => code !== fault?.code);
    expect(wrong.map(({ fault, code, answer }) => [fault?.name, code, answer.text]).slice(0, 5)).toEqual([]);
    expect(hostile().length).toBeGreaterThanOrEqual(faults.length * ofEach);
  }, 1_800_000);

  it('never reach a seller, and valid ones arrive once and byte for byte', () => {
    // In a longer run the relay reads back honest requests with requests of its own.
    const posted = new Set(sent.map(({ bodyHash }) => bodyHash));
    const isOurs = ({ headers, bodyHash }: Reached): boolean =>
      headers['signature'] === undefined && !posted.has(bodyHash);
    const ours = new Set(seller.reached.filter(isOurs).map(({ task }) => task));
    expect([...ours].filter((task) => !/^(get_media_buy(s|_delivery)|list_accounts)$/.test(task))).toEqual(
      [],
    );
    const others = seller.reached.filter((item) => !isOurs(item));
    const reached = others.map(({ path, bodyHash, headers }) => [
      path,
      bodyHash,
      ...['content-type', 'content-digest', 'signature-input', 'signature'].map((name) => headers[name]),
      headers['authorization'],
    ]);
    const passed = honest().map(({ message, bodyHash, wire }) => [
      new URL(message.signed.url).pathname,
      bodyHash,
      ...['Content-Type', 'Content-Digest', 'Signature-Input', 'Signature'].map(
        (name) => wire.lines.find(([own]) => own === name)?.[1],
      ),
      undefined,
    ]);
    expect(reached.map(String).sort()).toEqual(passed.map(String).sort());
    expect(passed.length).toBeGreaterThan(hostile().length / 30);
  });

  it('are the only records in the custody of their token’s principal, each with its code', async () => {
    const expected = new Map(
      sent
        .filter(({ fault }) => fault?.isRecorded !== false)
        .map(({ recordId, fault, bodyHash }) => [recordId, `${fault?.code ?? 'answered'} ${bodyHash}`]),
    );
    const rows = await waitUntil('every record is sealed', async () => {
      const all = await database.rows<{ id: string; line: string; state: string }>(
        `select id, concat_ws(' ', coalesce(code, outcome), body_hash) as line, state from relay_request`,
      );
      return all.every(({ state }) => state === 'sealed') ? all : undefined;
    });
    expect(new Map(rows.map(({ id, line }) => [id, line]))).toEqual(expected);
  });

  it('leave chains that verify, with each record in the chain of its principal', async () => {
    const scope = { organizationId: world.organizationId };
    const recorded: string[] = [];
    for (const { principalId, token } of Object.values(world.parties)) {
      const log = relayLog(store);
      expect(await log.chain(scope, principalId, verifyCustody)).toMatchObject({ ok: true });
      const { blocks } = await log.chain(scope, principalId, wholeStream);
      const own = sent.filter((item) => item.message.token === token && item.recordId !== '').map(lineOf);
      const received = blocks.flatMap(({ entries }) => entries.map(({ body }) => lineOfRecord(body)));
      expect(received.sort()).toEqual(own.sort());
      recorded.push(...received);
    }
    expect(recorded).toHaveLength(sent.filter(({ fault }) => fault?.isRecorded !== false).length);
  });

  it('leave none of their secrets in an answer, a log or the database', async () => {
    const secrets = [marker, ...Object.values(world.parties).map(({ token }) => token)];
    const has = (text: string): boolean => secrets.some((secret) => text.includes(secret));
    expect(sent.filter(({ answer }) => has(answer.text) || has([...answer.headers].join())).length).toBe(0);
    expect(has(instance.stdout() + instance.stderr())).toBe(false);
    const texts = await database.texts();
    expect(texts.filter(({ text }) => has(text)).map(({ place }) => place)).toEqual([]);
    // The search works: the marker was sent often, and hashes of bodies are stored.
    expect(sent.filter(({ wire }) => wire.body.includes(marker)).length).toBeGreaterThan(ofEach);
    expect(texts.length).toBeGreaterThan(sent.length);
  });
});

const hostile = (): readonly Sent[] => sent.filter(({ fault }) => fault !== undefined);
const honest = (): readonly Sent[] => sent.filter(({ fault }) => fault === undefined);

/** Sends an honest buy with this budget. */
function spend(budget: number): Promise<Sent> {
  const { parties, sellers } = world;
  const options = { party: parties.spender, seller: sellers.alpha, task: 'create_media_buy', budget };
  return sendAlone(port, forge.honest(options));
}

async function areSealed(all: readonly Sent[]): Promise<true | undefined> {
  const rows = await database.rows<{ open: number }>(
    `select count(*)::int as open from relay_request where state <> 'sealed' and id = any ($1::uuid[])`,
    [all.map(({ recordId }) => recordId)],
  );
  return rows[0]?.open === 0 ? true : undefined;
}

const lineOf = ({ recordId, code, bodyHash }: Sent): string =>
  [recordId, code ?? 'answered', bodyHash].join(' ');

function lineOfRecord(body: string): string {
  const record = JSON.parse(body) as {
    readonly id: string;
    readonly outcome: string;
    readonly code?: string;
    readonly arrived: { readonly bodyHash: string };
    readonly forwarded?: object;
  };
  if ((record.forwarded !== undefined) !== (record.outcome === 'answered')) return `${record.id} forwarded?`;
  return [record.id, record.code ?? record.outcome, record.arrived.bodyHash].join(' ');
}

function countsOf(): string {
  return faults
    .map(
      (fault) => `${String(sent.filter((item) => item.fault === fault).length)} ${fault.name}: ${fault.code}`,
    )
    .concat(`${String(hostile().length)} hostile, ${String(honest().length)} honest`)
    .join('\n');
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, place: chance.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
