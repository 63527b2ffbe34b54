export {
  RECORD_REFERENCES,
  type RecordReferences,
  referenceMatchFields,
  referenceSealContext,
  type SealedReference,
} from './click-reference.js';
export { NETWORK_STATUSES } from './network-statuses.js';
export { ClickResource, FindClick, FoundClick, ListSettlements, ListSettlementStates } from './queries.js';
export {
  ContentMeasures,
  CurrencyAmount,
  CurrencyMeasures,
  DestinationMeasures,
  ItemMeasures,
  MAX_REPORT_POINTS,
  MAX_REPORT_SUMS,
  PublisherReport,
  ReadReport,
  ReferenceCorrelation,
  REPORT_INTERVALS,
  type ReportInterval,
  ReportPoint,
} from './report.js';
export { PUBLISHER_ANALYTICS } from './service.js';
export {
  MAX_HISTORY,
  MAX_HISTORY_COUNT,
  MAX_SETTLEMENT_ROWS,
  CurrentSettlement,
  SETTLEMENT_FIELDS,
  SETTLEMENT_STATUSES,
  SETTLEMENT_FIELD_CHARACTERS,
  SETTLEMENT_UPLOAD_LIMIT_BYTES,
  type SettlementField,
  SettlementResource,
  SettlementState,
  type SettlementStatus,
} from './settlement.js';
export {
  readWorkerJobBody,
  SettlementRowBody,
  SettlementUploadBody,
  WorkerJobBody,
} from './settlement-body.js';
export { roundedAmount } from './rounded-amount.js';
export {
  BeginSettlementsImport,
  BeginWorkerJob,
  IMPORT_SETTLEMENTS,
  IntegrationAccess,
  PULL_SETTLEMENTS,
  readBeginSettlementsImport,
  readBeginWorkerJob,
  ReadIntegrationAccess,
  RecordSync,
  SETTLEMENTS_IMPORT,
  SETTLEMENTS_PULL,
  type SyncOutcome,
  UPLOADS_FOLDER,
  uploadSealContext,
} from './settlement-jobs.js';
export {
  decodeUploadPiece,
  ENCODED_UPLOAD_LIMIT_BYTES,
  FRAME_HEADER,
  FRAME_HEADER_BYTES,
  PIECE_BYTES,
  PieceText,
  ROWS_PER_PIECE,
  SEALED_PIECE_LIMIT_BYTES,
  type UploadPiece,
  type UploadRow,
} from './settlement-upload.js';
