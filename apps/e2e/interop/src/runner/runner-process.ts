import { answerQuestions } from '../child-calls.js';
import { loadSdkTesting, rememberYaml, type RunnerStep } from '../sdk/load-sdk-testing.js';
import type { Graded, GradedStep, Run } from './start-runner.js';

/** The public SDK's storyboard runner, in its own process, with the storyboards and the agent that the test names. */
const sdk = await loadSdkTesting();
rememberYaml();
const quiet = (): void => undefined;
sdk.setAgentTesterLogger({ info: quiet, error: quiet, warn: quiet, debug: quiet });

const reasonOf = (step: RunnerStep): string =>
  [step.skip?.reason ?? step.skip_reason, step.error, step.details]
    .filter((reported) => reported)
    .join('; ') || 'no reason given';

/** A folder of storyboards, which the runner reads again for each request. */
interface Reading {
  readonly storyboardsIn: string;
}

answerQuestions({
  storyboards: ({ storyboardsIn }: Reading) => {
    process.env['ADCP_COMPLIANCE_DIR'] = storyboardsIn;
    return sdk.listAllComplianceStoryboards().map(({ id }) => id);
  },
  run: async ({ url, token, storyboard, protocol, storyboardsIn }: Run & Reading): Promise<Graded> => {
    process.env['ADCP_COMPLIANCE_DIR'] = storyboardsIn;
    const result = await sdk.comply(url, {
      storyboards: [storyboard],
      protocol,
      auth: { type: 'bearer', token },
      allow_http: true,
      test_kit: { auth: { api_key: token, probe_task: 'list_creatives' } },
      webhook_receiver: { mode: 'loopback_mock' },
      contracts: ['webhook_receiver_runner'],
    });
    const steps = result.tracks.flatMap(({ scenarios }) =>
      scenarios.flatMap(({ scenario, steps: run }) => (run ?? []).map((step) => ({ scenario, step }))),
    );
    const listed = (wanted: (step: RunnerStep) => boolean): readonly GradedStep[] =>
      steps
        .filter(({ step }) => wanted(step))
        .map(({ scenario, step }) => ({
          step: `${scenario}: ${step.step}`,
          reason: reasonOf(step),
          ...(step.task === undefined ? {} : { task: step.task }),
        }));
    const { steps_passed: passed, steps_failed: failed, steps_skipped: skipped } = result.summary;
    return {
      passed: passed ?? 0,
      failed: failed ?? 0,
      skipped: skipped ?? 0,
      failures: listed((step) => !step.passed && step.skipped !== true),
      skips: listed((step) => step.skipped === true),
      executed: result.storyboards_executed ?? [],
    };
  },
});
