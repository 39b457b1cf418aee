-- A client may have a sign-in of its own at a seller. The zero id is the sign-in of the connection.
alter table seller_authorization add column for_client uuid not null default '00000000-0000-0000-0000-000000000000';
alter table seller_authorization alter column for_client drop default,
  drop constraint seller_authorization_pkey, add constraint seller_authorization_pkey primary key (organization_id, connection_id, for_client);
alter table seller_consent add column for_client uuid;
