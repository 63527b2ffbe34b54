import { type LocalGateway, type LaunchedProduct } from '@truetally/testing-product';

/** The gateways that a balancer sends requests to: it is told of those that are to go before they are ended. */
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
