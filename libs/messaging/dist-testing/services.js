var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
var __param = (this && this.__param) || function (paramIndex, decorator) {
    return function (target, key) { decorator(target, key, paramIndex); }
};
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { BatchPattern, HandlerErrorFilter, KafkaServer, } from '@truetally/messaging';
/** A service with one ordinary handler, as an application would write it. */
export function serve(messaging, topic, handle, options = {}) {
    let OrdinaryController = class OrdinaryController {
        handle(body, context) {
            return handle(body, context);
        }
    };
    __decorate([
        MessagePattern(topic),
        __param(0, Payload()),
        __param(1, Ctx()),
        __metadata("design:type", Function),
        __metadata("design:paramtypes", [Object, Object]),
        __metadata("design:returntype", Promise)
    ], OrdinaryController.prototype, "handle", null);
    OrdinaryController = __decorate([
        Controller()
    ], OrdinaryController);
    return listen(messaging, OrdinaryController, options);
}
/** A service with one handler of batches. */
export function serveBatches(messaging, topic, handle, limits = {}, options = {}) {
    let BatchController = class BatchController {
        handle(requests) {
            return handle(requests);
        }
    };
    __decorate([
        BatchPattern(topic, { rows: 1_024, transactions: 3, unstored: 8_192, ...limits }),
        __param(0, Payload()),
        __metadata("design:type", Function),
        __metadata("design:paramtypes", [Array]),
        __metadata("design:returntype", Promise)
    ], BatchController.prototype, "handle", null);
    BatchController = __decorate([
        Controller()
    ], BatchController);
    return listen(messaging, BatchController, options);
}
async function listen(messaging, controller, options) {
    let TestModule = class TestModule {
    };
    TestModule = __decorate([
        Module({ controllers: [controller] })
    ], TestModule);
    const service = await NestFactory.createMicroservice(TestModule, {
        strategy: new KafkaServer(messaging, { group: 'served', ...options }),
        logger: false,
    });
    service.useGlobalFilters(new HandlerErrorFilter());
    await service.listen();
    return service;
}
//# sourceMappingURL=services.js.map