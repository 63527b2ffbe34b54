import { Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import {
  PRODUCT_FILTERS,
  ProductBatchAnswer,
  ProductResource,
  ProductBody,
  ProductBatchBody,
} from '@truetally/contracts/management';
import { DeletedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { ResourceApi } from '../ask/resource.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';
import { ofOwnSite } from '../ask/own-site.js';

@Controller('api/v1/products')
export class ProductsController {
  constructor(private readonly api: ResourceApi) {}

  @Post()
  @Credential('management-writer')
  @JsonBody(ProductBody)
  @Answers(ProductResource, 201)
  create(exchange: Exchange): Promise<void> {
    return this.api.create(exchange, { to: OPERATIONS.createProduct });
  }

  @Put('batch')
  @Credential('catalogue-writer')
  @JsonBody(ProductBatchBody)
  @Answers(ProductBatchAnswer)
  put(exchange: Exchange): Promise<void> {
    return this.api.change(exchange, { to: OPERATIONS.putProducts, prepare: ofOwnSite });
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...PRODUCT_FILTERS })
  @AnswersPageOf(ProductResource)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listProducts }, PRODUCT_FILTERS);
  }

  @Get(':id')
  @Credential('management-reader')
  @Answers(ProductResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readProduct, params });
  }

  @Patch(':id')
  @Credential('management-writer')
  @JsonBody(ProductBody)
  @Answers(ProductResource)
  update(exchange: Exchange, params: Params): Promise<void> {
    return this.api.change(exchange, { to: OPERATIONS.updateProduct, params });
  }

  @Delete(':id')
  @Credential('management-writer')
  @Answers(DeletedResource)
  delete(exchange: Exchange, params: Params): Promise<void> {
    return this.api.delete(exchange, { to: OPERATIONS.deleteProduct, params });
  }
}
