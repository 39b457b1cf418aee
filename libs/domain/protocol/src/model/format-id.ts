export interface FormatId {
  readonly agentUrl: string;
  readonly id: string;
  /** What a format that takes parameters was given: pixels, and milliseconds. */
  readonly width?: number;
  readonly height?: number;
  readonly durationMs?: number;
}
