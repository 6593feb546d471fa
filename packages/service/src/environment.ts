import { readFileSync } from 'node:fs'
import type { Check } from './environment/check-environment.ts'

/**
 * The settings of this process. Problems go to standard error, a line each, and end the process with code 1.
 * The only place that reads the environment.
 */
export function settingsOrExit<T extends { warnings: readonly string[] }>(check: Check<T>): T {
  const { settings, problems } = check(process.env, (path) => readFileSync(path, 'utf8'))
  for (const line of problems ?? settings?.warnings ?? []) process.stderr.write(`${line}\n`)
  if (settings) return settings
  process.exit(1)
}
