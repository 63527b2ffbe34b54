import { join } from 'node:path';
import { eventually } from '@truetally/processes';
import { type Cluster } from './cluster.js';
import { type ControlPlane, startControlPlane } from './control-plane.js';
import { MISTAKES, withMistake } from './mistakes.js';
import { describeObject, type KubernetesObject, podOf, readFolder, readObjects } from './objects.js';

export interface ManifestFolders {
  /** The program of tools/manifests/control-plane. */
  readonly controlPlane: string;
  /** Definitions of custom resources. */
  readonly definitions: string;
  /** What kustomize built: one file for each target. */
  readonly built: string;
}

/** What is applied together, in the order of a rollout. */
const INSTALLATIONS = {
  local: ['namespace', 'overlays-local-migrations', 'overlays-local'],
  production: ['namespace', 'infrastructure', 'overlays-production-migrations', 'overlays-production'],
} as const;

const NAMESPACE = 'truetally';
/** Made by a controller, in every namespace of a whole cluster: for pods that name none. */
const DEFAULT_ACCOUNT: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'default', namespace: NAMESPACE },
};

/**
 * Applies each overlay to an API server of its own and says what it made of it.
 * @returns the exit code
 */
export async function applyManifests(folders: ManifestFolders): Promise<number> {
  const running: ControlPlane[] = [];
  try {
    for (const [name, targets] of Object.entries(INSTALLATIONS)) {
      const controlPlane = await startControlPlane(folders.controlPlane);
      running.push(controlPlane);
      await define(controlPlane.cluster, readFolder(folders.definitions));
      const objects = distinct(
        targets.flatMap((target) => readObjects(join(folders.built, `${target}.yaml`))),
      );
      await install(controlPlane.cluster, name, objects);
      if (name === 'production') await refuseMistakes(controlPlane.cluster, objects);
      await controlPlane.stop();
      running.length = 0;
    }
    console.log('An API server takes every manifest, and refuses each mistake.');
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  } finally {
    for (const controlPlane of running) await controlPlane.kill();
  }
}

/** The namespace is a target of its own and in an overlay, too. */
function distinct(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return [...new Map(objects.map((object) => [describeObject(object), object])).values()];
}

/** What operators bring. */
async function define(cluster: Cluster, definitions: readonly KubernetesObject[]): Promise<void> {
  for (const definition of definitions) {
    await accepted(cluster, definition);
    await eventually(async () => isEstablished((await cluster.read(definition)).body), {
      message: `${definition.metadata.name} to be established`,
    });
  }
}

function isEstablished({ status }: KubernetesObject): boolean {
  const conditions = (status?.['conditions'] ?? []) as readonly { type: string; status: string }[];
  return conditions.some((condition) => condition.type === 'Established' && condition.status === 'True');
}

async function install(cluster: Cluster, name: string, objects: readonly KubernetesObject[]): Promise<void> {
  const first = await applyAll(cluster, objects);
  for (const object of objects) await expectStored(cluster, object);
  const second = await applyAll(cluster, objects);
  const touched = objects.filter((_, index) => first[index] !== second[index]);
  if (touched.length > 0) {
    throw new Error(`Applied again, these changed: ${touched.map(describeObject).join(', ')}.`);
  }
  await accepted(cluster, DEFAULT_ACCOUNT);
  const pods = objects.flatMap((object) => podOf(object) ?? []);
  for (const pod of pods) await accepted(cluster, pod, { isDryRun: true });
  await expectNoRights(cluster, objects);
  console.log(`${name}: ${objects.length} objects stored, twice the same: ${countByKind(objects)}.`);
  console.log(`${name}: ${pods.length} pod templates are admitted.`);
}

/** @returns the version of each object afterwards */
async function applyAll(
  cluster: Cluster,
  objects: readonly KubernetesObject[],
): Promise<readonly (string | undefined)[]> {
  const versions: (string | undefined)[] = [];
  for (const object of objects) {
    versions.push((await accepted(cluster, object)).metadata.resourceVersion);
  }
  return versions;
}

async function accepted(
  cluster: Cluster,
  object: KubernetesObject,
  options: { readonly isDryRun?: boolean } = {},
): Promise<KubernetesObject> {
  const { status, warnings, body } = await cluster.apply(object, options);
  if (status !== 200 && status !== 201) {
    throw new Error(`${describeObject(object)} is refused with ${status}: ${body.message ?? ''}`);
  }
  if (warnings.length > 0) throw new Error(`${describeObject(object)}: ${warnings.join('; ')}`);
  return body;
}

async function expectStored(cluster: Cluster, object: KubernetesObject): Promise<void> {
  const { status, body } = await cluster.read(object);
  if (status !== 200 || body.metadata.name !== object.metadata.name) {
    throw new Error(`${describeObject(object)} was taken and is not there (${status}).`);
  }
}

/** Our processes never speak to Kubernetes; a leaked token of theirs must open nothing. */
async function expectNoRights(cluster: Cluster, objects: readonly KubernetesObject[]): Promise<void> {
  const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
  if (accounts.length === 0) throw new Error('There is no service account.');
  for (const { metadata } of accounts) {
    const { status } = await cluster.call(`/api/v1/namespaces/${NAMESPACE}/secrets`, {
      headers: { 'impersonate-user': `system:serviceaccount:${NAMESPACE}:${metadata.name}` },
    });
    if (status !== 403) throw new Error(`${metadata.name} may list secrets (${status}).`);
  }
}

async function refuseMistakes(cluster: Cluster, objects: readonly KubernetesObject[]): Promise<void> {
  for (const mistake of MISTAKES) {
    const { status, body } = await cluster.apply(withMistake(objects, mistake), { isDryRun: true });
    const message = body.message ?? '';
    if (status < 400 || !mistake.answer.test(message)) {
      throw new Error(`${mistake.name} (${mistake.of.kind}) got ${status}: ${message}`);
    }
    console.log(`Refused: ${mistake.name} (${mistake.of.kind}).`);
  }
}

function countByKind(objects: readonly KubernetesObject[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}
