import { takesConnections } from '@switchyard/egress';
import { openMail } from '@switchyard/mail';
import { inspectRedis } from '@switchyard/queue';
import { isJsonObject, parseStrictJson } from '@switchyard/values';
import { fine, skipped, warning, wrong, type Check } from './check.js';

const answerMs = 4_000;

/** Checks of what the installation reaches and is reached by. */
export const networkChecks: readonly Check[] = [
  {
    id: 'redis',
    what: 'Redis answers, and never drops jobs when its memory is full',
    remedy: 'Start it or correct REDIS_URL; set `maxmemory-policy noeviction`.',
    run: async ({ configuration }) => {
      const url = configuration.ok ? configuration.value.settings.REDIS_URL : undefined;
      if (url === undefined) return skipped('Jobs are in PostgreSQL.');
      const read = await inspectRedis(url, answerMs);
      if (!read.ok) return wrong(`It does not answer: ${read.error.message}`);
      const { version, evictionPolicy } = read.value;
      if (evictionPolicy !== undefined && evictionPolicy !== 'noeviction')
        return warning(`Its policy is ${evictionPolicy}.`);
      return new URL(url).password === ''
        ? warning(`Redis ${version} has no password.`)
        : fine(`Redis ${version}`);
    },
  },
  {
    id: 'public_address',
    what: 'the public address leads to this product',
    remedy: 'Correct SWITCHYARD_PUBLIC_URL, its name, or the proxy.',
    run: async ({ configuration, egress }) => {
      const url = configuration.ok ? configuration.value.http.publicUrl : undefined;
      if (url === undefined) return skipped('SWITCHYARD_PUBLIC_URL is not set.');
      const got = await egress.request({
        method: 'GET',
        url: `${url}/healthz`,
        maxBytes: 10_000,
        timeoutMs: answerMs,
      });
      if (!got.ok) return warning(`${url} cannot be reached from here: ${got.error.code}`);
      return got.value.status === 200 ? fine(url) : wrong(`${url}/healthz answers ${got.value.status}.`);
    },
  },
  {
    id: 'sign_in',
    what: 'the OpenID Connect provider answers under its own name',
    remedy: 'Correct SWITCHYARD_OIDC_ISSUER: exactly as in the `iss` of its tokens.',
    run: async ({ configuration, egress }) => {
      const issuer = configuration.ok ? configuration.value.settings.SWITCHYARD_OIDC_ISSUER : undefined;
      if (issuer === undefined) return skipped('None is set.');
      const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
      const got = await egress.request({ method: 'GET', url, maxBytes: 200_000, timeoutMs: answerMs });
      if (!got.ok) return wrong(`${url} cannot be reached: ${got.error.code}`);
      const read = parseStrictJson(got.value.body);
      const named = read.ok && isJsonObject(read.value.value) ? read.value.value['issuer'] : undefined;
      return named === issuer ? fine(issuer) : wrong(`${url} names another issuer.`);
    },
  },
  {
    id: 'mail',
    what: 'the mail server accepts our sign-in',
    remedy: 'Correct the settings that begin with SWITCHYARD_SMTP_.',
    run: async ({ configuration }) => {
      const settings = configuration.ok ? configuration.value.mail : undefined;
      if (settings === undefined) return skipped('No mail server is set: nobody gets mail.');
      const mail = openMail(settings);
      const greeted = await mail.check();
      mail.close();
      return greeted.ok
        ? fine(`${settings.host}:${settings.port}`)
        : wrong(`${settings.host}:${settings.port} answers ${greeted.error.code}.`);
    },
  },
  {
    id: 'collector',
    what: 'the collector of traces can be reached',
    remedy: 'Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT; meanwhile traces are dropped.',
    run: async ({ configuration }) => {
      const endpoint = configuration.ok ? configuration.value.traces?.endpoint : undefined;
      if (endpoint === undefined) return skipped('Traces are off.');
      const { host } = new URL(endpoint);
      return (await takesConnections(endpoint, answerMs))
        ? fine(host)
        : warning(`${host} takes no connection.`);
    },
  },
];
