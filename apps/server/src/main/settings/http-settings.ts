import { readFileSync } from 'node:fs';
import { isLoopback } from '../../platform/http/access/peer-address.js';
import { err, ok, Secret, type Result } from '@switchyard/values';
import type { ServerOptions } from '../server.js';
import type { StartFailure } from '../../platform/start-failure.js';
import type { Settings } from './settings.js';

/**
 * `local` is for trials on one machine: published test keys are valid, callbacks and sellers may be on loopback over
 * plain http, and `comply_test_controller` is offered. `production` allows none of these.
 */
export type Profile = 'local' | 'production';

/** Where the HTTP servers bind and their public address, from the environment. */
export type HttpSettings = Pick<
  ServerOptions,
  'host' | 'publicUrl' | 'origins' | 'tls' | 'trustedProxies' | 'clientCertificates' | 'mcpText'
> & { readonly profile: Profile };

/**
 * Combines the settings of the HTTP servers: the profile, and certificates read from their files. `given.host` is the
 * address to bind unless a setting names one.
 */
export function readHttpSettings(
  settings: Settings,
  given: { readonly host?: string | undefined } = {},
): Result<HttpSettings, StartFailure> {
  const host = settings.SWITCHYARD_HOST;
  const publicUrl = settings.SWITCHYARD_PUBLIC_URL;
  const proxies = settings.SWITCHYARD_TRUSTED_PROXIES;
  const profile = readProfile(settings.SWITCHYARD_PROFILE, {
    SWITCHYARD_PUBLIC_URL: publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname),
    SWITCHYARD_TRUSTED_PROXIES: proxies !== undefined,
    SWITCHYARD_HOST: !isLoopback(host ?? given.host ?? '127.0.0.1'),
  });
  if (!profile.ok) return profile;
  const tls = readTls(settings.SWITCHYARD_TLS_CERT_FILE, settings.SWITCHYARD_TLS_KEY_FILE);
  if (!tls.ok) return tls;
  if (host !== undefined && !isLoopback(host) && tls.value === undefined && proxies === undefined)
    return refused(
      `SWITCHYARD_HOST (${host}) would take credentials in plain text. Give SWITCHYARD_TLS_CERT_FILE and ` +
        'SWITCHYARD_TLS_KEY_FILE, or SWITCHYARD_TRUSTED_PROXIES, or bind to 127.0.0.1.',
    );
  const clients = readClientAuthorities(settings, tls.value !== undefined);
  if (!clients.ok) return clients;
  return ok({
    profile: profile.value,
    ...(clients.value === undefined ? {} : { clientCertificates: clients.value }),
    ...(host === undefined ? {} : { host }),
    mcpText: settings.SWITCHYARD_MCP_TEXT,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(settings.SWITCHYARD_ORIGINS === undefined ? {} : { origins: settings.SWITCHYARD_ORIGINS }),
    ...(tls.value === undefined ? {} : { tls: tls.value }),
    ...(proxies === undefined ? {} : { trustedProxies: proxies }),
  });
}

/**
 * Without the setting an instance is local only while no other setting makes it reachable beyond this machine. `local`
 * together with one that does is refused: strangers would reach what is for trials.
 */
function readProfile(
  reported: Profile | undefined,
  leadsBeyond: Readonly<Record<string, boolean>>,
): Result<Profile, StartFailure> {
  const beyond = Object.keys(leadsBeyond).filter((name) => leadsBeyond[name]);
  if (reported === undefined) return ok(beyond.length === 0 ? 'local' : 'production');
  if (reported === 'production' || beyond.length === 0) return ok(reported);
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
  settings: Settings,
  hasTls: boolean,
): Result<ServerOptions['clientCertificates'], StartFailure> {
  const file = settings.SWITCHYARD_TLS_CLIENT_CA_FILE;
  const proxies = settings.SWITCHYARD_CLIENT_CERT_PROXIES;
  if (file === undefined && proxies === undefined) return ok(undefined);
  if (file === undefined || !hasTls) {
    return refused(
      'SWITCHYARD_CLIENT_CERT_PROXIES needs SWITCHYARD_TLS_CLIENT_CA_FILE, and both need a certificate of our own (SWITCHYARD_TLS_CERT_FILE).',
    );
  }
  try {
    const authorities = readFileSync(file, 'utf8');
    return ok({ authorities, proxies: proxies ?? [] });
  } catch {
    return refused('The authorities in SWITCHYARD_TLS_CLIENT_CA_FILE cannot be read.');
  }
}

function refused(message: string): Result<never, StartFailure> {
  return err({ code: 'settings', message });
}
