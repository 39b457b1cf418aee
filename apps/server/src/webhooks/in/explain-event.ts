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
  unknown_buy: 'The webhook names a media buy that does not exist at this seller.',
  unknown_package: 'The report has figures for a package that was not bought.',
  currency_mismatch: 'The currency of the report is not the currency of the media buy.',
  missing_period: 'The report has no reporting period.',
  bad_period: 'The reporting period is invalid: it is empty, or ends before it begins.',
  bad_time: 'A time in the report is invalid.',
  bad_amount: 'An amount in the report is not a valid number.',
  negative_amount: 'An amount in the report is negative.',
  absurd_amount: 'An amount in the report is far above what was bought.',
  beyond_budget:
    'With this report the spend would be far above the budget of the media buy. Admit it if the seller can prove the figures.',
  bad_text: 'A text in the report cannot be stored.',
  repeated_row: 'The report has two figures for the same package and period.',
  after_final: 'The seller has already sent the final report of this stream.',
  crosses_month:
    'The report is about days of several months. Admit it to have it split between them by their days, or ask the seller for single days.',
  sequence_behind_time: 'The sequence number is lower than that of an earlier report.',
};

const others: Readonly<Record<string, string>> = {
  aggregated_totals:
    'The report has totals over several media buys. These are allowed in answers to a poll, not in webhooks.',
  unreadable_body: 'The body is not valid JSON, or is ambiguous.',
  unreadable_report: 'The result is not a delivery report.',
  report_without_result: 'The delivery report has no result.',
  unreadable_envelope: "The envelope cannot be read in the seller's version of the protocol.",
  task_ended_inline: 'The task ended with its first answer. No webhook is expected after that.',
  unknown_task: 'The webhook names a different task than the one this address was issued for.',
  operation_id_missing: 'The webhook names no operation and no known task.',
  operation_id_unknown: 'The webhook names a different operation than the one this address was issued for.',
  task_status_at_report_address: 'The webhook is a task update, but this address was issued for reports.',
  terminal_conflict: 'The task has already ended with another status. The first one is kept.',
  impairment_without_id: 'The impairment has no id.',
  unreadable_creative_event: 'The webhook does not say which creative changed, or what its new status is.',
  unknown_creative: 'The webhook names a creative that was not sent to this seller.',
  illegal_transition: 'A creative cannot change from its current status to this one.',
  not_applied_in_time: 'The object of the webhook did not appear within a day.',
  already_recorded: 'The content of the webhook is already stored.',
  unknown_state: 'The webhook names an unknown status.',
  leg_parked: "The seller's answer could not be applied. This part of the media buy waits for a person.",
  asked_the_seller: 'The body is not signed, so the status was requested from the seller.',
  unreadable_artifacts: 'The webhook does not say which media buy its content belongs to.',
  too_many_batches:
    'The webhook is valid and stored. Too many came within an hour, so its content was not checked.',
  known_without_effect: 'The webhook is valid and stored. It changes nothing.',
  admitted: 'A person admitted the webhook.',
  dismissed: 'A person dismissed the webhook.',
  payload_changed: 'The body differs from the first webhook with this key. The first one is kept.',
  missing_envelope_fields: 'Required members of the envelope are missing.',
  missing_idempotency_key: 'The webhook has no idempotency key.',
  invalid_envelope_status: 'The status in the envelope is not a task status.',
  webhook_body_malformed: 'The body can be read in two ways, for example because a member occurs twice.',
};

const explanations: ReadonlyMap<string, string> = new Map(Object.entries({ ...reports, ...others }));
