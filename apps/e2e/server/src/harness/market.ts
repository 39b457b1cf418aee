import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One agent of the sandbox market, as its control URL shows it. */
interface MarketAgent {
  readonly slug: string;
  readonly name: string;
  readonly agent_url: string;
  readonly form: string;
  readonly currency: string;
  readonly kinds: readonly string[];
  readonly books_url: string;
  readonly calls_url: string;
}

export interface BookedBuy {
  readonly media_buy_id: string;
  readonly buyer_ref?: string;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly currency: string;
  readonly status: string;
  readonly budget_micros: string;
  readonly spend_micros: string;
  readonly settled: boolean;
  readonly packages: readonly {
    readonly buyer_ref?: string;
    readonly context?: { readonly buyer_ref?: string };
    readonly product_id: string;
    readonly budget_micros: string;
    readonly bid_micros?: string;
    readonly spend_micros: string;
  }[];
}

export interface Calls {
  readonly slug: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly recent: readonly {
    readonly tool: string;
    readonly caller: string;
    readonly args: Readonly<Record<string, unknown>>;
  }[];
}

/** Days of all campaigns of a market: none passes, or one each second. */
export type Days = 'paused' | 'second';

/** The sandbox market of an instance from its own side: the calls that it got, and its data. */
export class Market {
  constructor(readonly url: string) {}

  static of(data: string): Market {
    const port = readFileSync(join(data, 'sandbox/control-port'), 'utf8').trim();
    return new Market(`http://127.0.0.1:${port}`);
  }

  /** From now on, days pass like this. A suite without use for them pauses them: each is a report of each buy. */
  async days(days: Days | 'next-day'): Promise<void> {
    const answer = await fetch(`${this.url}/clock/${days}`, { method: 'POST' });
    if (!answer.ok) throw new Error(`The clock of the market answered ${String(answer.status)}.`);
  }

  agents(): Promise<readonly MarketAgent[]> {
    return getJson(`${this.url}/agents`);
  }

  books(): Promise<readonly { readonly slug: string; readonly buys: readonly BookedBuy[] }[]> {
    return getJson(`${this.url}/books`);
  }

  /** Ids of buys by `SELLER REFERENCE`, the reference of their first package. */
  async booked(): Promise<ReadonlyMap<string, readonly string[]>> {
    const made = new Map<string, string[]>();
    for (const { slug, buys } of await this.books())
      for (const { media_buy_id: id, packages } of buys) {
        const reference = packages[0]?.context?.buyer_ref;
        // The gate's purchase in a sandbox account has none: it is canceled before the seller is live.
        if (reference === undefined) continue;
        const place = `${slug} ${reference}`;
        made.set(place, [...(made.get(place) ?? []), id]);
      }
    return made;
  }

  async booksOf(slug: string): Promise<readonly BookedBuy[]> {
    return (await this.books()).find((each) => each.slug === slug)?.buys ?? [];
  }

  calls(): Promise<readonly Calls[]> {
    return getJson(`${this.url}/calls`);
  }

  /** Returns the number of mutations at each seller, by seller and tool. */
  async mutations(): Promise<Readonly<Record<string, number>>> {
    const counted: Record<string, number> = {};
    for (const { slug, counts } of await this.calls()) {
      for (const [tool, count] of Object.entries(counts)) {
        if (/^(create|update|activate|sync|cancel)/.test(tool)) counted[`${slug} ${tool}`] = count;
      }
    }
    return counted;
  }
}

/** Returns the secrets that the market gave at onboarding. */
export function marketTokens(data: string): Readonly<Record<string, string>> {
  const stored = JSON.parse(readFileSync(join(data, 'sandbox/identities.json'), 'utf8')) as Record<
    string,
    { token: string }
  >;
  return Object.fromEntries(Object.entries(stored).map(([slug, { token }]) => [slug, token]));
}

async function getJson<T>(url: string): Promise<T> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answered ${String(answer.status)}`);
  return (await answer.json()) as T;
}
