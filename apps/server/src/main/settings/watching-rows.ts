import { z } from 'zod';
import {
  choice,
  collector,
  decimal,
  host,
  secret,
  setting,
  text,
  whole,
  withDefault,
} from './setting-kinds.js';

/** Names and values as the specification of OpenTelemetry writes them; a value may be percent-encoded. */
const otlpPairs = /^[^\s=,]+=[^,\r\n]*(,\s*[^\s=,]+=[^,\r\n]*)*$/;

/** What is told to those who run it. */
export const watchingSettings = {
  SWITCHYARD_LOG_LEVEL: withDefault(
    choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      meaning: 'The lowest level that is logged.',
    }),
    'warn',
  ),
  SWITCHYARD_MANAGEMENT_PORT: whole({
    min: 1,
    max: 65_535,
    meaning:
      'A port for `/metrics`, `/livez`, `/readyz` and `/log-level`, without credentials. The public port then has no `/metrics`.',
  }),
  SWITCHYARD_MANAGEMENT_HOST: withDefault(
    setting(
      { type: 'a host name or an IP address', schema: host },
      { meaning: 'The address of the management port. Whoever reaches it may change the level of the log.' },
    ),
    '127.0.0.1',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    { type: 'an address that begins with https:// or http://', schema: collector },
    {
      meaning:
        'The collector that takes traces (OTLP over HTTP); `/v1/traces` is added. The address is yours and passes no guard.',
      absentText: 'no traces',
    },
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret('NAME=VALUE, separated by commas', otlpPairs, {
    meaning: 'Headers for the collector, for example a credential.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS_FILE: text('the path of a file', {
    meaning: 'A file with these headers, instead of `OTEL_EXPORTER_OTLP_HEADERS`.',
  }),
  OTEL_SERVICE_NAME: withDefault(
    text('a name', { meaning: 'The name of this service in traces.' }),
    'switchyard',
  ),
  OTEL_RESOURCE_ATTRIBUTES: setting(
    { type: 'NAME=VALUE, separated by commas', schema: z.string().regex(otlpPairs) },
    { meaning: 'Attributes of every trace, for example `deployment.environment.name=production`.' },
  ),
  OTEL_TRACES_SAMPLER_ARG: withDefault(
    decimal({
      min: 0,
      max: 1,
      meaning: 'The share of new traces that is recorded. No caller can change it.',
    }),
    '0.01',
  ),
  SWITCHYARD_TOKEN: secret('a token', /^\S+$/, {
    meaning: 'For commands: the token to use.',
    absentText: 'one made for the command',
  }),
  SWITCHYARD_DEBUG: text('any text', {
    meaning: 'For commands: show an unexpected error with its stack trace.',
  }),
} as const;
