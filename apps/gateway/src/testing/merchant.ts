import type { MemberRole } from '@truetally/contracts/facts';
import { type Answer, eventually, request, uniqueName } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';

const HOURLY_LIMIT = 1_000_000;

type Headers = Readonly<Record<string, string>>;

/** A member of a workspace, who calls management routes with its ID token. */
export class Merchant {
  private constructor(
    private readonly product: Product,
    readonly workspaceId: string,
    readonly sub: string,
    readonly token: string,
  ) {}

  /** The owner of a new workspace, known to the gateway. */
  static async join(product: Product): Promise<Merchant> {
    const sub = uniqueName('owner');
    const workspace = await product.asks.createWorkspace({
      name: sub,
      owner_sub: sub,
      hourly_limit: HOURLY_LIMIT,
    });
    return Merchant.known(product, workspace.id, sub);
  }

  /** Another member of the same workspace. */
  async invite(role: MemberRole): Promise<Merchant> {
    const sub = uniqueName(role);
    await this.product.asks.addMember({ workspace_id: this.workspaceId, sub, role });
    return Merchant.known(this.product, this.workspaceId, sub);
  }

  private static async known(product: Product, workspaceId: string, sub: string): Promise<Merchant> {
    const merchant = new Merchant(product, workspaceId, sub, await product.idToken({ sub }));
    await eventually(async () => (await merchant.get('sites')).status === 200);
    return merchant;
  }

  get<T = unknown>(path: string, headers: Headers = {}): Promise<Answer<T>> {
    return this.send(path, { method: 'GET', headers });
  }

  post<T = unknown>(path: string, json: object | null, headers: Headers = {}): Promise<Answer<T>> {
    return this.send(path, { method: 'POST', json, headers });
  }

  put<T = unknown>(path: string, json: object, headers: Headers = {}): Promise<Answer<T>> {
    return this.send(path, { method: 'PUT', json, headers });
  }

  patch<T = unknown>(path: string, json: object, headers: Headers = {}): Promise<Answer<T>> {
    return this.send(path, { method: 'PATCH', json, headers });
  }

  delete<T = unknown>(path: string, headers: Headers = {}): Promise<Answer<T>> {
    return this.send(path, { method: 'DELETE', headers });
  }

  private send<T>(
    path: string,
    {
      headers,
      ...rest
    }: { readonly method: string; readonly json?: object | null; readonly headers: Headers },
  ): Promise<Answer<T>> {
    return request(`${this.product.baseUrl}/${path}`, {
      ...rest,
      headers: { authorization: `Bearer ${this.token}`, 'x-workspace-id': this.workspaceId, ...headers },
    });
  }
}
