import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { type AskContext, BusyPattern } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { createProduct } from './create-product.js';
import { deleteProduct } from './delete-product.js';
import { listProducts } from './list-products.js';
import { putProducts } from './put-products.js';
import { readProduct } from './read-product.js';
import { updateProduct } from './update-product.js';

@Controller()
export class ProductsConsumer {
  constructor(@Inject(ResourceDatabase) private readonly database: ResourceDatabase) {}

  @BusyPattern(TOPICS.createProduct.name, 'products')
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createProduct);
  }

  @BusyPattern(TOPICS.listProducts.name, 'products')
  list(@Payload() message: unknown) {
    return this.database.query(message, listProducts);
  }

  @BusyPattern(TOPICS.readProduct.name, 'products')
  read(@Payload() message: unknown) {
    return this.database.query(message, readProduct);
  }

  @BusyPattern(TOPICS.updateProduct.name, 'products')
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateProduct);
  }

  @BusyPattern(TOPICS.deleteProduct.name, 'products')
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteProduct);
  }

  @BusyPattern(TOPICS.putProducts.name, 'products')
  put(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, putProducts);
  }
}
