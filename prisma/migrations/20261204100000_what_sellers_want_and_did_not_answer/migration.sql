-- runs with: 20261203042003_rows_name_rows_that_are_there
-- Whether a seller showed no products without an account.
alter table connection add column wants_account boolean not null default false;
-- Since when content of buys was not answered yet, by seller and buy: {"seller buy": instant}.
alter table governed_thing add column unanswered jsonb not null default '{}';
