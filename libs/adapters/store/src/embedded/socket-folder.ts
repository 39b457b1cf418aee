import { join } from 'node:path';

/** Longest path of a Unix socket on Linux, in bytes, without the final zero. */
const longestAddress = 107;

/**
 * Folder of a cluster's socket: the cluster's own private folder. A round trip over a socket costs both sides about a
 * quarter less than over the loopback interface. Undefined if the path is too long or has characters that a folder list
 * in a setting does not take; then only the port is used.
 */
export function socketFolderOf(cluster: string): string | undefined {
  const longest = join(cluster, '.s.PGSQL.65535');
  if (Buffer.byteLength(longest) > longestAddress || !/^[\w/.+@~-]+$/.test(cluster)) return undefined;
  return cluster;
}

/** The URL of the same server by its socket: name and port stay in it for readers. */
export function bySocket(url: string, folder: string): string {
  const through = new URL(url);
  through.searchParams.set('host', folder);
  return through.href;
}
