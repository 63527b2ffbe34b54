import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { refusals } from '../domain/refusals.js';
import { deleting, listing } from '../resource-work.js';
import { pageOfProducts, PRODUCTS } from '../storage/product.store.js';
import { logged } from '../audit-log/logged.js';
import { createProduct } from './create-product.js';
import { listOfferedProducts } from './list-offered-products.js';
import { putProducts } from './put-products.js';
import { readProduct } from './read-product.js';
import { updateProduct } from './update-product.js';

export const listProducts = listing(pageOfProducts);
export const deleteProduct = deleting('product', PRODUCTS, refusals.noProduct);

export const productsAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createProduct: command(logged(createProduct)),
  listProducts: query(listProducts),
  listOfferedProducts: query(listOfferedProducts),
  readProduct: query(readProduct),
  updateProduct: command(logged(updateProduct)),
  deleteProduct: command(deleteProduct),
  putProducts: command(logged(putProducts)),
});
