-- A session and a one-time sign-in link are secrets of a principal as its tokens are: rows of principal_token with a
-- scheme of their own. What a token opened ends with it.
alter table principal_token add column opened_by uuid;
create index principal_token_opened_by on principal_token (organization_id, opened_by);
