export { type Foundation, type FoundationOptions, layFoundation } from './foundation.js';
export { migrateService } from './migrate-service.js';
export { openRelay } from './open-relay.js';
export { type AuditEntry, recordAudit } from './record-audit.js';
export { serveMessages } from './serve-messages.js';
export { whileAvailable } from './while-available.js';
