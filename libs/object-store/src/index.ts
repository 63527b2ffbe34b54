export {
  type Draft,
  type ObjectDescription,
  type ObjectStore,
  OPEN_OBJECTS_LIMIT,
  type OpenedObject,
  StoreUnavailableError,
} from './object-store.js';
export { type ObjectStoreOptions, openObjectStore } from './open-object-store.js';
