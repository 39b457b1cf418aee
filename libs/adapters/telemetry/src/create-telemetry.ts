import type { Logger } from 'pino';
import { createLogger, type LoggerOptions } from './create-logger.js';
import { createMetrics, type MetricsRegistry } from './create-metrics.js';

export interface Telemetry {
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

export interface TelemetryOptions extends LoggerOptions {
  /** Memory, CPU and event loop of this process among the figures. True when absent. */
  readonly processFigures?: boolean;
}

/** What a process says about itself: lines and figures. */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  return { logger: createLogger(options), metrics: createMetrics(options.processFigures ?? true) };
}
