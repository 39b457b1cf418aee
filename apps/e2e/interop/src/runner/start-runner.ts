import { startChild } from '../child-calls.js';
import { storyboardsAhead } from './storyboards-ahead.js';

export interface Run {
  readonly url: string;
  readonly token: string;
  readonly storyboard: string;
  readonly protocol: 'mcp' | 'a2a';
}

export interface GradedStep {
  readonly step: string;
  /** The task of the step; absent if a whole storyboard was skipped. */
  readonly task?: string;
  readonly reason: string;
}

/** The runner's summary, and each step that did not pass with the runner's reason. */
export interface Graded {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly GradedStep[];
  readonly skips: readonly GradedStep[];
  /** The storyboards that it ran, including those that the requested one requires. */
  readonly executed: readonly string[];
}

export interface Runner {
  /** The ids of all storyboards in this release of the runner. */
  storyboards(): Promise<readonly string[]>;
  run(run: Run): Promise<Graded>;
  stop(): Promise<void>;
}

/** The runner, and the same with storyboards that are corrected so that they do not end early. */
export interface StartedRunner extends Runner {
  corrected(): Runner;
}

/** Starts the public SDK's runner with its own storyboards, with their dates moved into future years. */
export function startRunner(folder: string): StartedRunner {
  const child = startChild('runner/runner-process.js', { HOME: folder });
  const reading = (copied: 'as-shipped' | 'corrected'): Runner => {
    const storyboardsIn = storyboardsAhead(folder, new Date(), copied);
    return {
      storyboards: () => child.request<readonly string[]>('storyboards', { storyboardsIn }),
      run: (run) => child.request<Graded>('run', { ...run, storyboardsIn }),
      stop: () => child.stop(),
    };
  };
  let corrected: Runner | undefined;
  return { ...reading('as-shipped'), corrected: () => (corrected ??= reading('corrected')) };
}
