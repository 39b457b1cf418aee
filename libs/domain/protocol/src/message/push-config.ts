export interface PushConfig {
  readonly url: string;
  readonly operationId?: string;
  readonly token?: string;
  readonly authentication?: { readonly schemes: readonly string[]; readonly credentials: string };
}

export interface ReportingWebhook extends PushConfig {
  readonly frequency?: string;
  readonly requestedMetrics?: readonly string[];
}
