import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts';
import { type AskContext } from '@truetally/messaging';
import { Database } from '../storage/database.js';
import { createProduct } from './create-product.js';
import { deleteProduct } from './delete-product.js';
import { listProducts } from './list-products.js';
import { putProducts } from './put-products.js';
import { readProduct } from './read-product.js';
import { updateProduct } from './update-product.js';

@Controller()
export class ProductsConsumer {
  constructor(@Inject(Database) private readonly database: Database) {}

  @MessagePattern(TOPICS.createProduct.name)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createProduct);
  }

  @MessagePattern(TOPICS.listProducts.name)
  list(@Payload() message: unknown) {
    return this.database.query(message, listProducts);
  }

  @MessagePattern(TOPICS.readProduct.name)
  read(@Payload() message: unknown) {
    return this.database.query(message, readProduct);
  }

  @MessagePattern(TOPICS.updateProduct.name)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateProduct);
  }

  @MessagePattern(TOPICS.deleteProduct.name)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteProduct);
  }

  @MessagePattern(TOPICS.putProducts.name)
  put(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, putProducts);
  }
}
