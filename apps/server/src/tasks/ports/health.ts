/** Whether this process can serve requests. Each dependency reports separately. */
export interface ReadyCheck {
  check(): Promise<{ readonly ready: boolean; readonly parts: Readonly<Record<string, string>> }>;
}

/** The page that a scraper reads. */
export interface MetricsPage {
  readonly contentType: string;
  /** Called for each answer: the path of its request, without the query, and its HTTP status. */
  answered?(path: string, status: number): void;
  render(): Promise<string>;
}
