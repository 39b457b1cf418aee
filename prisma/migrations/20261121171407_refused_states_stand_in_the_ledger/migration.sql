-- Written by hand.

-- What sellers said and was refused is tied as well, as evidence.
drop index buy_change_unbooked;
create index buy_change_unbooked on buy_change (organization_id, at, id) where entry_id is null;
