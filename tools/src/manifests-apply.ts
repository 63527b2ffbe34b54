import { applyManifests } from './manifests/apply-manifests.js';

const [controlPlane, definitions, built] = process.argv.slice(2);
if (controlPlane === undefined || definitions === undefined || built === undefined) {
  throw new Error('Say: manifests-apply <control plane> <folder of definitions> <folder of manifests>');
}
process.exitCode = await applyManifests({ controlPlane, definitions, built });
