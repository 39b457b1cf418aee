/**
 * The condition that a webhook `e` belongs to a month: it was received in it, or it is a report about days of the month
 * and came later. `from` and `to` are the placeholders of its first day and of the day after it. The days of a report
 * are found in its text, because a body need not be JSON.
 */
export const ofPeriod = (from: string, to: string): string => `
  e.received_at >= ${from}::text::timestamptz and (e.received_at < ${to}::text::timestamptz
    or e.kind = 'delivery_report' and ${reportedDay('start')} < ${to}::text
       and (${reportedDay('start')} >= ${from}::text or ${reportedDay('end')} > ${from}::text || 'T00:00:00Z'))`;

const reportedDay = (name: string): string => `
  substring(encode(e.body, 'escape') from '"reporting_period"\\s*:\\s*[{][^{}]*"${name}"\\s*:\\s*"([^"]*)"') collate "C"`;
