export { Pauses } from './faults/pauses.js';
export { ShopLoad } from './faults/shop-load.js';
export {
  FEW_PARTITIONS,
  launchProduct,
  type LaunchedProduct,
  type LaunchOptions,
  type LocalGateway,
  SMALL_TOPICS,
  WITH_FEW_PARTITIONS,
} from './launch-product.js';
export { type CreatedApiKey, ManagementClient } from './management-client.js';
export { publishKeys } from './many-keys.js';
export { migrateProduct } from './migrate-product.js';
export { newInstallation } from './new-installation.js';
export { openMessaging } from './open-messaging.js';
export { plainPurchase } from './plain-purchase.js';
export { type GatewayAddresses, type NewApiKey, type NewSite, type Product } from './product.js';
export { completeProductSecrets, newProductSecrets } from './secrets.js';
export {
  DEPLOYED_SHUTDOWN_TIMEOUT_MS,
  type Environment,
  type Installation,
  type KafkaUsers,
  migrationEnvironment,
  type ProductSecrets,
  programsPath,
  roleOf,
  schemaOf,
  serviceEnvironment,
} from './services.js';
export {
  openServiceDatabase,
  PATIENT_CONNECT_MS,
  type ServiceDatabase,
  type ServiceDatabaseOptions,
} from './service-database.js';
export { fromElsewhere, ProductForAll, SHARED_DASHBOARD_ORIGIN, sharedProduct } from './shared-product.js';
export { SiteRows, tablesOfSites } from './site-rows.js';
export {
  isKeyKnown,
  isSiteKnown,
  untilKeyIsKnown,
  untilMemberIsKnown,
  untilSiteIsKnown,
} from './until-known.js';
export { walkErasure, type WalkedErasure } from './walk-erasure.js';
