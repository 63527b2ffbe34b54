export {
  isTargeted,
  type StoredTargeting,
  type Targeting,
  targetingOf,
  type Visit,
  visitOf,
} from './targeting.js';
