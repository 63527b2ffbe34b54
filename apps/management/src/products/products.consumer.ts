import { Controller } from '@nestjs/common';
import type { AskOfferedProducts } from '@truetally/contracts/management';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { logged } from '../audit-log/logged.js';
import { createProduct } from './create-product.js';
import { deleteProduct } from './delete-product.js';
import { listOfferedProducts } from './list-offered-products.js';
import { listProducts } from './list-products.js';
import { putProducts } from './put-products.js';
import { readProduct } from './read-product.js';
import { updateProduct } from './update-product.js';

@Controller()
export class ProductsConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.createProduct)
  create(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(createProduct));
  }

  @Handles(OPERATIONS.listProducts)
  list(query: ResourceQuery) {
    return this.database.query(query, listProducts);
  }

  @Handles(OPERATIONS.listOfferedProducts)
  listOffered(asked: AskOfferedProducts) {
    return this.database.query(asked, listOfferedProducts);
  }

  @Handles(OPERATIONS.readProduct)
  read(query: ResourceQuery) {
    return this.database.query(query, readProduct);
  }

  @Handles(OPERATIONS.updateProduct)
  update(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(updateProduct));
  }

  @Handles(OPERATIONS.deleteProduct)
  delete(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, deleteProduct);
  }

  @Handles(OPERATIONS.putProducts)
  put(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(putProducts));
  }
}
