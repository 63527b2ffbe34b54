import { Agent, request } from 'node:https';
import { parse } from 'yaml';
import { eventually } from '@truetally/processes';
import { type KubernetesObject } from './objects.js';

/** What the API server says to a request. */
export interface ClusterAnswer {
  readonly status: number;
  /** Of the header `Warning`: deprecated versions, pods that the namespace would refuse. */
  readonly warnings: readonly string[];
  /** The object, or a `Status` with a message. */
  readonly body: KubernetesObject & { readonly message?: string };
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

interface Call {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

const FIELD_MANAGER = 'truetally';

/** A client of a Kubernetes API server, for the first cluster and user of a kubeconfig. */
export class Cluster {
  private readonly server: string;
  private readonly token: string;
  private readonly agent: Agent;
  private readonly resources = new Map<string, Resource>();

  constructor(kubeconfig: string) {
    const { clusters, users } = parse(kubeconfig) as Kubeconfig;
    const [cluster] = clusters;
    const [user] = users;
    if (cluster === undefined || user === undefined) throw new Error('The kubeconfig names no cluster.');
    this.server = cluster.cluster.server;
    this.token = user.user.token;
    const ca = Buffer.from(cluster.cluster['certificate-authority-data'], 'base64');
    this.agent = new Agent({ ca, keepAlive: true });
  }

  close(): void {
    this.agent.destroy();
  }

  /** Server-side apply; a field that nobody knows is an error. */
  async apply(object: KubernetesObject, { isDryRun = false } = {}): Promise<ClusterAnswer> {
    const query = new URLSearchParams({
      fieldManager: FIELD_MANAGER,
      fieldValidation: 'Strict',
      force: 'true',
      ...(isDryRun ? { dryRun: 'All' } : {}),
    });
    return this.call(`${await this.pathOf(object)}?${query}`, {
      method: 'PATCH',
      body: JSON.stringify(object),
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
  }

  async read(object: KubernetesObject): Promise<ClusterAnswer> {
    return this.call(await this.pathOf(object));
  }

  /** @param path with its query */
  call(path: string, { method = 'GET', body, headers }: Call = {}): Promise<ClusterAnswer> {
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.server}${path}`, {
        method,
        agent: this.agent,
        headers: { authorization: `Bearer ${this.token}`, ...headers },
      });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const warning = response.headers['warning'];
          resolve({
            status: response.statusCode ?? 0,
            warnings: warning === undefined ? [] : [warning].flat(),
            body: bodyOf(text),
          });
        });
      });
      outgoing.end(body);
    });
  }

  private async pathOf({ apiVersion, kind, metadata }: KubernetesObject): Promise<string> {
    const resource = await this.resourceOf(apiVersion, kind);
    const folder = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
    if (resource.namespaced !== (folder !== ''))
      throw new Error(`${kind}/${metadata.name}: with a namespace, or not?`);
    return `${rootOf(apiVersion)}${folder}/${resource.name}/${metadata.name}`;
  }

  /** A definition that was just established needs a moment until it is served. */
  private async resourceOf(apiVersion: string, kind: string): Promise<Resource> {
    const key = `${apiVersion} ${kind}`;
    const known = this.resources.get(key);
    if (known !== undefined) return known;
    const found = await eventually(
      async () => {
        const { body } = await this.call(rootOf(apiVersion));
        const { resources = [] } = body as { readonly resources?: readonly Resource[] };
        return resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
      },
      { message: `${key} to be served` },
    );
    this.resources.set(key, found);
    return found;
  }
}

function rootOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** Health is plain text. */
function bodyOf(text: string): ClusterAnswer['body'] {
  try {
    return JSON.parse(text) as ClusterAnswer['body'];
  } catch {
    return { apiVersion: '', kind: '', metadata: { name: '' }, message: text };
  }
}
