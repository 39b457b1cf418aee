import type { OtlpSettings } from '@switchyard/telemetry';
import { defined, err, ok, type Result } from '@switchyard/values';
import type { StartFailure } from '../../platform/start-failure.js';
import { readText } from './read-text.js';
import type { Settings } from './settings.js';

export type TraceSettings = Omit<OtlpSettings, 'onDropped'>;

/** Where traces go; undefined without a collector. The failure names what is wrong, and no secret. */
export function readTraceSettings(settings: Settings): Result<TraceSettings | undefined, StartFailure> {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: given,
    OTEL_EXPORTER_OTLP_HEADERS_FILE: file,
    OTEL_RESOURCE_ATTRIBUTES: attributes,
  } = settings;
  if (given !== undefined && file !== undefined)
    return refused('Give OTEL_EXPORTER_OTLP_HEADERS or OTEL_EXPORTER_OTLP_HEADERS_FILE, not both.');
  const headers = file === undefined ? given : readText(file);
  if (file !== undefined && headers === undefined)
    return refused('The file of OTEL_EXPORTER_OTLP_HEADERS_FILE cannot be read.');
  if (endpoint === undefined) return ok(undefined);
  return ok({
    endpoint,
    serviceName: settings.OTEL_SERVICE_NAME,
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
    ...defined({
      headers: headers === undefined ? undefined : pairsIn(headers),
      attributes: attributes === undefined ? undefined : pairsIn(attributes),
    }),
  });
}

const refused = (message: string): Result<never, StartFailure> => err({ code: 'settings', message });

/** `NAME=VALUE` pairs; a value that is no percent-encoding is taken as it is. */
function pairsIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return [name.trim(), decoded(value.join('=').trim())] as const;
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ''));
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
