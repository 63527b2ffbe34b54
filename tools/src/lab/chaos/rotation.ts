import { type LocalGateway, type LaunchedProduct } from '@truetally/testing-product';

/** The gateways in a balancer's rotation: a gateway leaves it before it is stopped. */
export class Rotation {
  private readonly out = new Set<LocalGateway>();

  constructor(private readonly product: LaunchedProduct) {}

  readonly baseUrls = (): readonly string[] =>
    this.product.gateways.filter((gateway) => !this.out.has(gateway)).map(({ baseUrl }) => baseUrl);

  takeOut(gateway: LocalGateway): void {
    this.out.add(gateway);
  }

  putBack(gateway: LocalGateway): void {
    this.out.delete(gateway);
  }
}
