import 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
    /** The same in each run, unless `--seed` names another. */
    seed: number
    scale: number
  }
}
