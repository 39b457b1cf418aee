-- runs with: 20261128190000_plain_names
-- The instant of a text as RFC 3339 writes it; null for any other. Buys store times as their buyers wrote them, and an
-- index needs a function of texts alone: the cast by itself also reads texts such as 'now', and those without an offset.
create function instant_of(written text) returns timestamptz
language plpgsql immutable strict
as $$
begin
  return case when written ~* '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$' then written::timestamptz end;
exception when data_exception then
  return null;
end
$$;
comment on function instant_of(text) is 'for the application';
