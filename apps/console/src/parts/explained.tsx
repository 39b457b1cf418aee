import type { ReactNode } from 'react';
import { Status } from './status.js';

type Words = Readonly<Record<string, readonly [why: string, next: string]>>;

/** The meaning of each status by kind of object, and what to do about it. */
const meanings = {
  act: {
    begun: [
      'It was recorded before it was done, and no outcome came.',
      'Look at the object that it was about.',
    ],
    ok: ['It was done.', 'Nothing.'],
    refused: ['The request was refused: nothing was changed.', 'Read its code. The person may try again.'],
    failed: ['It failed on our side.', 'Read its code, and the log of the server under its request id.'],
  },
  attempt: {
    pending: ['It is being sent, or its answer was not recorded.', 'Nothing: look again in a moment.'],
    success: ['The receiver answered that it has it.', 'Nothing.'],
    failed: ['The receiver answered with a refusal or an error.', 'Ask the receiver to repair it.'],
    timeout: ['The receiver did not answer in time.', 'Nothing: it is tried again by itself for a day.'],
    connection_error: [
      'No connection to the address of the receiver came about.',
      'Nothing: it is tried again by itself for a day. Ask the receiver whether the address is right.',
    ],
  },
  break: {
    open: [
      'Two of its amounts differ by more than the tolerance, and nobody has decided about it.',
      'Open the difference, find its cause with the seller, and resolve it.',
    ],
    disputed: ['A case with the seller is open.', 'Close it by its outcome.'],
    resolved: ['Somebody decided about it; the ledger has the decision.', 'Nothing.'],
    gone: ['A later comparison found that the amounts agree now.', 'Nothing.'],
  },
  campaign: {
    planned: ['It has a budget and a flight, and has not begun.', 'Buy for it, or assign buys to it.'],
    active: ['Its flight runs.', 'Nothing. Home shows whether it delivers as planned.'],
    closed: ['Somebody closed it: no buy is assigned to it any more.', 'Nothing.'],
  },
  case: {
    open: [
      'Its deadline is ahead: nothing was changed yet.',
      'Nothing: what has to stop is stopped by itself, or do it now.',
    ],
    acting: ['What it touches is being changed at the sellers.', 'Nothing: look again in a moment.'],
    asked: [
      'Lines run with what has changed, or not every seller has confirmed that they stopped.',
      'Decide what becomes of the lines, or ask the sellers, before the deadline.',
    ],
    done: ['Nothing is left to do: it was confirmed, or a person has decided.', 'Nothing.'],
  },
  creative: {
    processing: ['It is in the library, and no seller has decided about it yet.', 'Wait for the sellers.'],
    pending_review: ['A seller reviews it.', 'Wait: the seller decides, and its answer is shown here.'],
    approved: ['Every seller that has it accepted it.', 'Nothing.'],
    rejected: ['A seller refused it.', 'Read its reason, change the creative and send it again.'],
    archived: ['It was taken out of the library.', 'Nothing.'],
    not_synced: [
      'This seller does not have it yet.',
      'It is sent with the next buy or change that names it.',
    ],
  },
  delegation: {
    active: ['What the brand signs is passed on to this seller.', 'Nothing.'],
    expired: ['Its last day is over: nothing is passed on under it.', 'Grant a new one below.'],
    revoked: [
      'Somebody took it back: nothing is passed on under it.',
      'Grant a new one below, if it is wanted.',
    ],
  },
  event: {
    received: ['It is stored, and is applied in a moment.', 'Nothing: look again.'],
    applied: ['Every step of its judgement held, and what it says was booked.', 'Nothing.'],
    duplicate: ['The same event had come before.', 'Nothing: it changes nothing twice.'],
    stale: ['A newer event about the same thing had been applied before.', 'Nothing: the newer one holds.'],
    quarantined: [
      'Its sender is proved, and what it says cannot be right.',
      'Open it, ask the seller, and admit or dismiss it with a reason.',
    ],
    refused: [
      'Its sender could not be proved, or it could not be read.',
      'The seller has to correct it and send it again.',
    ],
    dismissed: ['Somebody decided that it changes nothing.', 'Nothing.'],
  },
  key: {
    published: ['Others read it now; it signs once they had time to.', 'Nothing: it becomes live by itself.'],
    live: ['It signs what we send and state.', 'Rotate it when your rules ask for it.'],
    retiring: [
      'A newer key signs; this one still verifies what it signed.',
      'Nothing: it retires by itself.',
    ],
    retired: ['It signs nothing, and verifies what it signed.', 'Nothing.'],
    revoked: ['It must not be trusted any more.', 'Nothing.'],
    stopped: [
      'An emergency stop holds it: it signs nothing, and what a caller signs with it is refused.',
      'End the stop once it is known that nobody else has the key.',
    ],
  },
  package: {
    canceled: ['It was canceled at its seller: it delivers no more.', 'Nothing.'],
  },
  principal: {
    active: ['It may act as far as its roles reach.', 'Nothing. Its card has its roles, links and tokens.'],
    revoked: ['Somebody revoked it: no link, token or session of it lets anybody in.', 'Nothing.'],
  },
  signal: {
    live: ['The agent says that it can be used on the platform, by its key.', 'Use its key on the platform.'],
    'not live': [
      'The agent has not made it usable on the platform yet.',
      'Activate it. Its key is shown here once it is live.',
    ],
  },
  job: {
    waiting: ['It waits for its turn among the jobs of all organizations.', 'Nothing: it begins by itself.'],
    running: ['It is being done, in steps.', 'Nothing: its progress is shown here as it comes.'],
    stopping: ['Somebody canceled it, and it ends its present step.', 'Nothing: look again in a moment.'],
    succeeded: ['It is done.', 'Nothing. What it wrote can be read for a week, by who asked for it.'],
    failed: ['It could not go on.', 'Read why, mend that, and repeat it.'],
    canceled: ['Somebody stopped it. What was done before stays done.', 'Nothing, or repeat it.'],
  },
  outgoing: {
    waiting: [
      'It has not arrived yet: it is sent, or sent again when its receiver did not take it.',
      'Nothing: it is tried again by itself for a day. Send it again at once if the receiver works again.',
    ],
    delivered: ['Its receiver answered that it has it.', 'Nothing.'],
    refused: [
      'Its receiver refused it for good, or its address may not be called.',
      'Ask the receiver to correct its address, and send it again.',
    ],
    expired: [
      'Its receiver took it on none of the attempts of a day.',
      'Ask the receiver to read the state itself, by get_task or get_media_buys.',
    ],
  },
  relay: {
    answered: ['The seller answered the request that was passed on.', 'Open it to read what was passed on.'],
    refused: [
      'It was not passed on: its signature, its delegation or its credential did not hold.',
      'Open it: the step that failed says why.',
    ],
    unreachable: ['The seller could not be reached: nothing was sent.', 'Test the seller on its page.'],
    unknown: [
      'Nobody knows whether the seller has it: no answer came.',
      'Read the state at the seller before it is sent again.',
    ],
    'under way': ['The answer of the seller has not come yet.', 'Look again in a moment.'],
  },
  seller: {
    live: ['It answered when it was onboarded, and nothing has stopped it since.', 'Nothing.'],
    onboarding: ['Its connection is being tested.', 'Wait a moment, or test it on its page.'],
    failed: ['A step of its connection failed.', 'Open it, test it, and repair what fails.'],
    suspended: [
      'Somebody suspended it: nothing new is asked of it or bought from it.',
      'Resume it on its page.',
    ],
    stopped: [
      'An emergency stop holds everything that would go to it.',
      'End the stop on its page, or on System where everything is stopped.',
    ],
    disabled: ['It takes no part.', 'Resume it on its page.'],
    'not answering': [
      'Its last calls failed one after another, so it is asked only now and then.',
      'Test it on its page. When it answers, it takes part again by itself.',
    ],
    'credential refused': [
      'It refused our credential at its last use.',
      'Ask the seller for another one, and put it in on its page. One that it takes again clears this.',
    ],
    'credential revoked': [
      'Its credential was revoked, so nothing is sent to it.',
      'Put another one in under Edit on its page.',
    ],
    'removed after its last buy': ['It takes no new buys, and is removed after its last.', 'Nothing.'],
  },
} as const satisfies Readonly<Record<string, Words>>;

/** A status with its meaning. `why` and `next` replace the texts if more is known. */
export function Explained({
  kind,
  of,
  words,
  tone,
  why,
  since,
  evidence,
  next,
  cli,
}: {
  readonly kind: keyof typeof meanings;
  readonly of: string;
  /** What the pill says, where more is known than the status. */
  readonly words?: string | undefined;
  readonly tone?: string | undefined;
  readonly why?: ReactNode;
  readonly since?: string | undefined;
  readonly evidence?: ReactNode;
  readonly next?: ReactNode;
  /** Absent where no command does the same. */
  readonly cli?: string;
}) {
  const [usual, then] = (meanings[kind] as Words)[of] ?? ['It was reported so.', 'Look at its page.'];
  return (
    <Status
      of={words ?? of}
      {...(tone !== undefined && { tone })}
      explain={{ why: why ?? usual, since, evidence, next: next ?? then, ...(cli !== undefined && { cli }) }}
    />
  );
}
