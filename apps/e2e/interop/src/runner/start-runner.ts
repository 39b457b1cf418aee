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
  /** What the step calls; absent where a whole storyboard was left out. */
  readonly task?: string;
  readonly reason: string;
}

/** What the runner's own summary says, and each step that did not pass with the runner's reason. */
export interface Graded {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly GradedStep[];
  readonly skips: readonly GradedStep[];
  /** The storyboards that it ran, with those that the asked one requires. */
  readonly executed: readonly string[];
}

export interface Runner {
  /** The ids of all storyboards that this release of the runner brings. */
  storyboards(): Promise<readonly string[]>;
  run(run: Run): Promise<Graded>;
  stop(): Promise<void>;
}

/** Starts the public SDK's runner with its own storyboards, moved into the years ahead. */
export function startRunner(folder: string, copied: 'as-shipped' | 'corrected' = 'as-shipped'): Runner {
  const child = startChild('runner/runner-process.js', {
    ADCP_COMPLIANCE_DIR: storyboardsAhead(folder, new Date(), copied),
    HOME: folder,
  });
  return {
    storyboards: () => child.ask<readonly string[]>('storyboards', {}),
    run: (run) => child.ask<Graded>('run', run),
    stop: () => child.stop(),
  };
}
