/** A place in an organization's stream of changes: everything up to it has been read. */
export interface ChangePlace {
  /** The transaction that wrote the change. */
  readonly tx: bigint;
  /** Its number among the changes of its transaction; 0 is before all of them. */
  readonly id: bigint;
}

/** Less than 0 where `one` comes before `other`. */
export function comparePlaces(one: ChangePlace, other: ChangePlace): number {
  if (one.tx !== other.tx) return one.tx < other.tx ? -1 : 1;
  if (one.id !== other.id) return one.id < other.id ? -1 : 1;
  return 0;
}

/** As clients keep it: `<tx>-<id>`. */
export function placeText({ tx, id }: ChangePlace): string {
  return `${tx}-${id}`;
}

/** Undefined for a text that {@link placeText} never wrote. */
export function readPlace(text: string): ChangePlace | undefined {
  const [, tx, id] = /^(\d{1,18})-(\d{1,18})$/.exec(text) ?? [];
  return tx === undefined || id === undefined ? undefined : { tx: BigInt(tx), id: BigInt(id) };
}
