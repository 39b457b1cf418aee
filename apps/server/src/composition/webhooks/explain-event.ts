import type { QuarantineCode } from '@switchyard/ledger';

/**
 * Explains the state of an event to the person who decides about it. A reason may be several codes joined by commas,
 * and a code may have a detail after a colon. Undefined if the reason is not one of our codes.
 */
export function explainEvent(reason: string | undefined): string | undefined {
  const codes = (reason ?? '').split(',');
  const sentences = codes.flatMap((code) => explanations.get(code.split(':')[0] ?? '') ?? []);
  return sentences.length === 0 ? undefined : [...new Set(sentences)].join(' ');
}

const reports: Readonly<Record<QuarantineCode, string>> = {
  unknown_buy: 'It names a buy that we do not have at this seller.',
  unknown_package: 'It has figures for a package that we did not buy.',
  currency_mismatch: 'It counts in another currency than the buy.',
  missing_period: 'It does not say which period it counts.',
  bad_period: 'Its period cannot be one: it ends before it begins, or is no time at all.',
  bad_time: 'Its time is none.',
  bad_amount: 'An amount in it is no amount.',
  negative_amount: 'An amount in it is below zero.',
  absurd_amount: 'An amount in it is beyond anything that was bought.',
  beyond_budget:
    'It would take the spend of its buy far beyond the budget: admit it if the seller can show it.',
  bad_text: 'A text in it cannot be stored.',
  repeated_row: 'It gives two figures for one package and period.',
  after_final: 'It came after the final report of its stream.',
  sequence_behind_time: 'Its number goes back although its time goes on.',
};

const others: Readonly<Record<string, string>> = {
  aggregated_totals:
    'It has totals over several buys, which belong into answers to a poll and not into a webhook.',
  unreadable_body: 'Its bytes have no one meaning.',
  unreadable_report: 'Its result is no delivery report.',
  report_without_result: 'It is a delivery report without a result.',
  unreadable_envelope: 'Its envelope cannot be read in the form that this seller speaks.',
  task_ended_inline: 'The task had ended in its first answer, after which no webhook follows.',
  unknown_task: 'It names another task than the one that this address was given for.',
  operation_id_missing: 'It names no operation, and no task that it could be tied to.',
  operation_id_unknown: 'It names another operation than the one that this address was given for.',
  task_status_at_report_address: 'It is news of a task, at an address that was given for reports.',
  terminal_conflict: 'The task has ended already, in another way: the first end stands.',
  impairment_without_id: 'It is an impairment without an id.',
  unreadable_creative_event: 'It does not say which creative changed, or to what.',
  unknown_creative: 'It names a creative that we did not send to this seller.',
  illegal_transition: 'It is a step that creatives do not take.',
  not_applied_in_time: 'It waited a day for what it is about, and that did not come.',
  already_recorded: 'What it says is recorded already.',
  unknown_state: 'It names a state that nobody knows.',
  leg_parked: 'Its answer could not be taken over: the part of the buy waits for a person.',
  asked_the_seller: 'Its body is vouched for by nobody, so the seller was asked.',
  known_without_effect: 'It is understood and kept, and nothing follows from it.',
  admitted: 'A person admitted it.',
  dismissed: 'A person dismissed it.',
  payload_changed: 'Its body is not that of the first copy under this key, which stands.',
  missing_envelope_fields: 'It is not in the envelope of this address, as a body without one is not.',
  missing_idempotency_key: 'It has no key that tells it from another event.',
  invalid_envelope_status: 'The status of its envelope is none of a task.',
  webhook_body_malformed: 'Its bytes can be read in two ways.',
};

const explanations: ReadonlyMap<string, string> = new Map(Object.entries({ ...reports, ...others }));
