export { createTelemetry } from './create-telemetry.js';
export type { EventFields, EventLog } from './event-log.js';
export type { Metrics, MetricsRegistry } from './create-metrics.js';
export { openTracing } from './open-tracing.js';
export type { OtlpSettings } from './otlp-tracing.js';
export { noTracing, runningTrace, tracedCalls, type TraceSpan, type Tracing } from './tracing.js';
