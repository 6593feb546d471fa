import type { TestProject } from 'vitest/node'

export default function setup({ config }: TestProject): void {
  console.log(`Random tests draw from seed ${config.provide.seed}.`)
}
