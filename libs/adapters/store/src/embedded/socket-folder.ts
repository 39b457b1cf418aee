import { join } from 'node:path';

/** What Linux takes as the address of a socket in the file system, in bytes, without the zero at its end. */
const longestAddress = 107;

/**
 * Where the server of a cluster puts its socket: into the cluster's own folder, which is private. A round trip over it
 * costs both sides about a quarter less than one over the loopback interface. Undefined where the path is too long, or
 * has what a list of folders in a setting would not take as it is; then there is only the port.
 */
export function socketFolderOf(cluster: string): string | undefined {
  const longest = join(cluster, '.s.PGSQL.65535');
  if (Buffer.byteLength(longest) > longestAddress || !/^[\w/.+@~-]+$/.test(cluster)) return undefined;
  return cluster;
}

/** The same server by its socket: the name and port in the address stay as they were, for whoever prints or reads it. */
export function bySocket(url: string, folder: string): string {
  const through = new URL(url);
  through.searchParams.set('host', folder);
  return through.href;
}
