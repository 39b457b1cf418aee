import type { Logger } from 'pino';
import { createLogger, type LoggerOptions } from './create-logger.js';
import { createMetrics, type MetricsRegistry } from './create-metrics.js';

interface Telemetry {
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

interface TelemetryOptions extends LoggerOptions {
  /** Adds memory, CPU and event loop of this process to the metrics. Default: true. */
  readonly processFigures?: boolean;
}

/** The logger and the metrics of a process. */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  return { logger: createLogger(options), metrics: createMetrics(options.processFigures ?? true) };
}
