import { type Result, err, ok } from '@switchyard/values';
import { readTrustedIssuers, type TrustedIssuer } from '../../keys/trusted-issuers.js';
import type { StartFailure } from '../../platform/start-failure.js';
import { readHttpSettings, type HttpSettings } from './http-settings.js';
import { readLoadSettings, type LoadSettings } from './load-settings.js';
import { readRateSettings } from './rate-settings.js';
import { type Environment, readSettings, databaseProblems, type Settings } from './settings.js';
import type { MailSettings } from '@switchyard/mail';
import { readMailSettings } from './mail-settings.js';
import { readText } from './read-text.js';
import { readTraceSettings, type TraceSettings } from './trace-settings.js';
import type { RateSettings } from '../../platform/caller/rate-limits.js';

/** Reads the whole environment. The failure names every problem, one per line, and no secret. */
export function readConfiguration(
  env: Environment,
  given: { readonly host?: string | undefined } = {},
): Result<Configuration, StartFailure> {
  const { settings, problems } = readSettings(env);
  problems.push(...databaseProblems(env, settings));
  const http = readHttpSettings(settings, given);
  const issuers = readTrustedIssuers(settings);
  const rates = readRateSettings(settings);
  const mail = readMailSettings(settings);
  const traces = readTraceSettings(settings);
  const redis = readRedis(settings);
  for (const part of [http, issuers, mail, traces, redis]) if (!part.ok) problems.push(part.error.message);
  const load = readLoadSettings(settings, http.ok ? http.value.profile : 'production');
  if (load.stopGraceMs >= load.stopWithinMs)
    problems.push('SWITCHYARD_STOP_GRACE_SECONDS should be less than SWITCHYARD_STOP_SECONDS.');
  if (!env['SWITCHYARD_ORGANIZATION_NAME']?.trim() !== !env['SWITCHYARD_ORGANIZATION_DOMAIN']?.trim())
    problems.push(
      'SWITCHYARD_ORGANIZATION_NAME and SWITCHYARD_ORGANIZATION_DOMAIN should be given together or not at all.',
    );
  const { SWITCHYARD_OIDC_ISSUER: oidc, ...others } = settings;
  const beside = Object.entries(others).filter(
    ([name, value]) => name.startsWith('SWITCHYARD_OIDC_') && value !== undefined,
  );
  if (oidc === undefined ? beside.length > 0 : settings.SWITCHYARD_OIDC_CLIENT_ID === undefined)
    problems.push(
      'SWITCHYARD_OIDC_ISSUER and SWITCHYARD_OIDC_CLIENT_ID should be given together; without them no other SWITCHYARD_OIDC_ setting.',
    );
  if (!http.ok || !issuers.ok || !mail.ok || !traces.ok || !redis.ok || problems.length > 0)
    return err({ code: 'settings', message: problems.join('\n') });
  return ok({
    settings: { ...settings, ...redis.value },
    http: http.value,
    issuers: issuers.value,
    rates,
    load,
    mail: mail.value,
    traces: traces.value,
  });
}

/** The address of Redis with the password of its file. */
function readRedis({
  REDIS_URL: url,
  REDIS_PASSWORD_FILE: file,
}: Settings): Result<Partial<Settings>, { readonly message: string }> {
  if (file === undefined) return ok({});
  if (url === undefined || !URL.canParse(url))
    return err({ message: 'REDIS_PASSWORD_FILE needs a REDIS_URL without a password.' });
  const password = readText(file);
  if (password === undefined)
    return err({ message: `The file ${file} of REDIS_PASSWORD_FILE cannot be read.` });
  const full = new URL(url);
  full.password = encodeURIComponent(password);
  return ok({ REDIS_URL: full.href });
}

/** The whole configuration of an instance. */
export interface Configuration {
  readonly settings: Settings;
  readonly http: HttpSettings;
  readonly rates: RateSettings;
  readonly issuers: readonly TrustedIssuer[];
  readonly load: LoadSettings;
  /** Absent: no mail is sent. */
  readonly mail: MailSettings | undefined;
  /** Absent: no traces. */
  readonly traces: TraceSettings | undefined;
}
