/** Paths of members, or of their beginnings, and the schemas to which the reason applies. */
export interface Reason {
  readonly why: string;
  /** `release task kind`, or the end of it. */
  readonly of: RegExp;
  readonly paths: readonly RegExp[];
}

/** Members of published schemas that no readable message has, and why. Every row is needed. */
export const neverMade: readonly Reason[] = [
  {
    why: 'An answer with errors is no success: it is read apart, and held in errors.spec.ts.',
    of: /response$/,
    paths: [/^errors(\[\]|$)/],
  },
  {
    why: 'Its kinds of assets are told apart by nothing: what fits one fits another, and then no message conforms.',
    of: /^2\.5 (syncCreatives|createMediaBuy|updateMediaBuy|listCreatives) /,
    paths: [/creatives\[\]\.assets\.\*\./],
  },
  {
    why: 'Where the answer comes later, or never, a task is followed, and there is no answer to be read.',
    of: /^3\.[01] (syncCreatives|createMediaBuy) response$/,
    paths: [/^(status|task_id|message)$/],
  },
  {
    why: 'Nobody is asked on condition that something has changed, so nobody answers that nothing has.',
    of: /^3\.1 (getProducts|getSignals) response$/,
    paths: [/^unchanged$/],
  },
  {
    why: 'By conditions alone it is said which country goes with which postal codes, and those are not looked into here.',
    of: /^3\.1 (getProducts|getSignals) response$/,
    paths: [/forecast\.points\[\]\.dimensions\[\]\.(country|system|geo_name)$/],
  },
  {
    why: 'The schema of a product forbids what the schema of its part allows.',
    of: /^3\.1 getProducts response$/,
    paths: [/^products\[\]\.publisher_properties\[\]\.publisher_domains$/],
  },
  {
    why: 'Events of an account are signed: a request that chooses another proof is refused.',
    of: /^3\.1 syncAccounts request$/,
    paths: [/^accounts\[\]\.notification_configs\[\]\.authentication/],
  },
];

/** Returns why a member has no message; undefined if there is no reason. */
export function whyNeverMade(of: string, path: string): Reason | undefined {
  return neverMade.find((reason) => reason.of.test(of) && reason.paths.some((one) => one.test(path)));
}
