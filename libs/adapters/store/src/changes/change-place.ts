/** A place in an organization's stream of changes: all changes up to it have been read. */
export interface ChangePlace {
  /** The transaction that wrote the change. */
  readonly tx: bigint;
  /** Its number among the changes of its transaction; 0 is before all of them. */
  readonly id: bigint;
}

/** Less than 0 if `one` comes before `other`. */
export function comparePlaces(one: ChangePlace, other: ChangePlace): number {
  if (one.tx !== other.tx) return one.tx < other.tx ? -1 : 1;
  if (one.id !== other.id) return one.id < other.id ? -1 : 1;
  return 0;
}

/** The text that clients store: `<tx>-<id>`. */
export function placeText({ tx, id }: ChangePlace): string {
  return `${tx}-${id}`;
}

/** Undefined for a text that {@link placeText} cannot have written. */
export function readPlace(text: string): ChangePlace | undefined {
  const [, tx, id] = /^(\d{1,18})-(\d{1,18})$/.exec(text) ?? [];
  return tx === undefined || id === undefined ? undefined : { tx: BigInt(tx), id: BigInt(id) };
}
