import type { FormatType } from './format-type.js';

/** A creative format that was added to the list. */
export interface SeededFormat {
  readonly agentUrl: string;
  readonly id: string;
  readonly name: string;
  readonly type: FormatType;
}
