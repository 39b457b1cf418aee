/** Each task that 3.2 added, and the older task that serves it: callers of older releases read its type instead. */
export const servedBy = {
  list_products: 'get_products',
  request_proposals: 'get_products',
  refine_proposals: 'get_products',
  decline_proposals: 'create_media_buy',
  buy_products: 'create_media_buy',
  accept_proposal: 'create_media_buy',
  control_media_buy: 'update_media_buy',
  sync_agent_notification_configs: 'sync_accounts',
} as const;
