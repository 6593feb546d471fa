import { setTimeout as delay } from 'node:timers/promises'
import { codeOf } from '../store-error.ts'

/** duplicate_object, unique_violation, internal_error ("tuple concurrently updated"), conflicts. */
const RACES = new Set(['42710', '23505', 'XX000', '40001', '40P01'])
const ATTEMPTS = 20

/**
 * Runs a step on what all databases of a cluster share (roles, memberships), again if a migration of another database
 * interferes: advisory locks apply to one database only.
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
