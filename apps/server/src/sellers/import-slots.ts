/** The most sellers of one organization that are onboarded at once. */
const atOnce = 8;

type Start = () => void;

interface Organization {
  running: number;
  /** Waiting work of each origin. An origin with running work has an entry. */
  readonly origins: Map<string, Start[]>;
  /** Origins with waiting work and none that runs, in the order in which they became so. */
  readonly ready: string[];
}

/**
 * Limits imports, in this process: eight sellers of an organization at once, over all its imports, and one of an origin.
 * A long list so takes neither all connections of the database nor the time of honest requests, and no seller's server
 * is called for many rows at once.
 */
export class ImportSlots {
  readonly #organizations = new Map<string, Organization>();

  async run<Done>(organizationId: string, origin: string, work: () => Promise<Done>): Promise<Done> {
    const of = this.#of(organizationId);
    await new Promise<void>((start) => {
      const waiting = of.origins.get(origin);
      if (waiting === undefined) {
        of.origins.set(origin, [start]);
        of.ready.push(origin);
        startReady(of);
      } else waiting.push(start);
    });
    try {
      return await work();
    } finally {
      of.running -= 1;
      if (of.origins.get(origin)?.length === 0) of.origins.delete(origin);
      else of.ready.push(origin);
      startReady(of);
      if (of.running === 0) this.#organizations.delete(organizationId);
    }
  }

  #of(organizationId: string): Organization {
    const known = this.#organizations.get(organizationId);
    if (known !== undefined) return known;
    const made: Organization = { running: 0, origins: new Map(), ready: [] };
    this.#organizations.set(organizationId, made);
    return made;
  }
}

function startReady(of: Organization): void {
  while (of.running < atOnce && of.ready.length > 0) {
    const start = of.origins.get(of.ready.shift() ?? '')?.shift();
    if (start === undefined) continue;
    of.running += 1;
    start();
  }
}

/** The origin of an address; the text itself where it is no URL, and is refused by the onboarding. */
export function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}
