-- Thresholds of the scorecard of sellers that the organization has set: {measure: number}. Others are usual.
alter table organization add column scorecard jsonb not null default '{}';
