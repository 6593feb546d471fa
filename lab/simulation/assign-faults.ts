import { createRandom, type Random } from '@dexfeed/devnet'
import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { type Fault, faultsAt, isMetBy, type Proofs, shuffled } from '../index.ts'

/** How many of a network's two nodes serve the receipts of whole blocks. */
const PROVING = [2, 1, 0]

interface Assignment {
  network: NetworkName
  /** What each node shows to prove its blocks. */
  proofs: readonly Proofs[]
  first: readonly Fault[]
}

/**
 * Returns the nodes of each network, and which of the faults come first there, by the seed. Of one network all nodes
 * prove their blocks, of another one node does, of the third none. Each fault comes first at a network whose requests
 * can meet it.
 */
export function assignFaults(
  seed: number,
  faults: readonly Fault[],
  networks: readonly NetworkName[] = NETWORK_NAMES,
): Assignment[] {
  const random = createRandom(seed)
  const assignments = networks.map((network, i) => {
    const proofs = proofsOf(PROVING[(i + seed) % PROVING.length] ?? 0, random)
    return { network, proofs, fit: new Set(metAt(proofs)), first: [] as Fault[] }
  })
  for (const fault of shuffled(faults, random)) {
    const fit = assignments.filter((one) => one.fit.has(fault))
    const [least] = fit.sort((one, other) => one.first.length - other.first.length)
    least?.first.push(fault)
  }
  return assignments
}

/** Returns two nodes. @param proving how many of them serve the receipts of whole blocks */
function proofsOf(proving: number, random: Random): Proofs[] {
  const others = (): Proofs => (random.next() < 0.5 ? 'receipts' : 'none')
  const nodes = [0, 1].map((node) => (node < proving ? 'block-receipts' : others()))
  return shuffled(nodes, random)
}

/** Returns the faults that requests meet. If every block is proven, logs and single receipts are rarely requested. */
function metAt(proofs: readonly Proofs[]): readonly Fault[] {
  const faults = faultsAt(proofs)
  if (proofs.some((shown) => shown !== 'block-receipts')) return faults
  const isRare = (fault: Fault) => {
    return (
      !isMetBy(fault, 'eth_call') && ['eth_getLogs', 'eth_getTransactionReceipt'].some((one) => isMetBy(fault, one))
    )
  }
  return faults.filter((fault) => !isRare(fault))
}
