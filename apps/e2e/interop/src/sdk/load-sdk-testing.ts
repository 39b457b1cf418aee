import { pathToFileURL } from 'node:url';
import { requireOfSdk } from './sdk-folder.js';

/** The part of the public SDK's storyboard runner that these tests use, with our own types (see `load-sdk.ts`). */
interface RunnerOptions {
  readonly storyboards: readonly string[];
  readonly auth: { readonly type: 'bearer'; readonly token: string };
  readonly allow_http: true;
  readonly protocol?: 'mcp' | 'a2a';
  /** The key is the credential of its authentication probes; the task is the one that they call. */
  readonly test_kit: { readonly auth: { readonly api_key: string; readonly probe_task: string } };
  /** Without its own receiver it skips all steps about webhooks. */
  readonly webhook_receiver: { readonly mode: 'loopback_mock' };
  readonly contracts: readonly string[];
}

export interface RunnerStep {
  readonly step: string;
  readonly task?: string;
  readonly passed: boolean;
  readonly skipped?: boolean;
  readonly skip_reason?: string;
  readonly skip?: { readonly reason: string; readonly detail?: string };
  readonly error?: string;
  readonly details?: string;
}

interface RunnerResult {
  readonly storyboards_executed?: readonly string[];
  readonly summary: {
    readonly steps_passed?: number;
    readonly steps_failed?: number;
    readonly steps_skipped?: number;
  };
  readonly tracks: readonly {
    readonly scenarios: readonly { readonly scenario: string; readonly steps?: readonly RunnerStep[] }[];
  }[];
}

interface SdkTesting {
  /** All storyboards in its copy. */
  listAllComplianceStoryboards(): readonly { readonly id: string }[];
  comply(agentUrl: string, options: RunnerOptions): Promise<RunnerResult>;
  setAgentTesterLogger(logger: Readonly<Record<'info' | 'error' | 'warn' | 'debug', () => void>>): void;
}

const testingName = ['@adcp', 'sdk', 'testing'].join('/');

export async function loadSdkTesting(): Promise<SdkTesting> {
  return (await import(pathToFileURL(requireOfSdk().resolve(testingName)).href)) as SdkTesting;
}
