type Present<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

/** The members with a value: NULL in a row is an absent member in the domain. */
export function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  ) as Present<T>;
}
