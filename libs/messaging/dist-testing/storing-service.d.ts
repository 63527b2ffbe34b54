import 'reflect-metadata';
//# sourceMappingURL=storing-service.d.ts.map