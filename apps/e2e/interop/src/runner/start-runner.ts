import { startChild } from '../child-calls.js';
import { storyboardsAhead } from './storyboards-ahead.js';

export interface Run {
  readonly url: string;
  readonly token: string;
  readonly storyboard: string;
}

export interface GradedStep {
  readonly step: string;
  readonly reason: string;
}

/** What the runner's own summary says, and each step that did not pass with the runner's reason. */
export interface Graded {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly GradedStep[];
  readonly skips: readonly GradedStep[];
}

export interface Runner {
  run(run: Run): Promise<Graded>;
  stop(): Promise<void>;
}

/** Starts the public SDK's runner with its own storyboards, moved into the years ahead. */
export function startRunner(folder: string): Runner {
  const child = startChild('runner/runner-process.js', {
    ADCP_COMPLIANCE_DIR: storyboardsAhead(folder, new Date()),
    HOME: folder,
  });
  return { run: (run) => child.ask<Graded>('run', run), stop: () => child.stop() };
}
