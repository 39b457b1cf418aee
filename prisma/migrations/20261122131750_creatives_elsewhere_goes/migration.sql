-- Nobody asks any more which ids of creatives another tenant has: over an account that others may use, every creative goes
-- under an id of ours, and whether a seller may be shared is told by shares_account.
drop function creatives_elsewhere(uuid, text[]);
