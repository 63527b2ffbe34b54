export { type Foundation, type FoundationOptions } from './foundation.js';
export { HealthReader } from './health-reader.js';
export { migrateService } from './migrate-service.js';
export { type AuditEntry, recordAudit } from './record-audit.js';
export { type Ground, type ProcessOptions, type ProcessParts, runProcess } from './run-process.js';
export { runService, type ServiceOptions, type ServiceParts, type Surroundings } from './run-service.js';
export { erasureReport, SiteErasure } from './site-erasure.js';
export { whileAvailable } from './while-available.js';
