import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { err, ok, type Result } from '@switchyard/values';
import type { EmbeddedFailure } from './embedded-failure.js';

/** The user that PostgreSQL runs as, and the command to switch to it. `uid` is absent if there is no switch. */
export interface ServerIdentity {
  readonly uid?: number;
  readonly wrap: (command: string, args: readonly string[]) => readonly [string, readonly string[]];
}

/**
 * PostgreSQL refuses to run as root, so root starts it as the owner of the cluster, or on first start as `postgres`,
 * else `nobody`.
 *
 * That account cannot read below a private directory such as root's home, where binaries and data may be. So it keeps
 * one capability, dac_override, and no other; without the secure bit the kernel would clear it from the effective set
 * at the change of uid.
 */
export function serverIdentity(clusterFolder: string): Result<ServerIdentity, EmbeddedFailure> {
  const own = process.getuid?.();
  const owner = existsSync(clusterFolder) ? statSync(clusterFolder) : undefined;
  if (own !== 0) {
    if (owner !== undefined && owner.uid !== own)
      return err({
        code: 'wrong_owner',
        message: `The data in ${clusterFolder} belongs to another user (uid ${owner.uid}). Start as that user, or choose another folder with --data.`,
      });
    return ok({ wrap: (command, args) => [command, args] });
  }
  const account = owner !== undefined && owner.uid !== 0 ? owner : accountNamed('postgres', 'nobody');
  if (account === undefined)
    return err({
      code: 'no_user',
      message: 'PostgreSQL does not run as root, and there is no account named postgres or nobody. Add one.',
    });
  const setpriv = onPath('setpriv');
  if (setpriv === undefined)
    return err({
      code: 'no_setpriv',
      message:
        'PostgreSQL does not run as root, and setpriv (package util-linux) is missing. Install it, or start as an ordinary user.',
    });
  const onlyOverride = '-all,+dac_override';
  const drop = [
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    `--inh-caps=${onlyOverride}`,
    `--ambient-caps=${onlyOverride}`,
    `--bounding-set=${onlyOverride}`,
    '--securebits=+no_setuid_fixup',
  ];
  return ok({ uid: account.uid, wrap: (command, args) => [setpriv, [...drop, command, ...args]] });
}

function accountNamed(...names: readonly string[]): { uid: number; gid: number } | undefined {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of names) {
    const found = accounts.find((fields) => fields[0] === name);
    if (found !== undefined) return { uid: Number(found[2]), gid: Number(found[3]) };
  }
  return undefined;
}

/** The operating system's search path of programs. It is not a setting of ours. */
export function searchPath(): string {
  // eslint-disable-next-line no-restricted-properties -- PATH has one meaning everywhere.
  return process.env['PATH'] ?? '/usr/bin:/bin';
}

function onPath(command: string): string | undefined {
  return searchPath()
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((path) => existsSync(path));
}
