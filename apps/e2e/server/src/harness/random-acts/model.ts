import {
  brandOf,
  gives,
  isLooser,
  isSurelyLower,
  rolesAtFirst,
  type FourEyes,
  type HeldRole,
  type Limit,
  type Permission,
  type Place,
  type Reaction,
} from './rules.js';

export interface ModelPrincipal {
  readonly id: string;
  readonly name: string;
  readonly kind: 'person' | 'agent';
  readonly roles: Map<string, HeldRole>;
  /** Ids of principals that made it or were given a credential of it. */
  readonly holders: Set<string>;
}

/** A credential: a person's or an agent's token, or what a person has let a program have. */
export interface Actor {
  readonly label: string;
  readonly org: string;
  readonly principalId: string;
  readonly token: string;
  /** Of a program: areas that it may change, and its own limit. */
  readonly program?: { readonly areas: readonly string[]; readonly limit: Limit };
}

/** A change of the controls that another person must approve. */
interface WaitingChange {
  readonly by: string;
  /** The permission of who decides. */
  readonly decides: Permission;
  readonly apply: () => void;
}

export interface Bought {
  readonly label: string;
  readonly id: string;
  readonly by: Actor;
  readonly brand: string;
  readonly sellers: readonly string[];
  /** Whether its seller has begun it some days ago, and has something to report. */
  readonly begins: boolean;
}

/** A campaign, with what holds its buys back: its budget in micros of USD, its last day, and its own rule above budget. */
export interface ModelCampaign {
  readonly brand: string;
  readonly clientId: string;
  readonly budget: bigint;
  readonly to: string;
  readonly above?: Reaction;
}

/** What waits for an approval. */
export interface OpenRequest {
  /** UUID. */
  readonly id: string;
  /** UUID of the principal. */
  readonly by: string;
  readonly decides: Permission;
  /** The buy that it makes or changes. */
  readonly buy: string | null;
}

/** What one organization legitimately is, by the rules and by what was answered. */
export class OrgModel {
  readonly principals = new Map<string, ModelPrincipal>();
  readonly roles = new Map<string, readonly Permission[]>(Object.entries(rolesAtFirst));
  /** By what it is for and its period, as `client:ID month`. */
  readonly limits = new Map<string, Limit>();
  /** Decimal text by `USD EUR`. */
  readonly rates = new Map<string, string>();
  readonly waiting = new Map<string, WaitingChange>();
  /** Client by brand. */
  readonly clientOfBrand = new Map<string, string>();
  readonly campaigns = new Map<string, ModelCampaign>();
  readonly buys = new Map<string, Bought>();
  /** Stored ids of limits and grants, by label. */
  readonly ids = new Map<string, string>();
  readonly brandsBought = new Set<string>();
  /** Buys that another person approved, and that have not been seen to go to their sellers yet. */
  readonly approvedBuys = new Set<string>();
  /** Ids by the labels that acts name them by, because every play has ids of its own. */
  readonly labels = new Map<string, string>();
  /** What was open after the last act, oldest first. */
  openRequests: readonly OpenRequest[] = [];
  fourEyes: FourEyes = 'known';
  /** The rule above budget of campaigns that have none of their own. */
  above: Reaction = 'ask';

  constructor(
    readonly name: string,
    readonly id: string,
    readonly domain: string,
  ) {}

  /** The id of a label; another text is taken as it is. After `client:` and the like too. */
  idIn(text: string): string {
    const at = text.indexOf(':') + 1;
    return text.slice(0, at) + (this.labels.get(text.slice(at)) ?? text.slice(at));
  }

  labelIn(text: string): string {
    const at = text.indexOf(':') + 1;
    const [label = text.slice(at)] =
      [...this.labels].find(([, id]) => id !== '' && id === text.slice(at)) ?? [];
    return text.slice(0, at) + label;
  }

  may(principalId: string, permission: Permission, place: Place = {}): boolean {
    const principal = this.principals.get(principalId);
    return [...(principal?.roles.values() ?? [])].some((held) =>
      gives(held, this.roles.get(held.role) ?? [], permission, principalId, place),
    );
  }

  /** Whether it has the permission anywhere. */
  hasAnywhere(principalId: string, permission: Permission): boolean {
    const held = this.principals.get(principalId)?.roles.values() ?? [];
    return [...held].some(({ role }) => this.roles.get(role)?.includes(permission) === true);
  }

  private holdersOf(principalId: string): ReadonlySet<string> {
    const found = new Set([principalId]);
    for (const id of found) for (const holder of this.principals.get(id)?.holders ?? []) found.add(holder);
    return found;
  }

