-- No version before this one runs with it: it would let programs in without a spending limit. Stop all processes first.
alter table operation add column program text;
alter table spend_commitment add column program text;

-- The sums of each program, counted by the function as it stands, with its rule of amounts and months.
do $$
declare
  present text := pg_get_functiondef('count_commitment()'::regprocedure);
  next text := replace(replace(replace(present,
    'new.seller,', 'new.seller, new.program,'),
    'old.seller,', 'old.seller, old.program,'),
    '(''seller'', c.seller)', '(''seller'', c.seller), (''program'', c.program)');
begin
  if length(next) - length(present) <> length(' new.program,') + length(' old.program,') + length(', (''program'', c.program)') then
    raise exception 'The function count_commitment is not as this migration knows it.';
  end if;
  execute next;
end
$$;

-- Whoever has let a program in decides again, about less than before and with a limit: its tokens end.
delete from oauth_artifact where model = 'Grant';
