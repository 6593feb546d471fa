import { createHash } from 'node:crypto'
import type { Standing } from './replica.ts'

interface Candidate {
  address: string
  standing: Standing
  active: number
}

const ORDER: readonly Standing[] = ['ready', 'answering', 'silent']
/** So many more requests than the idlest one has a replica may have before a client's goes elsewhere. */
const SLACK = 16

/**
 * Of the replicas that were not tried those that stand best, and of these the one with the fewest open requests; by
 * chance where several have as few. With a key the one that the key leads to (highest random weight: when a replica
 * comes or goes, only its own share moves), unless it has many more requests than others.
 */
export function choose<T extends Candidate>(
  replicas: readonly T[],
  key: string | null,
  tried: ReadonlySet<T>,
): T | undefined {
  const left = replicas.filter((replica) => !tried.has(replica))
  const best = ORDER.find((standing) => left.some((replica) => replica.standing === standing))
  const open = left.filter(({ standing }) => standing === best)
  const fewest = open.reduce((least, { active }) => Math.min(least, active), Number.POSITIVE_INFINITY)
  if (key !== null) {
    const own = open.map((replica) => ({ replica, weight: weightOf(key, replica.address) }))
    const first = own.sort((a, b) => (a.weight < b.weight ? 1 : -1))[0]?.replica
    if (first !== undefined && first.active <= fewest + SLACK) return first
  }
  const idlest = open.filter(({ active }) => active === fewest)
  return idlest[Math.floor(Math.random() * idlest.length)]
}

function weightOf(key: string, address: string): string {
  return createHash('sha256').update(`${key} ${address}`).digest('hex')
}
