export { checkConversion, type ConversionFault } from './check-conversion.js';
export { Truetally, VERSION } from './client.js';
export {
  type ConvertedEvents,
  convertGa4Payload,
  convertSegmentCall,
  type EventDefaults,
  type SkippedCall,
} from './convert-payloads.js';
export type * from './generated/types.gen.js';
export { TruetallyError } from './truetally-error.js';
export type {
  Conversion,
  ConversionRecord,
  Diagnostics,
  Event,
  EventResult,
  Fault,
  FlushReport,
  RequestOptions,
  RequestRecord,
  TruetallyOptions,
} from './types.js';
export {
  verifyWebhook,
  type WebhookHeaders,
  type WebhookPayload,
  WebhookVerificationError,
} from './verify-webhook.js';
