-- runs with: 20261123210500_passwords
-- Of a session: the browser and the address that opened it, and when it was used last, to the minute.
alter table principal_token
  add column device text,
  add column address text,
  add column last_used_at timestamptz(3);
