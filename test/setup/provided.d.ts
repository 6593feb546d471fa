import 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Owner's connection string of the throw-away cluster. */
    postgresUrl: string
    /** What every random test draws from. The same in each run, unless `--seed` names another one. */
    seed: number
    /** How many times as many cases a random test draws: 1 in `npm test`, more in `npm run test:long`. */
    scale: number
  }
}