  /** Whether a decision of one on the other's request is one person's alone. */
  isOnePerson(one: string, other: string): boolean {
    const [ones, others] = [this.holdersOf(one), this.holdersOf(other)];
    if (ones.has(other) || others.has(one)) return true;
    return this.fourEyes === 'strict' && [...ones].some((id) => others.has(id));
  }

  /**
   * Whether nobody else has to decide: four eyes are off, or the requester could decide, and nobody else but whom he can
   * act as. Then one person may change the controls alone.
   */
  needsNobody(requester: string, decides: Permission, place: Place = {}): boolean {
    if (this.fourEyes === 'off') return true;
    if (!this.may(requester, decides, place)) return false;
    return [...this.principals.keys()].every(
      (id) => !this.may(id, decides, place) || this.holdersOf(id).has(requester),
    );
  }

  /** Whether one person may set a limit at once, or remove it. */
  mayLimitAtOnce(by: string, key: string, wanted: Limit | undefined): boolean {
    const before = this.limits.get(key);
    if (before === undefined || this.needsNobody(by, 'ledger.approve', placeOfLimit(key))) return true;
    return wanted !== undefined && isSurelyLower(wanted, before);
  }

  /** A rate makes room if a limit counts by it and it is lower than the one before. */
  mayRateAtOnce(by: string, [from, to]: readonly [string, string], rate: string): boolean {
    const before = this.rates.get(`${from} ${to}`);
    const isUsed = [...this.limits.values()].some(({ currency }) => currency === to);
    if (before === undefined || !isUsed || Number(rate) >= Number(before)) return true;
    return this.needsNobody(by, 'ledger.approve');
  }

  /** What the budgets of campaigns allow, as limits. */
  budgets(): readonly (readonly [string, Limit])[] {
    return [...this.campaigns].flatMap(([id, { budget, above = this.above }]) =>
      above === 'warn' ? [] : [[`campaign:${id}`, { micros: budget, currency: 'USD', above }] as const],
    );
  }

  maySwitchAtOnce(by: string, wanted: FourEyes): boolean {
    return !isLooser(wanted, this.fourEyes) || this.needsNobody(by, 'principals.write');
  }

  /** Ids of the campaigns of a brand; those with a limit three times, so that they are drawn more often. */
  campaignsOf(brand: string): readonly string[] {
    const all = [...this.campaigns].filter(([, campaign]) => campaign.brand === brand).map(([id]) => id);
    const limited = all.filter((id) => this.limits.has(`campaign:${id}`));
    return [...limited, ...limited, ...all];
  }

  /** The place of a buy outside of campaigns. */
  placeOf({ brand, by }: Pick<Bought, 'brand' | 'by'>): Place {
    return { brand, clientId: this.clientOfBrand.get(brand), ownerId: by.principalId };
  }

  /** Who can both set limits and buy, and where: each as `principal place`. */
  joined(): ReadonlySet<string> {
    const places: Place[] = [...this.clientOfBrand].map(([brand, clientId]) => ({ brand, clientId }));
    for (const [campaignId, { brand, clientId }] of this.campaigns)
      places.push({ brand, clientId, campaignId });
    const found = new Set<string>();
    for (const id of this.principals.keys())
      for (const place of [{}, ...places].map((at) => ({ ...at, ownerId: id })))
        if (this.may(id, 'ledger.write', place) && this.may(id, 'media_buys.write', place))
          found.add(`${id} ${JSON.stringify(place)}`);
    return found;
  }

  setLimit(key: string, wanted: Limit | undefined): void {
    if (wanted === undefined) this.limits.delete(key);
    else this.limits.set(key, wanted);
  }

  /** Whether the holder may buy for a brand: one of a client needs a scope that covers it. */
  mayBuyFor(principalId: string, spelled: string, campaignId?: string): boolean {
    const brand = brandOf(spelled);
    const clientId = this.clientOfBrand.get(brand);
    const place: Place = { clientId, brand, campaignId };
    return (
      this.may(principalId, 'media_buys.write', place) ||
      (clientId === undefined && this.hasAnywhere(principalId, 'media_buys.write'))
    );
  }
}

/** Where the object of a limit is, by its key. */
function placeOfLimit(key: string): Place {
  const [of = ''] = key.split(' ');
  const [kind, id] = [of.slice(0, of.indexOf(':')), of.slice(of.indexOf(':') + 1)];
  if (kind === 'client') return { clientId: id };
  if (kind === 'brand') return { brand: id };
  return kind === 'campaign' ? { campaignId: id } : {};
}
