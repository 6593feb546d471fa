import { setTimeout as delay } from 'node:timers/promises'
import { codeOf } from '../store-error.ts'

/** duplicate_object, unique_violation, internal_error ("tuple concurrently updated"), a cluster-wide race each. */
const RACES = new Set(['42710', '23505', 'XX000', '40001', '40P01'])
const ATTEMPTS = 20

/**
 * Runs a step that looks and then changes what all databases of a cluster share (roles, memberships). Advisory locks
 * do not reach beyond a database, so a migration of another one may come between: then the step looks again.
 */
export async function onSharedCatalog<T>(step: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step()
    } catch (error) {
      if (!RACES.has(codeOf(error) ?? '') || attempt === ATTEMPTS) throw error
      await delay(Math.random() * 20 * attempt)
    }
  }
}
