import { pino, type DestinationStream, type Logger } from 'pino';
import { maskLine, redact } from './redact.js';

export interface LoggerOptions {
  /** pino's level; `info` when absent. */
  readonly level?: string;
  /** Where lines go: standard error when absent, since standard output belongs to answers. */
  readonly destination?: DestinationStream;
}

/**
 * A logger of JSON lines that holds secrets back twice: every object is copied without the values of secret names,
 * and every finished line is searched for what looks like a credential, wherever it came from.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const destination = options.destination ?? standardError();
  const copy = (object: Record<string, unknown>): Record<string, unknown> => redact(object) as typeof object;
  return pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // The copies below are made already: pino's own reading of errors would only rename them.
      serializers: { err: (value: unknown) => value },
      formatters: { level: (label) => ({ level: label }), log: copy },
    },
    { write: (line) => destination.write(maskLine(line)) },
  );
}

/** A terminal that was closed takes no lines any more: that must not end the process before it has stopped its work. */
function standardError(): DestinationStream {
  const destination = pino.destination({ fd: 2, sync: true });
  destination.on('error', () => undefined);
  return destination;
}
