import 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Owner's connection string of the throw-away cluster. */
    postgresUrl: string
    /** Seed of every random test: the same in each run, unless `--seed` names another. */
    seed: number
    /** Multiplies the cases of a random test: 1 in `npm test`, more in `npm run test:long`. */
    scale: number
  }
}
