import type { SimulatedNetwork } from './simulated-network.ts'

/**
 * Checks that no block was accepted without proof if every node can prove each block. False blocks must be noticed.
 *
 * @param isAllCounted whether the nodes served only indexers whose reads are counted
 * @returns one text per violation
 */
export function checkProofs(
  { network, proofs, reads, falseBlocks }: SimulatedNetwork,
  isAllCounted: boolean,
): string[] {
  const [problems, { proven, unproven, archived }]: [string[], typeof reads] = [[], reads]
  const canProve = proofs.filter((shown) => shown === 'block-receipts').length
  if (canProve === proofs.length && unproven > 0) {
    problems.push(`${network}: ${unproven} blocks were accepted without proof, although all nodes serve receipts`)
  }
  if (canProve > 0 && proven === 0) problems.push(`${network}: no block was proven`)
  if (canProve === 0 && proven > 0)
    problems.push(`${network}: ${proven} blocks were proven although no node can prove them`)
  if (proven + unproven + archived === 0) problems.push(`${network}: no block was read`)
  if (isAllCounted && falseBlocks() > 0 && reads.falseBlocks === 0) {
    problems.push(`${network}: no endpoint was reported for one of ${falseBlocks()} false blocks`)
  }
  return problems
}
