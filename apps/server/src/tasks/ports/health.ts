/** Can this process serve? Each thing that it needs says so for itself. */
export interface ReadyCheck {
  check(): Promise<{ readonly ready: boolean; readonly parts: Readonly<Record<string, string>> }>;
}

/** What a scraper reads. */
export interface MetricsPage {
  readonly contentType: string;
  render(): Promise<string>;
}
