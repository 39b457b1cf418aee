import type { OtlpSettings } from './otlp-tracing.js';
import { noTracing, type Tracing } from './tracing.js';

/** Traces to a collector; without one the packages for it are not even loaded. */
export async function openTracing(settings: OtlpSettings | undefined): Promise<Tracing> {
  if (settings === undefined) return noTracing;
  const { otlpTracing } = await import('./otlp-tracing.js');
  return otlpTracing(settings);
}
