import type { SimulatedNetwork } from './simulated-network.ts'

/**
 * Checks that no block was taken without proof where every node can prove each, and that false ones were noticed.
 *
 * @param isAllCounted whether all that the nodes answered was to indexers whose readings are counted
 * @returns one text per broken promise
 */
export function checkProofs(
  { network, proofs, reads, falseBlocks }: SimulatedNetwork,
  isAllCounted: boolean,
): string[] {
  const [problems, { proven, unproven, archived }]: [string[], typeof reads] = [[], reads]
  const canProve = proofs.filter((shown) => shown === 'block-receipts').length
  if (canProve === proofs.length && unproven > 0) {
    problems.push(`${network}: ${unproven} blocks were taken without proof, although all nodes serve receipts`)
  }
  if (canProve > 0 && proven === 0) problems.push(`${network}: no block was proven`)
  if (canProve === 0 && proven > 0) problems.push(`${network}: ${proven} blocks were proven by nothing`)
  if (proven + unproven + archived === 0) problems.push(`${network}: no block was read`)
  if (isAllCounted && falseBlocks() > 0 && reads.falseBlocks === 0) {
    problems.push(`${network}: no endpoint was named for one of ${falseBlocks()} false blocks`)
  }
  return problems
}
