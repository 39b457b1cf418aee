export { createTelemetry } from './create-telemetry.js';
export type { EventFields, EventLog } from './event-log.js';
export type { Metrics, MetricsRegistry } from './create-metrics.js';
