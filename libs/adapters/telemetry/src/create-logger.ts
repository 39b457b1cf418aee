import { pino, type DestinationStream, type Logger } from 'pino';
import { maskLine, redact } from './redact.js';

export interface LoggerOptions {
  /** pino's level; `info` when absent. */
  readonly level?: string;
  /** Where lines are written. Default: standard error, because standard output is for answers. */
  readonly destination?: DestinationStream;
}

/**
 * Makes a logger of JSON lines that removes secrets twice: every object is copied without the values of secret names,
 * and every finished line is searched for text that looks like a credential.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const destination = options.destination ?? standardError();
  const copy = (object: Record<string, unknown>): Record<string, unknown> => redact(object) as typeof object;
  return pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // The copies are made below: pino's own serializer of errors would only rename them.
      serializers: { err: (value: unknown) => value },
      formatters: { level: (label) => ({ level: label }), log: copy },
    },
    { write: (line) => destination.write(maskLine(line)) },
  );
}

/** A closed terminal takes no more lines. The write error must not end the process before it has stopped its work. */
function standardError(): DestinationStream {
  const destination = pino.destination({ fd: 2, sync: true });
  destination.on('error', () => undefined);
  return destination;
}
