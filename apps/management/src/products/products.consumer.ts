import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext } from '@truetally/messaging';
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

  @MessagePattern(OPERATIONS.createProduct)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createProduct);
  }

  @MessagePattern(OPERATIONS.listProducts)
  list(@Payload() message: unknown) {
    return this.database.query(message, listProducts);
  }

  @MessagePattern(OPERATIONS.readProduct)
  read(@Payload() message: unknown) {
    return this.database.query(message, readProduct);
  }

  @MessagePattern(OPERATIONS.updateProduct)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateProduct);
  }

  @MessagePattern(OPERATIONS.deleteProduct)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteProduct);
  }

  @MessagePattern(OPERATIONS.putProducts)
  put(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, putProducts);
  }
}
