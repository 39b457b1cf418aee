export { createTelemetry, type Telemetry, type TelemetryOptions } from './create-telemetry.js';
export { createLogger, type LoggerOptions } from './create-logger.js';
export type { Metrics, MetricsRegistry } from './create-metrics.js';
export { maskText, redact } from './redact.js';
export type { Logger } from 'pino';
