export {
  type Draft,
  type ObjectDescription,
  type ObjectStore,
  type OpenedObject,
  StoreUnavailableError,
} from './object-store.js';
export { type ObjectStoreOptions, openObjectStore } from './open-object-store.js';
