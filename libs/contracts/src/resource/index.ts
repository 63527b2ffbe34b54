export { resourceRefusals } from './refusals.js';
export {
  type Actor,
  type BodyReading,
  type CommandAnswer,
  type IdempotencyClaim,
  type Page,
  RESOURCE_COMMAND,
  RESOURCE_QUERY,
  type AwaitedVersions,
  type ResourceCommand,
  type ResourceQuery,
} from './request.js';
export { SitePageQuery } from './site-page.js';
export {
  changedResource,
  DeletedResource,
  ErasedResource,
  newResource,
  patchedResource,
  Resource,
} from './resource.js';
