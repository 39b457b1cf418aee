/** What an onboarding platform is told about one agent. `token` is its bearer credential: hand it over, never log it. */
export interface AgentInfo {
  readonly slug: string;
  readonly name: string;
  /** What the agent is like, in one sentence. */
  readonly character: string;
  readonly agent_url: string;
  readonly protocol: 'mcp' | 'a2a';
  readonly dialect: 'ads' | 'adcp';
  readonly form: 'service' | '3.0' | '3.1';
  readonly kinds: readonly ('sales' | 'signals')[];
  readonly currency: string;
  readonly token: string;
  readonly jwks_uri: string;
  readonly brand_json_url: string;
  /** Where this agent's own books are read: `GET` answers an array of buys, amounts as decimal text of micros. */
  readonly books_url: string;
  /** Where its invoices of one month lie: `?period=2026-09`. */
  readonly invoices_url: string;
  /** Where the count of calls it received is read. */
  readonly calls_url: string;
}
