import { IconCheck } from '@tabler/icons-react';
import './stepper.css';

/** The parts of a task in their order: which are done, and which one is under way. */
export function Stepper({
  label,
  steps,
  done,
}: {
  readonly label: string;
  readonly steps: readonly string[];
  /** How many are done. */
  readonly done: number;
}) {
  return (
    <ol className="stepper" aria-label={label}>
      {steps.map((step, at) => (
        <li
          key={step}
          data-state={at < done ? 'done' : at === done ? 'now' : 'later'}
          {...(at === done && { 'aria-current': 'step' as const })}
        >
          <span className="step-mark">
            {at < done ? <IconCheck size={13} stroke={2.4} aria-hidden="true" /> : at + 1}
          </span>
          <span className="step-name">
            {step}
            {at < done && <span className="unseen"> is done</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}
