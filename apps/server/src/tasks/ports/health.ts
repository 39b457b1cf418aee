/** Can this process serve? Each thing that it needs says so for itself. */
export interface ReadyCheck {
  check(): Promise<{ readonly ready: boolean; readonly parts: Readonly<Record<string, string>> }>;
}

/** What a scraper reads. */
export interface MetricsPage {
  readonly contentType: string;
  /** Told of each answer: the path of its request, without the query, and its HTTP status. */
  answered?(path: string, status: number): void;
  render(): Promise<string>;
}
