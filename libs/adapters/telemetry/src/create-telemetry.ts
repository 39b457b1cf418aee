import type { Logger } from 'pino';
import { createLogger, type LoggerOptions } from './create-logger.js';
import { createMetrics, type MetricsRegistry } from './create-metrics.js';
import { createEventLog, type EventLog } from './event-log.js';

interface Telemetry {
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventLog;
}

interface TelemetryOptions extends LoggerOptions {
  /** Adds memory, CPU and event loop of this process to the metrics. Default: true. */
  readonly processFigures?: boolean;
  /** The version of the product, for `build_info`. */
  readonly version?: string;
}

/** The logger, the event lines on it, and the metrics of a process. */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const logger = createLogger(options);
  return {
    logger,
    metrics: createMetrics(options.processFigures ?? true, options.version),
    events: createEventLog(logger),
  };
}
