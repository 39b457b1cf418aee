-- The one type that writes these rows says which of them go together; no other table repeats its type in checks.
alter table principal_signer drop constraint principal_signer_one_way_to_keys;
