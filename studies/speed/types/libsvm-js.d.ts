/** The part of libsvm-js 0.2 that the benchmarks use. */
declare module 'libsvm-js/wasm.js' {
  export interface SvmOptions {
    readonly type: string;
    readonly kernel: string;
    readonly cost: number;
    readonly gamma: number;
    readonly quiet: boolean;
  }
  export interface Svm {
    train(samples: readonly (readonly number[])[], labels: readonly number[]): void;
    predict(samples: readonly (readonly number[])[]): number[];
    /** Frees what it holds, which lies outside the reach of the garbage collector. */
    free(): void;
  }
  export interface SvmClass {
    new (options: SvmOptions): Svm;
    readonly SVM_TYPES: { readonly C_SVC: string };
    readonly KERNEL_TYPES: { readonly RBF: string };
  }
  const loading: Promise<SvmClass>;
  export default loading;
}
