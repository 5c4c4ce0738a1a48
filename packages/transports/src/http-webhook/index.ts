export type { ResolveHost } from './guarded-lookup.ts';
export { httpWebhook } from './http-webhook.ts';
export type { HttpWebhookOptions } from './options.ts';
