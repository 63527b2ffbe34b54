import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { logged } from '../audit-log/logged.js';
import { createProduct } from './create-product.js';
import { deleteProduct } from './delete-product.js';
import { listOfferedProducts } from './list-offered-products.js';
import { listProducts } from './list-products.js';
import { putProducts } from './put-products.js';
import { readProduct } from './read-product.js';
import { updateProduct } from './update-product.js';

export const productsAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createProduct: command(logged(createProduct)),
  listProducts: query(listProducts),
  listOfferedProducts: query(listOfferedProducts),
  readProduct: query(readProduct),
  updateProduct: command(logged(updateProduct)),
  deleteProduct: command(deleteProduct),
  putProducts: command(logged(putProducts)),
});
