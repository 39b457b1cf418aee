import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callDoor } from './call-door.js';
import { startSwitchyard, type RunningSwitchyard } from './platform/start-switchyard.js';
import { startRunner, type Graded, type Runner } from './runner/start-runner.js';

/** What the runner does not find here, and why that is so: each step that it leaves out has a row. */
const governance = 'governance is a protocol of its own that this agent does not offer';
const afterGovernance = `it follows a step that was left out: ${governance}`;

const afterTheKey = 'it follows the step that looks for the key in the answer';
const notDispatched = 'the runner takes this assertion of its own for a tool, and finds no such tool';

interface Expected {
  readonly passed: number;
  /** What the runner's own example agents reach, each with fresh data (passed and failed). */
  readonly examples: readonly [passed: number, failed: number];
  /** Steps that fail, each with whose fault it is. None is ours. */
  readonly failures: Readonly<Record<string, string>>;
  readonly skips: Readonly<Record<string, string>>;
  /** So many of its buys are only taken in at first, so that their ends are told by webhook. */
  readonly takenIn?: number;
  /** Steps that the runner leaves out without listing them. */
  readonly unlisted?: number;
}

const none = { failures: {}, skips: {} } as const;

const storyboards: Readonly<Record<string, Expected>> = {
  sales_guaranteed: { passed: 44, examples: [42, 0], ...none },
  sales_non_guaranteed: { passed: 37, examples: [37, 0], ...none },
  signal_marketplace: {
    passed: 8,
    examples: [7, 0],
    failures: {},
    skips: {
      'signal_marketplace/governance_denied/governance_plan_setup: Create strict governance plan': governance,
      'signal_marketplace/governance_denied/signal_agent_setup: Register governance agent with signal agent':
        governance,
      'signal_marketplace/governance_denied/activation_denied: activate_signal — governance denies':
        afterGovernance,
    },
  },
  security_baseline: {
    passed: 4,
    examples: [2, 2],
    ...none,
    // No authorization server is run here, so there is nothing to discover: the key's own path is the mechanism.
    unlisted: 3,
  },
  schema_validation: { passed: 9, examples: [7, 1], ...none },
  v3_envelope_integrity: { passed: 1, examples: [1, 0], ...none },
  error_compliance: { passed: 9, examples: [7, 2], ...none },
  idempotency: {
    passed: 2,
    examples: [1, 2],
    failures: {
      'idempotency/replay_same_payload: Initial create_media_buy with fresh key':
        'all its checks of the answer pass; the storyboard then takes the key out of the answer, where no release has one',
    },
    skips: {
      'idempotency/replay_same_payload: Replay with same key and payload returns cached response':
        afterTheKey,
      'idempotency/replay_same_payload: No duplicate webhooks fired across initial + replay': notDispatched,
      'idempotency/key_reuse_conflict: Same key, different payload returns IDEMPOTENCY_CONFLICT': afterTheKey,
      'idempotency/fresh_key_new_resource: Fresh key with identical payload creates a new media buy':
        afterTheKey,
      'idempotency/verify_media_buy_count: Confirm dedup via get_media_buys': afterTheKey,
    },
  },
  webhook_emission: {
    passed: 6,
    examples: [1, 3],
    failures: {},
    skips: {
      'webhook_emission/signature_validity: Assert webhook signature verifies under the 9421 profile':
        'the runner has no keys of ours to verify with, and says that this contract of its own is not met',
    },
    takenIn: 2,
  },
  media_buy_seller: {
    passed: 57,
    examples: [51, 4],
    failures: {
      'media_buy_seller/creative_fate_after_cancellation/reuse_creative_on_new_buy: Assign the original creative_id to the new package':
        'it names a format of https://your-platform.example.com, which the practice seller does not list',
    },
    skips: { 'media_buy_seller/governance_setup: Register governance agents': governance },
  },
  signals_baseline: { passed: 4, examples: [4, 0], ...none },
  capability_discovery: { passed: 2, examples: [2, 0], ...none },
};

let switchyard: RunningSwitchyard;
let runner: Runner;
const opened: (() => Promise<void>)[] = [];

beforeAll(async () => {
  switchyard = await startSwitchyard('--market', 'prompt,courier,behind,signals-prompt');
  opened.push(() => switchyard.remove());
  runner = startRunner(switchyard.folder);
  opened.push(() => runner.stop());
}, 90_000);

afterAll(async () => {
  await Promise.all(opened.map((stop) => stop()));
}, 30_000);

