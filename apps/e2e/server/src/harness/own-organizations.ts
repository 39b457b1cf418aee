/** An organization of a shared instance, in which one suite works. */
export interface OwnOrganization {
  readonly id: string;
  /** The token of its admin, who has every permission. */
  readonly token: string;
  /** The data folder of the instance. */
  readonly instanceData: string;
}

/** By the folder of the suite, which stands for a data folder: commands, markets and views of the database take it. */
const known = new Map<string, OwnOrganization>();

export const organizationAt = (folder: string): OwnOrganization | undefined => known.get(folder);

/** The data folder of the instance that the folder of a suite stands for. */
export const instanceDataOf = (folder: string): string => known.get(folder)?.instanceData ?? folder;

export function rememberOrganization(folder: string, organization: OwnOrganization): void {
  known.set(folder, organization);
}

/** What a command on that folder acts as, unless it names a token itself. */
export function environmentAt(args: readonly string[]): Readonly<Record<string, string>> {
  const at = args.indexOf('--data');
  const own = at < 0 ? undefined : known.get(args[at + 1] ?? '');
  return own === undefined || args.includes('--token') ? {} : { SWITCHYARD_TOKEN: own.token };
}
