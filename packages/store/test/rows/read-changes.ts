import type { Address, TokenMoveAt } from '@dexfeed/dex'
import type { IndexedNetwork, Reader } from '@dexfeed/store'

/** Returns a market's version; `above` are pools held as of reorgable blocks. */
export function versionOf({ revision, reorgs }: IndexedNetwork, above: readonly Address[] = []) {
  return { revision, reorgs, idleBelow: 0, poolsAbove: () => above, holds: () => true }
}

/** Returns all token moves of the week before the head, except those in known blocks. */
export async function readMoves(reader: Reader, network: IndexedNetwork, known: IndexedNetwork['covered'] = []) {
  const moves: TokenMoveAt[] = []
  await reader.tokenMoves(network, known, (page) => void moves.push(...page))
  return moves
}
