export {
  decodeRecordReferences,
  encodeRecordReferences,
  type RecordReferences,
  referenceMatchFields,
  referenceSealContext,
  type SealedReference,
} from './click-reference.js';
export { NETWORK_STATUSES } from './network-statuses.js';
export {
  type ClickResource,
  type FindClick,
  type FoundClick,
  type ListSettlements,
  readFindClick,
  readListSettlements,
} from './queries.js';
export {
  type CurrencyAmount,
  type CurrencyMeasures,
  type ItemMeasures,
  MAX_REPORT_POINTS,
  type PublisherReport,
  type ReadReport,
  readReportRequest,
  type ReferenceCorrelation,
  REPORT_INTERVALS,
  type ReportInterval,
  type ReportPoint,
} from './report.js';
export { PUBLISHER_ANALYTICS } from './service.js';
export {
  MAX_SETTLEMENT_ROWS,
  SETTLEMENT_FIELDS,
  SETTLEMENT_STATUSES,
  SETTLEMENT_UPLOAD_LIMIT_BYTES,
  type SettlementField,
  type SettlementResource,
  type SettlementState,
  type SettlementStatus,
} from './settlement.js';
export { roundedAmount } from './rounded-amount.js';
export {
  type BeginSettlementsImport,
  type BeginWorkerJob,
  IMPORT_SETTLEMENTS,
  type IntegrationAccess,
  PULL_SETTLEMENTS,
  readBeginSettlementsImport,
  readBeginWorkerJob,
  readIntegrationAccess,
  readRecordSync,
  type RecordSync,
  SETTLEMENTS_IMPORT,
  SETTLEMENTS_PULL,
  type SyncOutcome,
  UPLOADS_FOLDER,
  uploadSealContext,
} from './settlement-jobs.js';
export {
  decodeUploadPiece,
  encodeUploadPiece,
  ROWS_PER_PIECE,
  type UploadPiece,
  type UploadRow,
} from './settlement-upload.js';
