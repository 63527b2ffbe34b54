import { Controller, Delete, Get, Inject, Param, Patch, Post, Put, Res } from '@nestjs/common';
import {
  PRODUCT_FILTERS,
  ProductBatchAnswer,
  ProductResource,
  ProductBody,
  ProductBatchBody,
} from '@truetally/contracts/management';
import { DeletedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { EdgeResponse } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { ResourceApi } from '../http/resource-api.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';
import { ofOwnSite } from '../http/own-site.js';

type Ids = Record<string, string>;

@Controller('api/v1/products')
export class ProductsController {
  constructor(@Inject(ResourceApi) private readonly api: ResourceApi) {}

  @Post()
  @Credential('management-writer')
  @JsonBody(ProductBody)
  @Answers(ProductResource, 201)
  create(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.create(exchange, { to: OPERATIONS.createProduct });
  }

  @Put('batch')
  @Credential('catalogue-writer')
  @JsonBody(ProductBatchBody)
  @Answers(ProductBatchAnswer)
  put(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.change(exchange, { to: OPERATIONS.putProducts, prepare: ofOwnSite });
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...PRODUCT_FILTERS })
  @AnswersPageOf(ProductResource)
  list(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listProducts }, PRODUCT_FILTERS);
  }

  @Get(':id')
  @Credential('management-reader')
  @Answers(ProductResource)
  read(@Res() { exchange }: EdgeResponse, @Param() params: Ids): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readProduct, params });
  }

  @Patch(':id')
  @Credential('management-writer')
  @JsonBody(ProductBody)
  @Answers(ProductResource)
  update(@Res() { exchange }: EdgeResponse, @Param() params: Ids): Promise<void> {
    return this.api.change(exchange, { to: OPERATIONS.updateProduct, params });
  }

  @Delete(':id')
  @Credential('management-writer')
  @Answers(DeletedResource)
  delete(@Res() { exchange }: EdgeResponse, @Param() params: Ids): Promise<void> {
    return this.api.delete(exchange, { to: OPERATIONS.deleteProduct, params });
  }
}
