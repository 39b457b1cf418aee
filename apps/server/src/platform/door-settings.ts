import { readFileSync } from 'node:fs';
import { isLoopback } from '../doors/loopback.js';
import { err, ok, Secret, type Result } from '@switchyard/values';
import type { ServerOptions } from '../server.js';
import type { StartFailure } from './open-switchyard.js';

/**
 * `local` is for practice on one machine: published test keys count, callbacks and sellers may be on loopback over plain
 * http, and `comply_test_controller` is offered. `production` takes none of these.
 */
export type Profile = 'local' | 'production';

/** Where the doors bind and how they are reached, as the environment says. */
export type DoorSettings = Pick<
  ServerOptions,
  'host' | 'publicUrl' | 'tls' | 'trustedProxies' | 'clientCertificates' | 'mcpText'
> & { readonly profile: Profile };

/**
 * Reads `SWITCHYARD_PROFILE` (`local` or `production`), `SWITCHYARD_HOST`, `SWITCHYARD_PUBLIC_URL` (what
 * counterparties are told), `SWITCHYARD_TLS_CERT_FILE` with `SWITCHYARD_TLS_KEY_FILE` (PEM),
 * `SWITCHYARD_TRUSTED_PROXIES` (addresses or networks, separated by commas), `SWITCHYARD_TLS_CLIENT_CA_FILE` (PEM:
 * whose client certificates count) and `SWITCHYARD_CLIENT_CERT_PROXIES` (names of proxies that hand over
 * `Client-Cert`, separated by commas, written as `principals add --certificate` takes them), and `SWITCHYARD_MCP_TEXT`
 * (`summary` or `json`: the text of an answer over MCP).
 */
export function readDoorSettings(
  env: Readonly<Record<string, string | undefined>>,
  given: { readonly host?: string | undefined } = {},
): Result<DoorSettings, StartFailure> {
  const host = textOf(env['SWITCHYARD_HOST']);
  const publicUrl = textOf(env['SWITCHYARD_PUBLIC_URL'])?.replace(/\/+$/, '');
  const proxies = textOf(env['SWITCHYARD_TRUSTED_PROXIES']);
  if (publicUrl !== undefined && (!URL.canParse(publicUrl) || new URL(publicUrl).pathname !== '/')) {
    return refused('SWITCHYARD_PUBLIC_URL should look like https://switchyard.example, without a path.');
  }
  const profile = readProfile(textOf(env['SWITCHYARD_PROFILE']), {
    SWITCHYARD_PUBLIC_URL: publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname),
    SWITCHYARD_TRUSTED_PROXIES: proxies !== undefined,
    SWITCHYARD_HOST: !isLoopback(host ?? given.host ?? '127.0.0.1'),
  });
  if (!profile.ok) return profile;
  const tls = readTls(textOf(env['SWITCHYARD_TLS_CERT_FILE']), textOf(env['SWITCHYARD_TLS_KEY_FILE']));
  if (!tls.ok) return tls;
  const mcpText = textOf(env['SWITCHYARD_MCP_TEXT']);
  if (mcpText !== undefined && mcpText !== 'summary' && mcpText !== 'json')
    return refused('SWITCHYARD_MCP_TEXT is summary or json.');
  const clients = readClientAuthorities(env, tls.value !== undefined);
  if (!clients.ok) return clients;
  return ok({
    profile: profile.value,
    ...(clients.value === undefined ? {} : { clientCertificates: clients.value }),
    ...(host === undefined ? {} : { host }),
    ...(mcpText === undefined ? {} : { mcpText }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(tls.value === undefined ? {} : { tls: tls.value }),
    ...(proxies === undefined ? {} : { trustedProxies: proxies.split(',').map((each) => each.trim()) }),
  });
}

/**
 * Without the setting an instance is local only while no other setting leads beyond this machine. `local` together with
 * one that does is refused: strangers would reach what is for practice.
 */
function readProfile(
  said: string | undefined,
  leadsBeyond: Readonly<Record<string, boolean>>,
): Result<Profile, StartFailure> {
  const beyond = Object.keys(leadsBeyond).filter((name) => leadsBeyond[name]);
  if (said === undefined) return ok(beyond.length === 0 ? 'local' : 'production');
  if (said !== 'local' && said !== 'production')
    return refused('SWITCHYARD_PROFILE is either local or production.');
  if (said === 'production' || beyond.length === 0) return ok(said);
  return refused(
    `The local profile is for practice on this machine alone, and ${beyond.join(' and ')} would let others reach it. ` +
      `Set SWITCHYARD_PROFILE=production, or remove ${beyond.join(' and ')}.`,
  );
}

function readTls(
  certificateFile: string | undefined,
  keyFile: string | undefined,
): Result<NonNullable<ServerOptions['tls']> | undefined, StartFailure> {
  if (certificateFile === undefined && keyFile === undefined) return ok(undefined);
  if (certificateFile === undefined || keyFile === undefined) {
    return refused('SWITCHYARD_TLS_CERT_FILE and SWITCHYARD_TLS_KEY_FILE are given together or not at all.');
  }
  try {
    return ok({ certificate: readFileSync(certificateFile, 'utf8'), key: new Secret(readFileSync(keyFile)) });
  } catch {
    return refused(
      'The certificate or its key cannot be read: see SWITCHYARD_TLS_CERT_FILE and SWITCHYARD_TLS_KEY_FILE.',
    );
  }
}

function readClientAuthorities(
  env: Readonly<Record<string, string | undefined>>,
  hasTls: boolean,
): Result<ServerOptions['clientCertificates'], StartFailure> {
  const file = textOf(env['SWITCHYARD_TLS_CLIENT_CA_FILE']);
  const proxies = textOf(env['SWITCHYARD_CLIENT_CERT_PROXIES']);
  if (file === undefined && proxies === undefined) return ok(undefined);
  if (file === undefined || !hasTls) {
    return refused(
      'Client certificates need SWITCHYARD_TLS_CLIENT_CA_FILE and a certificate of our own (SWITCHYARD_TLS_CERT_FILE).',
    );
  }
  try {
    const authorities = readFileSync(file, 'utf8');
    return ok({ authorities, proxies: proxies?.split(',').map((each) => each.trim()) ?? [] });
  } catch {
    return refused('The authorities in SWITCHYARD_TLS_CLIENT_CA_FILE cannot be read.');
  }
}

function refused(message: string): Result<never, StartFailure> {
  return err({ code: 'settings', message });
}

function textOf(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}
