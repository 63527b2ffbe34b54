import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** What Kubernetes keeps: its kind, its name, and fields of that kind. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly resourceVersion?: string;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

interface PodMaker {
  readonly template: {
    readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
    readonly spec: { readonly volumes?: readonly unknown[] };
  };
  /** Of a StatefulSet: a volume for each. */
  readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
}

/** Kinds whose `spec.template` is a pod's. */
const POD_MAKERS = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job'];

/** Every object of a YAML file. Kubernetes reads YAML 1.1, in which 0440 is octal. */
export function readObjects(file: string): readonly KubernetesObject[] {
  const documents = parseAllDocuments(readFileSync(file, 'utf8'), { version: '1.1' });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join('; ')}`);
    const object = document.toJS() as KubernetesObject | null;
    return object === null ? [] : [object];
  });
}

export function readFolder(folder: string): readonly KubernetesObject[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .flatMap((name) => readObjects(join(folder, name)));
}

/** The pod that a Deployment's or Job's controller would make, or none. */
export function podOf({ kind, metadata, spec }: KubernetesObject): KubernetesObject | undefined {
  if (!POD_MAKERS.includes(kind)) return undefined;
  const { template, volumeClaimTemplates = [] } = spec as unknown as PodMaker;
  const claims = volumeClaimTemplates.map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: name },
  }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, name: `${metadata.name}-pod`, ...template.metadata },
    spec: { ...template.spec, volumes: [...(template.spec.volumes ?? []), ...claims] },
  };
}

export function describeObject({ kind, metadata }: KubernetesObject): string {
  return `${kind}/${metadata.name}`;
}
