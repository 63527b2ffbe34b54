import { type KubernetesObject, podOf } from './objects.js';

type Path = readonly (string | number)[];

/** A change to one of our objects for which the API server refuses it. */
export interface Mistake {
  readonly name: string;
  /** Which of our objects is changed. */
  readonly of: { readonly kind: string; readonly name?: string };
  /** Whether the pod of its template is, instead of the object itself. */
  readonly isPod?: true;
  readonly path: Path;
  readonly value: unknown;
  readonly answer: RegExp;
}

const GATEWAY = { kind: 'Deployment', name: 'gateway' };
const CONTAINER: Path = ['spec', 'template', 'spec', 'containers', 0];
const POD_CONTAINER: Path = ['spec', 'containers', 0];

export const MISTAKES: readonly Mistake[] = [
  {
    name: 'a field that nobody knows',
    of: GATEWAY,
    path: [...CONTAINER, 'readynessProbe'],
    value: {},
    answer: /readynessProbe/,
  },
  {
    name: 'a quantity that is none',
    of: GATEWAY,
    path: [...CONTAINER, 'resources', 'requests', 'cpu'],
    value: '500 millicores',
    answer: /quantit/,
  },
  {
    name: 'a request above its limit',
    of: GATEWAY,
    path: [...CONTAINER, 'resources', 'requests', 'memory'],
    value: '64Gi',
    answer: /less than or equal to memory limit/,
  },
  {
    name: 'a selector that misses its own pods',
    of: GATEWAY,
    path: ['spec', 'template', 'metadata', 'labels', 'app.kubernetes.io/name'],
    value: 'gatevay',
    answer: /`selector` does not match template `labels`/,
  },
  {
    name: 'a volume that nobody declares',
    of: GATEWAY,
    path: [...CONTAINER, 'volumeMounts', 0, 'name'],
    value: 'secret',
    answer: /volumeMounts\[0\].name: Not found: "secret"/,
  },
  {
    name: 'a privileged container',
    of: GATEWAY,
    isPod: true,
    path: [...POD_CONTAINER, 'securityContext'],
    value: { privileged: true },
    answer: /violates PodSecurity "restricted:latest": privileged/,
  },
  {
    name: 'a pod that may run as root',
    of: GATEWAY,
    isPod: true,
    path: ['spec', 'securityContext'],
    value: { seccompProfile: { type: 'RuntimeDefault' } },
    answer: /violates PodSecurity "restricted:latest": runAsNonRoot/,
  },
  {
    name: 'a folder of the node',
    of: { kind: 'Job', name: 'migrate-gateway' },
    isPod: true,
    path: ['spec', 'volumes', 0],
    value: { name: 'secrets', hostPath: { path: '/etc' } },
    answer: /violates PodSecurity "restricted:latest": restricted volume types/,
  },
  {
    name: 'a service account that is not there',
    of: GATEWAY,
    isPod: true,
    path: ['spec', 'serviceAccountName'],
    value: 'gatevay',
    answer: /serviceaccount "gatevay" not found/,
  },
  {
    name: 'more replicas at least than at most',
    of: { kind: 'HorizontalPodAutoscaler' },
    path: ['spec', 'minReplicas'],
    value: 1000,
    answer: /maxReplicas/,
  },
  {
    name: 'a port that there is not',
    of: { kind: 'NetworkPolicy', name: 'allow-ingress-to-gateway' },
    path: ['spec', 'ingress', 0, 'ports', 0, 'port'],
    value: 70_000,
    answer: /between 1 and 65535/,
  },
  {
    name: 'a custom resource with a field that nobody knows',
    of: { kind: 'Kafka' },
    path: ['spec', 'kafka', 'replicaz'],
    value: 3,
    answer: /replicaz/,
  },
  {
    name: 'a custom resource with a value of another type',
    of: { kind: 'ScaledObject' },
    path: ['spec', 'maxReplicaCount'],
    value: 'many',
    answer: /maxReplicaCount/,
  },
];

/** @throws when no object is of its kind: then nothing would be shown */
export function withMistake(objects: readonly KubernetesObject[], mistake: Mistake): KubernetesObject {
  const { kind, name } = mistake.of;
  const found = objects.find(
    (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
  );
  const subject = mistake.isPod === true && found !== undefined ? podOf(found) : found;
  if (subject === undefined) throw new Error(`There is no ${kind} to change.`);
  return changed(subject, mistake.path, mistake.value) as KubernetesObject;
}

function changed(value: unknown, [first, ...rest]: Path, to: unknown): unknown {
  if (first === undefined) return to;
  if (Array.isArray(value)) {
    return value.map((entry: unknown, index) => (index === first ? changed(entry, rest, to) : entry));
  }
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  return { ...fields, [first]: changed(fields[first], rest, to) };
}
