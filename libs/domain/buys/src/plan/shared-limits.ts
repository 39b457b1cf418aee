import { taskError, type TaskError, type WholeTerms } from '@switchyard/protocol';

/** The errors of limits on the whole for several sellers: none of them knows what the others have spent. */
export function sharedFaults({ shared }: WholeTerms, sellers: number): readonly TaskError[] {
  if (sellers < 2) return [];
  return shared.map((field) =>
    taskError('UNSUPPORTED_FEATURE', 'Several sellers cannot keep one limit together.', {
      field,
      suggestion: 'Set it for each package, or buy from one seller.',
    }),
  );
}
