declare module '@20minutes/s3rver' {
  interface S3rverOptions {
    readonly address: string;
    /** 0 lets the system choose. */
    readonly port: number;
    /** Where the objects are kept. */
    readonly directory: string;
    readonly silent: boolean;
    readonly allowMismatchedSignatures: boolean;
    readonly configureBuckets: readonly { readonly name: string }[];
  }

  export default class S3rver {
    constructor(options: S3rverOptions);
    run(): Promise<{ readonly address: string; readonly port: number }>;
    close(): Promise<void>;
  }
}
