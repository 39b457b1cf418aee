import type { Personality } from '../personalities.js';

/** What an onboarding platform gets about one agent. `token` is its bearer credential: pass it on, never log it. */
export interface AgentInfo {
  readonly slug: string;
  readonly name: string;
  /** The behavior of the agent, in one sentence. */
  readonly character: string;
  readonly agent_url: string;
  readonly protocol: 'mcp' | 'a2a';
  readonly dialect: 'ads' | 'adcp';
  readonly form: 'service' | '3.0' | '3.1';
  readonly kinds: readonly Personality['kind'][];
  readonly currency: string;
  readonly token: string;
  /** Its client of ours at an agent behind OAuth, whose secret is then `token`. */
  readonly client_id?: string;
  readonly jwks_uri: string;
  readonly brand_json_url: string;
  /** Address of this agent's own books: `GET` answers an array of buys, amounts as decimal text of micros. */
  readonly books_url: string;
  /** Address of its invoices of one month, `?period=2026-09`, or of the credit note for one of them, `&credits=NUMBER`. */
  readonly invoices_url: string;
  /** Address of the count of calls it received. */
  readonly calls_url: string;
}