/**
 * A principal for one storyboard: keys are literal in them, and belong to who used them first. It may register the
 * older callbacks, which one storyboard does.
 */
async function principalFor(storyboard: string): Promise<string> {
  const name = storyboard.replaceAll('_', '-');
  const made = await switchyard.command('principals', 'add', name, '--kind', 'buyer', '--legacy');
  expect({ name, exitCode: made.exitCode }).toEqual({ name, exitCode: 0 });
  return (made.json as { token: string }).token;
}

async function rehearse(token: string, scenario: string, params: unknown): Promise<Record<string, unknown>> {
  const args = { scenario, params };
  return (await callDoor(switchyard.access.mcp_url, token, 'comply_test_controller', args)).body;
}

/** Two storyboards buy a product that they name literally and seed nowhere. */
async function seedLiteralProduct(token: string): Promise<void> {
  const price = { currency: 'USD', fixed_price: 10 };
  const product = { product_id: 'test-product' };
  const seeded = [
    await rehearse(token, 'seed_product', { ...product, fixture: {} }),
    await rehearse(token, 'seed_pricing_option', {
      ...product,
      pricing_option_id: 'test-pricing',
      fixture: price,
    }),
    await rehearse(token, 'seed_pricing_option', {
      ...product,
      pricing_option_id: 'default',
      fixture: price,
    }),
  ];
  expect(seeded.map(({ success }) => success)).toEqual([true, true, true]);
}

describe('the storyboard runner of @adcp/sdk, at our door for mcp', () => {
  it.each(Object.entries(storyboards))(
    'finds in %s no failure of ours, and at least what its own example agents reach',
    async (storyboard, expected) => {
      const token = await principalFor(storyboard);
      await seedLiteralProduct(token);
      for (let nth = 1; nth <= (expected.takenIn ?? 0); nth += 1) {
        const forced = { arm: 'submitted', task_id: `${storyboard}_${nth}` };
        expect(await rehearse(token, 'force_create_media_buy_arm', forced)).toMatchObject({
          success: true,
          forced,
        });
      }
      const graded: Graded = await runner.run({ url: switchyard.access.mcp_url, token, storyboard });
      const steps = (listed: Graded['failures']): string[] => listed.map(({ step }) => step).sort();
      expect({
        failures: graded.failures.filter(({ step }) => !(step in expected.failures)),
        skips: graded.skips.filter(({ step }) => !(step in expected.skips)),
      }).toEqual({ failures: [], skips: [] });
      expect(steps(graded.failures)).toEqual(Object.keys(expected.failures).sort());
      expect(steps(graded.skips)).toEqual(Object.keys(expected.skips).sort());
      expect({ passed: graded.passed, failed: graded.failed, skipped: graded.skipped }).toEqual({
        passed: expected.passed,
        failed: Object.keys(expected.failures).length,
        skipped: Object.keys(expected.skips).length + (expected.unlisted ?? 0),
      });
      const [examplesPassed, examplesFailed] = expected.examples;
      expect(graded.passed).toBeGreaterThanOrEqual(examplesPassed);
      expect(graded.failed).toBeLessThanOrEqual(examplesFailed);
    },
    // The runner itself waits up to 90 s for webhooks that are sent again.
    180_000,
  );
});

describe('comply_test_controller', () => {
  it('is offered in the local profile, with the states that capabilities name, and to buyers alone', async () => {
    const url = switchyard.access.mcp_url;
    const { body } = await callDoor(url, undefined, 'get_adcp_capabilities', {});
    const announced = (body['compliance_testing'] as { scenarios: readonly string[] }).scenarios;
    const { scenarios } = (await rehearse(switchyard.access.token, 'list_scenarios', {})) as {
      scenarios: readonly string[];
    };
    expect(announced.length).toBeGreaterThan(0);
    expect(scenarios).toEqual(expect.arrayContaining([...announced]));
    expect(
      (await callDoor(url, undefined, 'comply_test_controller', { scenario: 'list_scenarios' })).status,
    ).toBe(401);
  });

  it('touches nobody else’s buys: an id that is not there and one that is not yours get the same answer', async () => {
    const token = await principalFor('nobody');
    const forced = { media_buy_id: 'mb_not_there', status: 'paused' };
    expect(await rehearse(token, 'force_media_buy_status', forced)).toMatchObject({
      success: false,
      error: 'NOT_FOUND',
    });
  });
});
