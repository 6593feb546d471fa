import type { TestProject } from 'vitest/node'

/** Prints the seed of the random tests once per run. */
export default function setup({ config }: TestProject): void {
  console.log(`Random tests draw from seed ${config.provide.seed}.`)
}
