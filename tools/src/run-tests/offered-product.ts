/** Loads half of what a service does: a run of pure tests does without, and imports this only when it needs it. */
export { ProductForAll } from '@truetally/testing-product';
