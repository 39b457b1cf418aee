export { createTelemetry } from './create-telemetry.js';
export type { Metrics, MetricsRegistry } from './create-metrics.js';
