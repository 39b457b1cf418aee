import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { reply, specInstance, type SpecInstance } from '../../testkit/instance.js';

let instance: SpecInstance;
const at = (...args: string[]): string[] => ['buys', ...args, '--data', instance.dataFolder];

beforeAll(async () => {
  instance = await specInstance();
});
beforeEach(() => {
  instance.calls.length = 0;
  instance.answerWith(() => reply({ media_buy_id: 'mb_1', media_buy_status: 'paused' }));
});
afterAll(() => instance.close());

describe('buys', () => {
  it('lists the held budget, without what sellers refused or canceled', async () => {
    const { code, stdout } = await run(at('--wide'));
    expect(code).toBe(0);
    expect(stdout).toMatch(/mb_1 .* 900 USD/);
    expect(stdout).not.toContain('1000');
  });

  it('names the emergency stop that holds a part, and its reason', async () => {
    const { stdout } = await run(at('--wide'));
    expect(stdout).toContain('acme paused, bravo not sent: held by the stop seller:bravo (Wrong prices.)');
  });
});

describe('buys show', () => {
  it('prints every change, and which leg waits for a person', async () => {
    const { code, stdout } = await run(at('show', 'mb_1'));
    expect(code).toBe(0);
    expect(stdout).toMatch(/update_media_buy +waits for you/);
    expect(stdout).toMatch(/2 +acme +update_packages +acme:p1 +{"budget":"4321.5"} +planner/);
  });

  it('prints the agreed terms beside the current ones, and the terms of packages one below the other', async () => {
    const { stdout } = await run(at('show', 'mb_1', '--wide'));
    expect(stdout).toContain('agreed 1000, now 900 USD');
    expect(stdout).toMatch(/Product +Agreed +Now/);
    expect(stdout).toMatch(/acme:ctv +600 +500/);
    expect(stdout).toMatch(/Package +Cancellation +Measurement/);
    expect(stdout).toMatch(
      /acme:p1 +{"cancellation_fee":{"type":"fixed_fee","amount":75}} +{"billing_measurement"/,
    );
    expect(stdout).toMatch(/bravo:p1 +not known/);
  });
});

describe('a buy that no seller has yet', () => {
  it('is shown without an empty table', async () => {
    const { code, stdout } = await run(at('show', 'mb_2', '--wide'));
    expect([code, stdout]).toEqual([0, expect.stringContaining('No seller was asked yet.')]);
    expect(stdout).not.toContain('Id at the seller');
  });

  it('is canceled with the product beside each fee, because its packages have no ids', async () => {
    const { stderr } = await run(at('cancel', 'mb_2'));
    expect(stderr).toContain('acme acme:ctv: A fixed fee is due: 75 USD.');
  });
});

describe('buys end-commitment', () => {
  it('says what counts of the part from now on, and needs a seller and a reason', async () => {
    const received = await run(at('end-commitment', 'mb_1', '--seller', 'acme', '--reason', 'They said so.'));
    expect([received.code, received.stdout.trim()]).toEqual([
      0,
      'The part at acme is final. 900 USD of it count from now on.',
    ]);
    expect((await run(at('end-commitment', 'mb_1', '--seller', 'acme'))).code).toBe(2);
    expect((await run(at('end-commitment', 'mb_1', '--reason', 'x'))).code).toBe(2);
  });
});

describe('buys settle', () => {
  it('reports the outcome that a person entered, and the state of the operation', async () => {
    const received = await run(at('settle', 'l2', '--outcome', 'not-made', '--reason', 'I asked', '--json'));
    expect([received.code, JSON.parse(received.stdout)]).toEqual([
      0,
      { leg_id: 'l2', task_status: 'completed' },
    ]);
  });

  it.each([
    ['no outcome', ['--reason', 'x']],
    ['no reason', ['--outcome', 'made']],
    ['an outcome that is none', ['--outcome', 'perhaps', '--reason', 'x']],
  ])('ends with 2 for %s', async (_what, options) => {
    expect((await run(at('settle', 'l2', ...options))).code).toBe(2);
  });
});

describe('updates of a buy', () => {
  it.each([
    ['pause', [], { paused: true }],
    ['resume', [], { paused: false }],
    ['cancel', ['--yes'], { canceled: true }],
    [
      'cancel',
      ['--yes', '--reason', 'the client left'],
      { canceled: true, cancellation_reason: 'the client left' },
    ],
  ])('%s %j is sent as the task update_media_buy', async (name, options, updates) => {
    const { code, stdout } = await run(at(name, 'mb_1', ...options));
    expect(code).toBe(0);
    expect(instance.calls).toMatchObject([
      { task: 'update_media_buy', args: { media_buy_id: 'mb_1', updates } },
    ]);
    expect(stdout).toContain('Media buy mb_1: paused');
  });

  it('update sends the file unchanged, numbers included', async () => {
    const file = join(instance.dataFolder, 'change.json');
    writeFileSync(
      file,
      '{"media_buy_id":"mb_1","packages":[{"package_id":"acme:p1","budget":0.1000000000000000055}]}',
    );
    expect((await run(at('update', file))).code).toBe(0);
    expect([...(instance.calls[0]?.exact ?? [])]).toEqual([['/packages/0/budget', '0.1000000000000000055']]);
  });

  it('prints why an update was refused, and ends with 1', async () => {
    const errors = [{ code: 'NOT_CANCELLABLE', message: 'The buy is canceled already.' }];
    instance.answerWith(() => reply({ errors }, { isError: true, httpStatus: 422 }));
    const { code, stderr } = await run(at('cancel', 'mb_1', '--yes'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('The buy is canceled already.')]);
  });

  it('cancel shows the fee of each package, and sends nothing without a terminal to confirm', async () => {
    const { code, stderr } = await run(at('cancel', 'mb_1'));
    expect([code, instance.calls]).toEqual([1, []]);
    expect(stderr).toContain('acme acme:p1: A fixed fee is due: 75 USD.');
    expect(stderr).toContain('bravo bravo:p1: The seller quoted no terms of cancellation.');
    expect(stderr).toContain('--yes');
  });

  it('ends with 1 and names the seller that refused its part', async () => {
    const sellers = [
      { seller: 'acme', status: 'answered', reason: 'ok', elapsed_ms: 1, items: 1 },
      { seller: 'bravo', status: 'refused', reason: 'Too late to pause.', elapsed_ms: 1, items: 0 },
    ];
    instance.answerWith(() => reply({ media_buy_id: 'mb_1', media_buy_status: 'active', sellers }));
    const { code, stdout, stderr } = await run(at('pause', 'mb_1'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('bravo refused: Too late to pause.')]);
    expect(stdout).toContain('Media buy mb_1: active');
  });

  it('names the task of an update that a seller has not finished', async () => {
    instance.answerWith(() => reply({ status: 'submitted', task_id: 'task_7' }));
    expect((await run(at('pause', 'mb_1'))).stdout).toContain('task_7');
  });
});
