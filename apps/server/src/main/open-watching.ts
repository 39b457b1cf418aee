import { openMail, type Mail } from '@switchyard/mail';
import { createTelemetry, openTracing, runningTrace, type Tracing } from '@switchyard/telemetry';
import type { Closer } from './close-in-order.js';
import type { Configuration } from './settings/read-configuration.js';
import { tracedEvents } from './traced.js';

/** How a process tells what it does, and its mail server. */
export interface Watching extends ReturnType<typeof createTelemetry> {
  readonly tracing: Tracing;
  readonly onUnexpected: (error: unknown, where: string) => void;
  /** Absent without a mail server. */
  readonly mail: Mail | undefined;
}

/** Opens the log, the metrics, the traces and the way to the mail server. */
export async function openWatching(
  { settings, traces, mail: mailSettings }: Configuration,
  version: string,
  closers: Closer[],
): Promise<Watching> {
  const mail = mailSettings === undefined ? undefined : openMail(mailSettings);
  if (mail !== undefined) closers.push(() => Promise.resolve(mail.close()));
  const telemetry = createTelemetry({ level: settings.SWITCHYARD_LOG_LEVEL, version });
  const { logger, metrics } = telemetry;
  const tracing = await openTracing(
    traces && { ...traces, onDropped: (spans) => metrics.spansDropped.inc(spans) },
  );
  closers.push(() => tracing.close());
  return {
    ...{ logger, metrics, tracing, mail, events: tracedEvents(telemetry.events, tracing) },
    onUnexpected: (error, where) =>
      logger.error({ err: error, where, ...runningTrace(tracing) }, 'unexpected'),
  };
}
