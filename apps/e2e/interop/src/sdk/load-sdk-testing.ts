import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
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

interface Yaml {
  parse: (text: string, ...options: readonly never[]) => unknown;
}

/**
 * Makes the SDK read the text of each YAML file once. It reads all its storyboards again for each one that it looks up,
 * which took half of its time. Each reader gets a value of its own. Files with other values than JSON has are not remembered.
 */
export function rememberYaml(): void {
  const yaml = createRequire(requireOfSdk().resolve('@adcp/sdk/package.json'))('yaml') as Yaml;
  const { parse } = yaml;
  const texts = new Map<string, string>();
  yaml.parse = (text, ...options: readonly never[]) => {
    const known = options.length === 0 ? texts.get(text) : undefined;
    if (known !== undefined) return JSON.parse(known) as unknown;
    const read = parse(text, ...options);
    if (options.length > 0) return read;
    const json = JSON.stringify(read);
    if (isDeepStrictEqual(JSON.parse(json), read)) texts.set(text, json);
    return read;
  };
}
