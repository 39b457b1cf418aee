-- runs with: 20261129150200_sign_in_at_sellers
-- CreateTable
CREATE TABLE "link_key" (
    "organization_id" UUID NOT NULL,
    "credential_id" UUID NOT NULL,

    CONSTRAINT "link_key_pkey" PRIMARY KEY ("organization_id")
);

select stand_under_tenancy('link_key');
do $$
begin
  -- The link is not stored: it is derived when the mail is sent.
  perform give_notice('invitation', 'insert', 'true', 'invitation.sent', 'invitation', 'n.id', 'n.id', 'n.created_at',
    $c$jsonb_build_object('email', n.email, 'role', n.role)$c$);
end
$$;
