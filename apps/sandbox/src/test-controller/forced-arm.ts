export interface ForcedSubmitted {
  readonly arm: 'submitted';
  /** The id that the task gets. */
  readonly taskId: string;
  readonly message?: string;
}

export interface ForcedQuestion {
  readonly arm: 'input-required';
  readonly message?: string;
}

/** The requested answer to one of the next buys. */
export type ForcedArm = ForcedSubmitted | ForcedQuestion;
