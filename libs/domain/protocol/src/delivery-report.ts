import type { JsonValue, Result } from '@switchyard/values';
import type { DeliveryReport, Finding, TaskError } from './model.js';
import type { ExactNumbers } from './task-spec.js';
import type { Voice } from './voice.js';

export interface DeliveryReading {
  readonly report: DeliveryReport;
  readonly findings: readonly Finding[];
}

export function readDeliveryReport(
  _result: JsonValue,
  _exact: ExactNumbers,
  _from: Voice,
): Result<DeliveryReading, readonly TaskError[]> {
  throw new Error('not written yet');
}
