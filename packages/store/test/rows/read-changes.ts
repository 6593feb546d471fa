import type { Address, TokenMoveAt } from '@dexfeed/dex'
import type { IndexedNetwork, Reader } from '@dexfeed/store'

/** The version of a market, some of whose pools are known as of reorgable blocks. */
export function versionOf({ revision, reorgs }: IndexedNetwork, above: readonly Address[] = []) {
  return { revision, reorgs, idleBelow: 0, poolsAbove: () => above, holds: () => true }
}

/** All moves of the week before the head, but of blocks that are known. */
export async function readMoves(reader: Reader, network: IndexedNetwork, known: IndexedNetwork['covered'] = []) {
  const moves: TokenMoveAt[] = []
  await reader.tokenMoves(network, known, (page) => void moves.push(...page))
  return moves
}
